#include "tokenizer_bench.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>
#include <string>
#include <unordered_set>
#include <vector>

#include "gguf/model_file.h"
#include "grammar_vocabulary.h"
#include "long_texts.h"

namespace lectern::test {
namespace {

constexpr std::size_t vocabulary_size = 100'000;

/// Merges as training makes them: every one joins two tokens that were there before it. Letters, blanks and signs, the pairs of letters first.
std::string byte_pair_file() {
  std::vector<MadeToken> tokens;
  for (int byte = 0; byte < 256; byte++) tokens.push_back({byte_level_text(std::string(1, static_cast<char>(byte)))});
  std::vector<std::string> merges;
  std::unordered_set<std::string> known;
  const auto merge = [&](const std::string& left, const std::string& right) {
    if (!known.insert(left + right).second) return false;
    tokens.push_back({byte_level_text(left + right)});
    merges.push_back(byte_level_text(left) + " " + byte_level_text(right));
    return true;
  };
  for (const char* run : {" ", "=", "\n", "'", "7", "a"}) {
    for (std::string token = run; token.size() < 64; token += token) merge(token, token);
  }
  std::vector<std::string> words;
  for (char left = 'a'; left <= 'z'; left++) {
    const std::string letter(1, left);
    if (merge(" ", letter)) words.push_back(" " + letter);
    for (char right = 'a'; right <= 'z'; right++) {
      const std::string next(1, right);
      if (merge(letter, next)) words.push_back(letter + next);
    }
  }
  std::mt19937 random(1);
  while (tokens.size() < vocabulary_size) {
    const std::string left = words[random() % words.size()];
    // A pair before anything longer: that is how texts of random letters find most of the merges.
    const std::string right = random() % 2 == 0 ? std::string(1, static_cast<char>('a' + random() % 26)) : words[random() % 700];
    if (left.size() + right.size() <= 12 && right.front() != ' ' && merge(left, right)) words.push_back(left + right);
  }
  GgufWriter file;
  file.key("tokenizer.ggml.model", "gpt2").key("tokenizer.ggml.pre", "llama-bpe").list("tokenizer.ggml.merges", merges);
  return add_tokens(file, tokens).bytes();
}

void print_rows(const llm::Tokenizer& tokenizer) {
  for (const LongText& text : long_texts(1'000'000)) {
    double best = 1e9;
    std::size_t count = 0;
    for (int run = 0; run < 5; run++) {
      const std::clock_t start = std::clock();
      count = tokenizer.encode(text.text, {}).size();
      best = std::min(best, static_cast<double>(std::clock() - start) * 1e3 / CLOCKS_PER_SEC);
    }
    std::printf("tokenizer, %-20s best %7.2f ms per MB  %8zu tokens\n", text.name.c_str(), best * 1e6 / static_cast<double>(text.text.size()), count);
  }
}

}  // namespace

void bench_tokenizer() {
  const OwnedTokenizer tokenizer(byte_pair_file());
  print_rows(*tokenizer);
}

void bench_tokenizer_of(const char* model_file) {
  const gguf::ModelFile file(model_file);
  print_rows(llm::Tokenizer(file.metadata()));
}

}  // namespace lectern::test
