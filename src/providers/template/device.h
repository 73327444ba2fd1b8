// The device that the template computes on, as a vendor's library would show it: memory of its own,
// queues that do what they are given when they are finished, error codes. Here it is a few lines on
// the host. A provider for a real device includes the vendor's header in this one's place.
#ifndef TERN_PROVIDERS_TEMPLATE_DEVICE_H_
#define TERN_PROVIDERS_TEMPLATE_DEVICE_H_

#include <stdbool.h>
#include <stddef.h>

typedef enum device_code {
  DEVICE_OK = 0,
  DEVICE_BUSY,      // come again
  DEVICE_NO_MEMORY, // of its own
  DEVICE_LOST,      // until device_reset
} device_code;

typedef enum device_op { DEVICE_ADD, DEVICE_MUL, DEVICE_RELU } device_op;

typedef struct device device;
typedef struct device_queue device_queue;

device *device_open(void); // NULL: there is none
void device_close(device *d);
// Everything in its memory is gone; the addresses are still to be freed.
device_code device_reset(device *d);

// Aligned to 64 bytes; NULL where there is no room, or no device.
void *device_alloc(device *d, size_t bytes);
void device_free(device *d, void *address);

// A queue belongs to one thread at a time; a device has any number of them.
device_code device_queue_open(device *d, device_queue **out_queue);
void device_queue_close(device_queue *queue);
// Between host and device, either way, or within the device.
device_code device_copy(device_queue *queue, void *to, const void *from, size_t bytes);
// y[i] = a[i] op b[i], or op a[i] where `b` is NULL; y may be a or b.
device_code device_compute(device_queue *queue, device_op op, float *y, const float *a,
                           const float *b, size_t count);
// Returns when everything that the queue was given is done; it is empty then, also on an error.
device_code device_finish(device_queue *queue);

#endif
