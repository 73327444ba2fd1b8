// The option table, and parsing over it. An option is one row; a verb takes it when its bit is set.
#include "args.h"

#include <string.h>

#include "text.h"

enum { ANY_MODEL = CLI_VERB_RUN | CLI_VERB_INSPECT | CLI_VERB_BENCH | CLI_VERB_DIFF };
enum { ANY_RUN = CLI_VERB_RUN | CLI_VERB_BENCH | CLI_VERB_DIFF };
enum { ANY_PAIR = CLI_VERB_BENCH | CLI_VERB_DIFF };

enum option_kind { FLAG, TEXT, LIST, COUNT, REAL, CHOICE, WORD };

// `value` names the value in the help; of a CHOICE it is the allowed numbers between '|', of a WORD
// the allowed words. `offset` is the field of cli_request: bool, const char *, cli_list, uint64_t,
// double, uint64_t, const char * by kind.
struct option {
  const char *name;
  unsigned verbs;
  enum option_kind kind;
  const char *value;
  size_t offset;
  const char *help;
};

#define FIELD(name) offsetof(cli_request, name)

static const struct option options[] = {
    {"lib", ANY_MODEL | CLI_VERB_INFO, TEXT, "PATH", FIELD(library),
     "library to use in place of the libtern.so beside this program"},
    {"against", ANY_PAIR, TEXT, "LIB", FIELD(against), "second library, to compare with"},
    {"input", ANY_MODEL, LIST, "NAME=SPEC", FIELD(inputs),
     "value of an input; NAME= may be left out when the model has one input"},
    {"random", CLI_VERB_RUN, FLAG, NULL, FIELD(random), "fill inputs not given with random values"},
    {"seed", ANY_RUN, COUNT, "N", FIELD(seed), "seed of random values (0)"},
    {"dim", ANY_MODEL, LIST, "NAME=N", FIELD(dims),
     "size of a symbolic dimension; INPUT[AXIS]=N where it has no name"},
    {"output", CLI_VERB_RUN, LIST, "NAME=FILE", FIELD(outputs),
     "write an output to a .npy or .json file instead of printing it"},
    {"topk", CLI_VERB_RUN, COUNT, "K", FIELD(topk), "print the K largest scores of each row"},
    {"labels", CLI_VERB_RUN, TEXT, "FILE", FIELD(labels),
     "names of classes for --topk, one a line"},
    {"threads", ANY_RUN, COUNT, "N", FIELD(threads),
     "threads that compute (the library's default)"},
    {"opt", ANY_MODEL, CHOICE, "0|1|2|3|99", FIELD(opt_level), "graph optimisation level (99)"},
    {"runs", CLI_VERB_BENCH, COUNT, "N", FIELD(runs), "timed runs a round (what fits a second)"},
    {"warmup", CLI_VERB_BENCH, COUNT, "N", FIELD(warmup), "runs after the first, not timed (1)"},
    {"rounds", CLI_VERB_BENCH, COUNT, "N", FIELD(rounds),
     "child processes for each library (1; 5 with --against)"},
    {"profile", CLI_VERB_BENCH, FLAG, NULL, FIELD(profile),
     "then time operators with the library's profiler and keep its trace"},
    {"by", CLI_VERB_BENCH, WORD, "kernel|operator|step", FIELD(by),
     "what has a row of the profile (kernel)"},
    {"rows", CLI_VERB_BENCH, COUNT, "N", FIELD(rows), "rows of the profile (20; 0: all)"},
    {"tolerance", CLI_VERB_DIFF, REAL, "X", FIELD(tolerance),
     "largest difference allowed, as a part of an output's largest magnitude (1e-3)"},
    {"allow-constant", CLI_VERB_DIFF, FLAG, NULL, FIELD(allow_constant),
     "compare even a model whose outputs do not depend on its inputs"},
    {"memory", CLI_VERB_INSPECT, FLAG, NULL, FIELD(memory),
     "run once on zeros, and show the memory that a run takes; --dim and --input do too"},
    {"verbose", CLI_VERB_INSPECT, FLAG, NULL, FIELD(verbose), "list every node with its kernel"},
    {"json", CLI_VERB_INSPECT | CLI_VERB_INFO, FLAG, NULL, FIELD(json), "print JSON"},
};
enum { OPTION_COUNT = sizeof options / sizeof options[0] };

static const struct option *find_option(const cli_verb *verb, const char *name, size_t length) {
  for (size_t i = 0; i < OPTION_COUNT; i++)
    if ((options[i].verbs & verb->bit) && strlen(options[i].name) == length &&
        strncmp(options[i].name, name, length) == 0)
      return &options[i];
  return NULL;
}

static cli_status *unknown_option(cli_arena *arena, const cli_verb *verb, const char *word) {
  const char *names[OPTION_COUNT];
  size_t count = 0;
  for (size_t i = 0; i < OPTION_COUNT; i++)
    if (options[i].verbs & verb->bit) names[count++] = cli_print(arena, "--%s", options[i].name);
  return cli_fail(CLI_USAGE, "'%s' takes no option '%s'%s; see 'tern help %s'", verb->name, word,
                  cli_suggest(arena, word, names, count), verb->name);
}

static void append(cli_arena *arena, cli_list *list, const char *item) {
  const char **items = cli_arena_array(arena, list->count + 1, sizeof *items);
  if (list->count) memcpy(items, list->items, list->count * sizeof *items);
  items[list->count++] = item;
  list->items = items;
}

static bool is_choice(cli_arena *arena, const char *choices, const char *word) {
  char **pieces;
  size_t count = cli_split(arena, choices, '|', &pieces);
  for (size_t i = 0; i < count; i++)
    if (strcmp(pieces[i], word) == 0) return true;
  return false;
}

static cli_status *store_value(cli_arena *arena, const struct option *option, const char *word,
                               cli_request *request) {
  void *field = (char *)request + option->offset;
  bool right = true;
  switch (option->kind) {
  case FLAG:
    *(bool *)field = true;
    break;
  case TEXT:
    *(const char **)field = word;
    break;
  case LIST:
    append(arena, field, word);
    break;
  case COUNT:
    right = cli_parse_unsigned(word, field);
    break;
  case REAL:
    right = cli_parse_real(word, field) && *(double *)field >= 0;
    break;
  case CHOICE:
    right = is_choice(arena, option->value, word) && cli_parse_unsigned(word, field);
    break;
  case WORD:
    right = is_choice(arena, option->value, word);
    *(const char **)field = word;
    break;
  }
  if (right) return NULL;
  bool is_listed = option->kind == CHOICE || option->kind == WORD;
  const char *expected = is_listed              ? option->value
                         : option->kind == REAL ? "a number of 0 or more"
                                                : "a whole number";
  return cli_fail(CLI_USAGE, "--%s expects %s, not '%s'", option->name, expected, word);
}

// Takes the option at words[*at], and its value, which follows '=' or is the next word.
static cli_status *parse_option(cli_arena *arena, const cli_verb *verb, int count,
                                char *const *words, int *at, cli_request *request) {
  const char *word = words[*at], *name = word + 2, *equals = strchr(name, '=');
  size_t length = equals ? (size_t)(equals - name) : strlen(name);
  const struct option *option = find_option(verb, name, length);
  if (!option) return unknown_option(arena, verb, cli_copy(arena, word, length + 2));
  const char *value = equals ? equals + 1 : NULL;
  if (option->kind == FLAG && value)
    return cli_fail(CLI_USAGE, "--%s takes no value", option->name);
  if (option->kind != FLAG && !value) {
    if (*at + 1 == count || cli_starts(words[*at + 1], "--"))
      return cli_fail(CLI_USAGE, "--%s expects a value: --%s %s", option->name, option->name,
                      option->value);
    value = words[++*at];
  }
  return store_value(arena, option, value, request);
}

cli_status *cli_parse(cli_arena *arena, const cli_verb *verb, int count, char *const *words,
                      cli_request *out_request) {
  cli_request request = {
      .opt_level = 99, .warmup = 1, .tolerance = 1e-3, .by = "kernel", .rows = 20};
  bool options_end = false;
  for (int at = 0; at < count; at++) {
    const char *word = words[at];
    if (!options_end && strcmp(word, "--") == 0) {
      options_end = true;
    } else if (!options_end && cli_starts(word, "--")) {
      CLI_TRY(parse_option(arena, verb, count, words, &at, &request));
    } else if (!options_end && word[0] == '-' && word[1]) {
      return unknown_option(arena, verb, word);
    } else if (!verb->operand || request.operand) {
      return cli_fail(CLI_USAGE, "'%s' was not expected; see 'tern help %s'", word, verb->name);
    } else {
      request.operand = word;
    }
  }
  if (verb->operand && verb->operand[0] != '[' && !request.operand)
    return cli_fail(CLI_USAGE, "'%s' expects %s; see 'tern help %s'", verb->name, verb->operand,
                    verb->name);
  *out_request = request;
  return NULL;
}

void cli_print_verb_help(FILE *file, const cli_verb *verb) {
  bool any = false;
  for (size_t i = 0; i < OPTION_COUNT; i++) any = any || (options[i].verbs & verb->bit);
  fprintf(file, "usage: tern %s%s%s%s\n\n%s\n", verb->name, verb->operand ? " " : "",
          verb->operand ? verb->operand : "", any ? " [OPTION]..." : "", verb->summary);
  if (any) fprintf(file, "\noptions:\n");
  for (size_t i = 0; i < OPTION_COUNT; i++) {
    const struct option *option = &options[i];
    if (!(option->verbs & verb->bit)) continue;
    int width = 22 - (int)strlen(option->name) - 1;
    fprintf(file, "  --%s %-*s %s\n", option->name, width, option->value ? option->value : "",
            option->help);
  }
  if (verb->notes) fprintf(file, "\n%s", verb->notes);
}
