// The keys of one architecture in a model file, with bounds for what they may say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "error.h"
#include "gguf/metadata.h"

namespace lectern::llm {

// Far above any real model, and low enough that no product of two of them leaves 64 bits, nor of any one with 4 an int.
constexpr std::uint64_t most_layers = 1024;
constexpr std::uint64_t most_heads = 1024;
constexpr std::uint64_t most_head_size = 1024;
constexpr std::uint64_t most_width = 1U << 20;
constexpr std::uint64_t most_vocabulary = 1U << 24;
constexpr std::uint64_t most_context = 1U << 24;
constexpr std::uint64_t most_experts = 1024;

[[noreturn]] inline void refuse(const std::string& sentence) { throw Error(ErrorCode::invalid_model, sentence); }

class Keys {
 public:
  Keys(const gguf::Metadata& metadata, std::string_view architecture) : metadata_(metadata), prefix_(std::string(architecture) + ".") {}

  std::string key(std::string_view name) const { return prefix_ + std::string(name); }

  /// At least 1.
  int count(std::string_view name, std::uint64_t most) const {
    const std::uint64_t number = metadata_.get_unsigned(key(name), most);
    if (number == 0) refuse("The model file's key \"" + key(name) + "\" is 0.");
    return static_cast<int>(number);
  }
  int count_or(std::string_view name, std::uint64_t most, int otherwise) const {
    return metadata_.has(key(name)) ? count(name, most) : otherwise;
  }
  double number_or(std::string_view name, double least, double most, double otherwise) const {
    const std::optional<double> number = metadata_.find_number(key(name));
    if (!number) return otherwise;
    if (!(*number >= least && *number <= most)) {
      refuse("The model file's key \"" + key(name) + "\" is " + std::to_string(*number) + ", outside of " + std::to_string(least) + " to " +
             std::to_string(most) + ".");
    }
    return *number;
  }
  /// A number above 0, or what stands for none: 0, or an absent key.
  double positive_or(std::string_view name, double most, double otherwise) const {
    const double number = number_or(name, 0, most, 0);
    return number > 0 ? number : otherwise;
  }
  bool has(std::string_view name) const { return metadata_.has(key(name)); }
  /// A list of truths or of whole numbers, of which 0 is false; nothing where the key is absent or no list.
  std::optional<std::vector<bool>> truths(std::string_view name) const {
    const auto found = metadata_.all().find(key(name));
    if (found == metadata_.all().end() || !std::holds_alternative<gguf::Array>(found->second)) return std::nullopt;
    const auto numbers = metadata_.find_integers(key(name));
    return std::vector<bool>(numbers->begin(), numbers->end());
  }
  std::string text_or(std::string_view name, std::string_view otherwise) const {
    return std::string(metadata_.find_string(key(name)).value_or(otherwise));
  }
  const gguf::Metadata& metadata() const { return metadata_; }

 private:
  const gguf::Metadata& metadata_;
  std::string prefix_;
};

}  // namespace lectern::llm
