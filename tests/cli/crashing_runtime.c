// A library that ends the process at the first call, as a faulty one may.
#include <stdlib.h>

#include "onnxruntime_c_api.h"

__attribute__((visibility("default"))) const OrtApiBase *OrtGetApiBase(void) NO_EXCEPTION {
  abort();
}
