// tern_api_doc FILE writes docs/c-api.md: the state of every entry of the ABI's tables, read from
// the tables themselves. tern_api_doc --check FILE fails where the file says something else.
#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "base/text.h"

static void count_entries(const char *table, size_t *out_working, size_t *out_total) {
  tern_api_entry entry;
  *out_working = *out_total = 0;
  for (size_t i = 0; tern_api_get_entry(i, &entry); ++i) {
    if (strcmp(entry.table, table) != 0) continue;
    *out_working += entry.is_implemented;
    *out_total += 1;
  }
}

static void write_table(tern_text *text, const char *table) {
  size_t working, total;
  count_entries(table, &working, &total);
  tern_text_printf(text, "\n## %s: %zu of %zu\n\n| slot | entry | state |\n|---|---|---|\n", table,
                   working, total);
  tern_api_entry entry;
  size_t slot = 0;
  for (size_t i = 0; tern_api_get_entry(i, &entry); ++i) {
    if (strcmp(entry.table, table) != 0) continue;
    tern_text_printf(text, "| %zu | `%s` | %s |\n", slot++, entry.name,
                     entry.is_implemented ? "works" : "not implemented");
  }
}

// What programs say about memory, and what comes of it. A run works in one block of the size that
// its plan knows, so that settings of how memory grows have nothing to decide.
static const struct {
  const char *setting, *effect;
} memory_settings[] = {
    {"`session.use_env_allocators` \"1\"",
     "weights and runs take the memory of the allocator registered with the environment for the "
     "CPU; without one, nothing changes"},
    {"`RegisterAllocator`",
     "its `Alloc` gives what runs need, its `Reserve` (from version 18 on) weights; any alignment "
     "will do; a second one for the same device takes the place of the first"},
    {"`session.use_device_allocator_for_initializers` \"1\"",
     "weights do not count in the arena; of a custom allocator they come from `Alloc`"},
    {"`max_mem` of an `OrtArenaCfg`, `arena.max_mem` of a shared allocator",
     "a run that would go beyond it is refused before it computes anything, with the number of "
     "bytes, once frames of other sessions have been given up; what a plan cannot know is refused "
     "when it is asked for. Weights count, and are not refused"},
    {"`arena_extend_strategy`, `initial_chunk_size_bytes`, `max_dead_bytes_per_chunk`, "
     "`initial_growth_chunk_size_bytes`, `max_power_of_two_extend_bytes`",
     "none; the log says so"},
    {"`DisableCpuMemArena`", "runs leave nothing behind for the next ones to work in"},
    {"`DisableMemPattern`", "none: plans are kept for a bounded number of shapes; the log says so"},
    {"`memory.enable_memory_arena_shrinkage` \"cpu:0\" of a run",
     "when it has ended, the sessions of its arena give up what runs have left; blocks of 256 KiB "
     "and more go back to the system at once"},
    {"`session.disable_prepacking` \"1\"",
     "kernels read weights as the model has them; nothing is packed or shared"},
    {"`session.use_memory_mapped_model`, `session.use_memory_mapped_external_data` \"0\"",
     "files are read into memory instead of being mapped"},
    {"`CreatePrepackedWeightsContainer`",
     "sessions of an environment share packed weights without it; it keeps them when the last "
     "session has gone"},
    {"`OrtAllocator::Shrink`", "as the shrinkage after a run, now"},
};

static void write_memory_settings(tern_text *text) {
  tern_text_printf(text, "\n## What settings of memory do\n\n| setting | effect |\n|---|---|\n");
  for (size_t i = 0; i < TERN_COUNT_OF(memory_settings); ++i)
    tern_text_printf(text, "| %s | %s |\n", memory_settings[i].setting, memory_settings[i].effect);
  tern_text_printf(
      text, "\nStatistics (`AllocatorGetStats`) have ONNX Runtime's keys. Memory is had from the "
            "system block by block, so\n`TotalAllocated` is `InUse`, and what sessions hold for "
            "their next runs is in use. Packed weights that the\nenvironment's sessions share "
            "count in no session's arena, unless they use the environment's.\n");
}

static void write_page(tern_text *text) {
  tern_text_printf(
      text, "# The C ABI, entry by entry\n\n"
            "Written by `tern_api_doc` from the tables of `libtern.so`; the test `api.doc` fails "
            "where this page is stale\n(`cmake --build build --target c_api_doc` renews it). An "
            "entry that is not implemented answers a status of code\n`ORT_NOT_IMPLEMENTED` that "
            "names it; one that returns no status does nothing, or answers NULL or 0.\n");
  write_memory_settings(text);
  const char *last = "";
  tern_api_entry entry;
  for (size_t i = 0; tern_api_get_entry(i, &entry); ++i) {
    if (strcmp(entry.table, last) != 0) write_table(text, entry.table);
    last = entry.table;
  }
}

static int check_page(const tern_text *text, FILE *file, const char *path) {
  size_t at = 0;
  int c;
  while ((c = getc(file)) != EOF && at < text->size && c == (unsigned char)text->data[at]) ++at;
  if (c == EOF && at == text->size) return 0;
  fprintf(stderr, "%s is stale from byte %zu on\n", path, at);
  return 1;
}

int main(int argc, char **argv) {
  bool is_check = argc == 3 && strcmp(argv[1], "--check") == 0;
  if (argc != 2 && !is_check) {
    fprintf(stderr, "usage: tern_api_doc [--check] FILE\n");
    return 2;
  }
  const char *path = argv[argc - 1];
  tern_text text;
  tern_text_init(tern_allocator_system(), &text);
  write_page(&text);
  FILE *file = fopen(path, is_check ? "rb" : "wb");
  int result = 1;
  if (text.failed || !file)
    perror(path);
  else if (is_check)
    result = check_page(&text, file, path);
  else
    result = fwrite(text.data, 1, text.size, file) != text.size;
  if (file && fclose(file) != 0) result = 1;
  tern_text_deinit(&text);
  return result;
}
