// What the command line of native_test asks for beside the choice of tests.
#pragma once

#include <string>

namespace lectern::test {

struct Options {
  /// A folder with models/*.gguf and expected/*.json; empty: the one beside the checkout, if it is there.
  std::string llm_pack;
  /// A folder with *.json and the vocabularies that they name; empty: the one beside the checkout, if it is there.
  std::string tokenizer_pack;
};

inline Options& options() {
  static Options chosen;
  return chosen;
}

}  // namespace lectern::test
