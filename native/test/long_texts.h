// Long texts in which a careless tokenizer is slow.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lectern::test {

struct LongText {
  std::string name;
  std::string text;
};

/// Prose, runs of one thing, broken bytes and random text, of at least `bytes` bytes each and the same in every run.
std::vector<LongText> long_texts(std::size_t bytes);

}  // namespace lectern::test
