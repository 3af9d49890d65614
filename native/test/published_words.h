// Where an independent tokenizer cuts hard texts by the published expressions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lectern::test {

const std::vector<std::string>& hard_texts();

struct PublishedWords {
  const char* pre_tokenizer;
  std::vector<std::uint32_t> digests;  // of each of the hard texts: FNV-1a of the ends of its words, in bytes, each as four bytes from the lowest
};

const std::vector<PublishedWords>& published_words();

}  // namespace lectern::test
