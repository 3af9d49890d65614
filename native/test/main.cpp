// native_test: every test of the native half, without Node.
#include <cstdio>
#include <cstring>
#include <string>

#include "harness.h"
#include "options.h"

int main(int count, char** arguments) {
  std::string filter;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(arguments[i], "--filter") == 0 && i + 1 < count) {
      filter = arguments[++i];
    } else if (std::strcmp(arguments[i], "--llm-pack") == 0 && i + 1 < count) {
      lectern::test::options().llm_pack = arguments[++i];
    } else if (std::strcmp(arguments[i], "--tokenizer-pack") == 0 && i + 1 < count) {
      lectern::test::options().tokenizer_pack = arguments[++i];
    } else {
      std::fprintf(stderr,
                   "usage: native_test [--filter TEXT] [--llm-pack DIR] [--tokenizer-pack DIR]\n"
                   "  --filter    runs the tests whose title contains TEXT\n"
                   "  --llm-pack  checks language models against DIR/models and DIR/expected\n"
                   "  --tokenizer-pack  checks tokenizers against DIR/*.json and the vocabularies they name\n");
      return 2;
    }
  }
  return lectern::test::run(filter);
}
