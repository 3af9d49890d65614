// Turns bytes that arrive in parts into valid UTF-8 of whole characters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lectern::llm {

/// Holds the bytes of an incomplete character until the rest arrives. Bytes that belong to no character become U+FFFD, one for each longest run of bytes that
/// could begin a character (WHATWG Encoding, UTF-8 decoder; the Unicode Standard, section 3.9).
class Utf8Repair {
 public:
  /// Appends all characters that are complete after `bytes` to `out`.
  void push(std::string_view bytes, std::string& out);
  /// To be called after the last bytes: appends U+FFFD where a character is incomplete.
  void finish(std::string& out);
  /// Whether an incomplete character is held.
  bool waits() const { return !begun_.empty(); }

 private:
  void begin(std::uint8_t byte, std::string& out);

  std::string begun_;
  int missing_ = 0;
  // The range of the next byte.
  std::uint8_t least_ = 0x80;
  std::uint8_t most_ = 0xBF;
};

}  // namespace lectern::llm
