// The table of verbs, and the way from argv to an exit code.
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "text.h"
#include "verbs.h"

static const char run_notes[] =
    "SPEC is one of\n"
    "  FILE.npy, FILE.npz, FILE.pb   an array; of a .npz the member named as the input, or its "
    "only\n"
    "                                one, or that of FILE.npz?key=NAME; .pb is a TensorProto\n"
    "  FILE.png, .jpg, .pgm, .ppm    an image; options follow '?', separated by '&':\n"
    "      size=N|WxH                  size it gets (that of the input, or its own)\n"
    "      resize=stretch|crop|pad     how it gets there (stretch)\n"
    "      channels=rgb|bgr|gray       (rgb, or gray where the input has one channel)\n"
    "      layout=nchw|nhwc|chw|hwc|hw (by the input's shape)\n"
    "      scale=X|A/B                 factor of samples from 0 to 255 (1/255 for floats, else 1)\n"
    "      mean=A,B,C  std=A,B,C       then (sample - mean) / std, one number or one a channel\n"
    "  FILE.json, json:[[1,2],[3,4]] nested arrays\n"
    "  1,2,3                         numbers, or texts, that fill the shape in order\n"
    "  text:WORDS                    the same, for texts that look like something else\n"
    "  random[:SHAPE[:LOW:HIGH]]     SHAPE like 1x3x224x224, or empty for the input's own; floats\n"
    "                                from [0, 1), integers from [0, 10), unless LOW and HIGH are "
    "given\n"
    "  zeros[:SHAPE], ones[:SHAPE]\n"
    "npy:, npz:, pb: or image: before a path says what it is where its ending does not.\n"
    "Numbers are converted to the input's type where they fit it.\n";

static const char bench_notes[] =
    "Inputs not given are random, and free dimensions without a size are 1; specs of --input are\n"
    "those of 'tern help run'. Every round is a process of its own, and with --against the two\n"
    "libraries take turns. Times are those of all rounds together; of load and first run the "
    "median\n"
    "of the rounds; memory is the largest resident set of a round's process.\n";

static const char diff_notes[] = "Both libraries get the same inputs, in processes of their own, "
                                 "for --seed and the seed after it;\n"
                                 "inputs not given are random, and free dimensions without a size "
                                 "are 1. An output differs when the\n"
                                 "largest difference of two elements is more than --tolerance "
                                 "times the largest magnitude of the\n"
                                 "output of --against. When no output moves by more than ten "
                                 "tolerances between the two seeds, the\n"
                                 "verdict is 'refused': such a model would agree with anything.\n";

static cli_status *help(cli_arena *arena, const cli_request *request);

static const cli_verb verbs[] = {
    {"run", CLI_VERB_RUN, "MODEL", "Run a model once and show or write its outputs.", run_notes,
     cli_run},
    {"inspect", CLI_VERB_INSPECT, "MODEL", "Show what a model takes, gives, costs and is run by.",
     NULL, cli_inspect},
    {"bench", CLI_VERB_BENCH, "MODEL", "Time a model, alone or against another library.",
     bench_notes, cli_bench},
    {"diff", CLI_VERB_DIFF, "MODEL", "Compare a model's outputs with those of another library.",
     diff_notes, cli_diff},
    {"info", CLI_VERB_INFO, NULL, "Show which runtime library is used, and what it offers.", NULL,
     cli_info},
    {"help", CLI_VERB_HELP, "[VERB]", "Explain the command line, or one verb.", NULL, help},
};
enum { VERB_COUNT = sizeof verbs / sizeof verbs[0] };

static const char exit_codes[] = "exit codes:\n"
                                 "  0  it worked; of diff, the outputs are the same\n"
                                 "  1  it failed; of diff, or the outputs differ\n"
                                 "  2  the command line is wrong\n"
                                 "  3  diff refused: the outputs do not depend on the inputs\n"
                                 "  4  a library crashed\n";

static void print_overview(FILE *file) {
  fprintf(file, "usage: tern VERB [MODEL] [OPTION]...\n\nRun, time and compare ONNX models.\n\n"
                "verbs:\n");
  for (size_t i = 0; i < VERB_COUNT; i++)
    fprintf(file, "  %-8s  %s\n", verbs[i].name, verbs[i].summary);
  fprintf(file, "\n%s\n'tern help VERB' explains a verb; 'tern --version' says which this is.\n",
          exit_codes);
}

static cli_status *find_verb(cli_arena *arena, const char *name, const cli_verb **out_verb) {
  const char *names[VERB_COUNT];
  for (size_t i = 0; i < VERB_COUNT; i++) {
    names[i] = verbs[i].name;
    if (strcmp(names[i], name) != 0) continue;
    *out_verb = &verbs[i];
    return NULL;
  }
  return cli_fail(CLI_USAGE, "no verb '%s'%s; there are %s", name,
                  cli_suggest(arena, name, names, VERB_COUNT),
                  cli_list_names(arena, names, VERB_COUNT));
}

static cli_status *help(cli_arena *arena, const cli_request *request) {
  if (!request->operand) {
    print_overview(stdout);
    return NULL;
  }
  const cli_verb *verb;
  CLI_TRY(find_verb(arena, request->operand, &verb));
  cli_print_verb_help(stdout, verb);
  return NULL;
}

static cli_status *dispatch(cli_arena *arena, int count, char *const *words) {
  if (count == 0) {
    print_overview(stderr);
    return cli_fail(CLI_USAGE, "a verb is expected");
  }
  if (strcmp(words[0], "--version") == 0) {
    printf("tern %s\n", TERN_VERSION);
    return NULL;
  }
  if (strcmp(words[0], "--help") == 0 || strcmp(words[0], "-h") == 0) {
    print_overview(stdout);
    return NULL;
  }
  const cli_verb *verb;
  CLI_TRY(find_verb(arena, words[0], &verb));
  for (int i = 1; i < count; i++)
    if (strcmp(words[i], "--help") == 0) {
      cli_print_verb_help(stdout, verb);
      return NULL;
    }
  cli_request request;
  CLI_TRY(cli_parse(arena, verb, count - 1, words + 1, &request));
  return verb->run(arena, &request);
}

int main(int count, char **words) {
  cli_arena arena = {0};
  int exit_code = CLI_OK;
  cli_status *status = dispatch(&arena, count ? count - 1 : 0, words + 1);
  // Output that could not be written is a failure of its own.
  if (fflush(stdout) != 0 && !status) status = cli_fail(CLI_FAILED, "cannot write the output");
  if (status) {
    fprintf(stderr, "tern: %s\n", status->message);
    exit_code = (int)status->exit_code;
    cli_status_free(status);
  }
  cli_arena_free(&arena);
  return exit_code;
}
