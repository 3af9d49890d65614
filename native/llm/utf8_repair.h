// Turns bytes that arrive in pieces into whole and valid UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lectern::llm {

/// An incomplete character waits for its rest. What can be no part of one becomes U+FFFD, one for each longest run of bytes with which a
/// character could have begun (WHATWG Encoding, UTF-8 decoder; the Unicode Standard, section 3.9).
class Utf8Repair {
 public:
  /// Appends what the bytes complete to `out`.
  void push(std::string_view bytes, std::string& out);
  /// No more will come: half a character is U+FFFD.
  void finish(std::string& out);
  /// Whether half a character is held.
  bool waits() const { return !begun_.empty(); }

 private:
  void begin(std::uint8_t byte, std::string& out);

  std::string begun_;
  int missing_ = 0;
  // Where the next byte must lie.
  std::uint8_t least_ = 0x80;
  std::uint8_t most_ = 0xBF;
};

}  // namespace lectern::llm
