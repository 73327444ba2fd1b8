// Saves a model as a session leaves it after optimisation:
//   save_model LIBRARY MODEL LEVEL SAVED [KEY VALUE]..
// KEY VALUE are config entries of the session. export.py beside this file judges what is saved.
#include <stdlib.h>

#include "support/ort.h"

int main(int argc, char **argv) {
  if (argc < 5) test_fail("save_model LIBRARY MODEL LEVEL SAVED [KEY VALUE]..");
  test_session_options options = {.level = atoi(argv[3]),
                                  .threads = 1,
                                  .saved = argv[4],
                                  .config = (const char *const *)argv + 5};
  test_session session = test_session_open(test_ort_load(argv[1]), argv[2], options);
  test_session_close(&session);
  return 0;
}
