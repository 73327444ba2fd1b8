// Holds the layout of every struct of the ABI to the recorded order of its members
// (abi_slots.tsv, turned into abi_slots.inc by the build).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cpu_provider_factory.h"
#include "tern.h"

typedef struct slot {
  const char *structure, *member;
  size_t index, offset;
} slot;

static const slot slots[] = {
#define SLOT(structure, index, member) {#structure, #member, index, offsetof(structure, member)},
#include "abi_slots.inc"
};
static const size_t slot_count = sizeof slots / sizeof slots[0];

// One pointer a member; a leading 32-bit version is padded to that, except where a second small
// member shares its place.
static size_t expected_offset(const slot *s) {
  if (strcmp(s->structure, "OrtNodeFusionOptions") == 0) return s->index * sizeof(uint32_t);
  if (strcmp(s->structure, "OrtKernelImpl") == 0 && s->index >= 1)
    return s->index == 1 ? sizeof(uint32_t) : (s->index - 1) * sizeof(void *);
  return s->index * sizeof(void *);
}

static void every_member_has_its_place(void **state) {
  (void)state;
  assert_true(slot_count > 600);
  for (size_t i = 0; i < slot_count; ++i) {
    if (slots[i].offset != expected_offset(&slots[i]))
      fail_msg("%s::%s is at %zu, not at %zu", slots[i].structure, slots[i].member, slots[i].offset,
               expected_offset(&slots[i]));
  }
}

static size_t members_of(const char *structure) {
  size_t count = 0;
  for (size_t i = 0; i < slot_count; ++i) count += strcmp(slots[i].structure, structure) == 0;
  return count;
}

// Nothing follows the recorded members.
static void every_struct_has_its_size(void **state) {
  (void)state;
#define CHECK(structure)                                                                           \
  assert_int_equal(sizeof(structure), members_of(#structure) * sizeof(void *))
  CHECK(OrtApiBase);
  CHECK(OrtApi);
  CHECK(OrtModelEditorApi);
  CHECK(OrtCompileApi);
  CHECK(OrtInteropApi);
  CHECK(OrtEpApi);
  CHECK(OrtCustomOp);
  CHECK(OrtAllocator);
  CHECK(OrtEp);
  CHECK(OrtEpFactory);
  CHECK(OrtNodeComputeInfo);
  CHECK(OrtDataTransferImpl);
  CHECK(OrtSyncStreamImpl);
  CHECK(OrtSyncNotificationImpl);
  CHECK(OrtEpProfilerImpl);
#undef CHECK
  assert_int_equal(sizeof(OrtResourceCount), 56);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_member_has_its_place),
      cmocka_unit_test(every_struct_has_its_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
