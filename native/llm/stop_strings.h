// Strings that end a text, matched byte by byte as it grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lectern::llm {

/// Every string at once, each by its failure table (Knuth, Morris, Pratt, 1977): a byte costs a few steps a string, whatever they are.
class StopStrings {
 public:
  static constexpr std::size_t none = SIZE_MAX;

  /// Throws Error `invalid_request` for an empty string, for more than 1,024 of them or one beyond 4,096 bytes. What is no UTF-8 in
  /// them becomes U+FFFD, as it does in the text.
  explicit StopStrings(std::vector<std::string> strings);

  bool empty() const { return strings_.empty(); }
  const std::string& string(std::size_t index) const { return strings_[index]; }

  /// The string that ends with this byte, of several the longest; or none. Not to be called after one was found.
  std::size_t push(char byte);
  /// The longest end of the text with which a string could begin, in bytes.
  std::size_t begun() const { return begun_; }

 private:
  void make_tables();

  std::vector<std::string> strings_;
  std::vector<std::uint16_t> matched_;              // by string: how much of it the text ends with
  std::vector<std::vector<std::uint16_t>> shorter_;  // (string, matched bytes) -> the next shorter beginning that the text ends with
  std::size_t begun_ = 0;
};

}  // namespace lectern::llm
