// The vocabulary of a model file, opened alone: how many tokens texts have. No weights are read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cancel.h"
#include "gguf/model_file.h"
#include "llm/tokenizer/tokenizer.h"

namespace lectern {

/// Keeps the vocabulary of the last call: opening one of 150,000 tokens takes longer than counting a book. One thread at a time.
class TokenCounter {
 public:
  /// The number of tokens of each text, without begin and end tokens; the texts of control tokens are text. `path` names the model's (first) file.
  /// Throws Error `model_not_found`, `invalid_model` (also for a vocabulary of a kind that is not supported) and `cancelled`.
  std::vector<std::uint32_t> count(const std::string& path, const std::vector<std::string>& texts, const Cancel& cancel);

 private:
  struct Opened {
    explicit Opened(const std::string& path) : file(path), tokenizer(file.metadata()) {}
    gguf::ModelFile file;  // the vocabulary's texts lie in it
    llm::Tokenizer tokenizer;
  };

  const Opened& open(const std::string& path);

  std::string path_;
  std::unique_ptr<Opened> opened_;
};

}  // namespace lectern
