// Recognises handwritten digits: loads a model, feeds it images, shows each with its answer and the
// probability of every digit. Nothing here is Tern's own: it is ONNX Runtime's C API, and the
// program runs unchanged with either library.
//
//   digits FOLDER      FOLDER/digits.onnx, FOLDER/samples/*.pgm
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnxruntime_c_api.h"

enum { SIDE = 8, PIXELS = SIDE * SIDE, DIGITS = 10, BAR_CELLS = 30, PATH_BYTES = 1024 };

static const OrtApi *api;

static void fail(const char *what, const char *why) {
  fprintf(stderr, "digits: %s: %s\n", what, why);
  exit(1);
}

static void check(OrtStatus *status) {
  if (status) fail("error", api->GetErrorMessage(status));
}

typedef struct image {
  float pixels[PIXELS]; // rows from the top, 0 (paper) to `largest` (ink)
  int largest;
} image;

// Reads a portable graymap as text (P2).
static image read_image(const char *path) {
  image read = {.largest = 0};
  int width = 0, height = 0;
  FILE *file = fopen(path, "r");
  if (!file) fail(path, "cannot be opened");
  bool is_right = fscanf(file, "P2 %d %d %d", &width, &height, &read.largest) == 3 &&
                  width == SIDE && height == SIDE && read.largest > 0;
  for (int i = 0; is_right && i < PIXELS; ++i) is_right = fscanf(file, "%f", &read.pixels[i]) == 1;
  fclose(file);
  if (!is_right) fail(path, "is not an 8 by 8 image as the model takes");
  return read;
}

// Runs the model on one image; `probabilities` receives one number a digit.
static void classify(OrtSession *session, image *input, float probabilities[DIGITS]) {
  static const char *const input_names[] = {"image"}, *const output_names[] = {"probabilities"};
  static const int64_t dims[] = {1, 1, SIDE, SIDE};
  OrtMemoryInfo *cpu;
  OrtValue *tensor, *output = NULL;
  const void *data;
  check(api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &cpu));
  check(api->CreateTensorWithDataAsOrtValue(cpu, input->pixels, sizeof input->pixels, dims, 4,
                                            ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &tensor));
  check(api->Run(session, NULL, input_names, (const OrtValue *const *)&tensor, 1, output_names, 1,
                 &output));
  check(api->GetTensorData(output, &data));
  memcpy(probabilities, data, DIGITS * sizeof *probabilities);
  api->ReleaseValue(output);
  api->ReleaseValue(tensor);
  api->ReleaseMemoryInfo(cpu);
}

// One row of the image, two characters a pixel so that it comes out square.
static void print_row(const image *shown, int row) {
  static const char *const shades[] = {"  ", "░░", "▒▒", "▓▓", "██"};
  for (int column = 0; column < SIDE; ++column) {
    float ink = shown->pixels[row * SIDE + column] / (float)shown->largest;
    int shade = (int)(ink * 4 + 0.5f);
    fputs(shades[shade < 0 ? 0 : shade > 4 ? 4 : shade], stdout);
  }
}

// A bar in eighths of a cell.
static void print_bar(float probability) {
  static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  int length = (int)(probability * BAR_CELLS * 8 + 0.5f);
  for (int i = 0; i < length / 8; ++i) fputs("█", stdout);
  fputs(eighths[length % 8], stdout);
}

static void show(const char *name, const image *shown, const float probabilities[DIGITS],
                 int answer) {
  printf("\n%s: %d\n", name, answer);
  for (int digit = 0; digit < DIGITS; ++digit) {
    bool has_row = digit > 0 && digit <= SIDE;
    if (has_row) print_row(shown, digit - 1);
    printf("%*s  %c %d %5.1f %% ", has_row ? 0 : 2 * SIDE, "", digit == answer ? '>' : ' ', digit,
           100.0 * (double)probabilities[digit]);
    print_bar(probabilities[digit]);
    putchar('\n');
  }
}

static int largest_of(const float probabilities[DIGITS]) {
  int answer = 0;
  for (int digit = 1; digit < DIGITS; ++digit) {
    if (probabilities[digit] > probabilities[answer]) answer = digit;
  }
  return answer;
}

// Classifies every sample; a file is named for the digit that it shows. Returns how many are right.
static size_t run_samples(OrtSession *session, const glob_t *files) {
  size_t right = 0;
  for (size_t i = 0; i < files->gl_pathc; ++i) {
    float probabilities[DIGITS];
    image sample = read_image(files->gl_pathv[i]);
    const char *name = strrchr(files->gl_pathv[i], '/') + 1;
    classify(session, &sample, probabilities);
    int answer = largest_of(probabilities);
    show(name, &sample, probabilities, answer);
    right += answer == name[0] - '0';
  }
  return right;
}

int main(int argc, char **argv) {
  OrtEnv *env;
  OrtSessionOptions *options;
  OrtSession *session;
  glob_t files;
  char path[PATH_BYTES];
  const char *folder = argc > 1 ? argv[1] : ".";
  api = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  if (!api) fail("library", "does not speak this version of the API");

  check(api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "digits", &env));
  check(api->CreateSessionOptions(&options));
  snprintf(path, sizeof path, "%s/digits.onnx", folder);
  check(api->CreateSession(env, path, options, &session));

  snprintf(path, sizeof path, "%s/samples/*.pgm", folder);
  if (glob(path, 0, NULL, &files)) fail(path, "no such files");
  size_t right = run_samples(session, &files);
  printf("\n%zu of %zu right\n", right, files.gl_pathc);

  globfree(&files);
  api->ReleaseSession(session);
  api->ReleaseSessionOptions(options);
  api->ReleaseEnv(env);
  return 0;
}
