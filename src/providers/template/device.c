// A device made of the host.
#include "providers/template/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

struct device {
  bool is_lost;
};

typedef struct command {
  bool is_copy;
  device_op op;
  void *to;
  const void *a, *b;
  size_t count; // bytes of a copy, elements otherwise
} command;

struct device_queue {
  device *device;
  command *commands;
  size_t count, capacity;
};

device *device_open(void) {
  return calloc(1, sizeof(device));
}

void device_close(device *d) {
  free(d);
}

device_code device_reset(device *d) {
  d->is_lost = false;
  return DEVICE_OK;
}

void *device_alloc(device *d, size_t bytes) {
  size_t whole = (bytes + TERN_BUFFER_ALIGNMENT - 1) / TERN_BUFFER_ALIGNMENT;
  return d->is_lost ? NULL : aligned_alloc(TERN_BUFFER_ALIGNMENT, whole * TERN_BUFFER_ALIGNMENT);
}

void device_free(device *d, void *address) {
  (void)d;
  free(address);
}

device_code device_queue_open(device *d, device_queue **out_queue) {
  if (d->is_lost) return DEVICE_LOST;
  *out_queue = calloc(1, sizeof **out_queue);
  if (!*out_queue) return DEVICE_NO_MEMORY;
  (*out_queue)->device = d;
  return DEVICE_OK;
}

void device_queue_close(device_queue *queue) {
  free(queue->commands);
  free(queue);
}

static device_code push(device_queue *queue, command given) {
  if (queue->device->is_lost) return DEVICE_LOST;
  if (queue->count == queue->capacity) {
    size_t capacity = queue->capacity ? 2 * queue->capacity : 16;
    command *commands = realloc(queue->commands, capacity * sizeof *commands);
    if (!commands) return DEVICE_NO_MEMORY;
    queue->commands = commands;
    queue->capacity = capacity;
  }
  queue->commands[queue->count++] = given;
  return DEVICE_OK;
}

device_code device_copy(device_queue *queue, void *to, const void *from, size_t bytes) {
  return push(queue, (command){.is_copy = true, .to = to, .a = from, .count = bytes});
}

device_code device_compute(device_queue *queue, device_op op, float *y, const float *a,
                           const float *b, size_t count) {
  return push(queue, (command){.op = op, .to = y, .a = a, .b = b, .count = count});
}

static void compute(const command *c) {
  float *y = c->to;
  const float *a = c->a, *b = c->b;
  for (size_t i = 0; i < c->count; ++i) {
    if (c->op == DEVICE_ADD) y[i] = a[i] + b[i];
    if (c->op == DEVICE_MUL) y[i] = a[i] * b[i];
    if (c->op == DEVICE_RELU) y[i] = a[i] < 0 ? 0 : a[i];
  }
}

device_code device_finish(device_queue *queue) {
  bool is_lost = queue->device->is_lost;
  for (size_t i = 0; i < queue->count && !is_lost; ++i) {
    const command *c = &queue->commands[i];
    if (c->is_copy)
      memcpy(c->to, c->a, c->count);
    else
      compute(c);
  }
  queue->count = 0;
  return is_lost ? DEVICE_LOST : DEVICE_OK;
}
