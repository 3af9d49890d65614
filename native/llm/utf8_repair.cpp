#include "llm/utf8_repair.h"

namespace lectern::llm {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

}  // namespace

void Utf8Repair::push(std::string_view bytes, std::string& out) {
  for (const char character : bytes) {
    const auto byte = static_cast<std::uint8_t>(character);
    if (missing_ > 0 && (byte < least_ || byte > most_)) finish(out);
    if (missing_ == 0) {
      begin(byte, out);
      continue;
    }
    least_ = 0x80;
    most_ = 0xBF;
    begun_.push_back(character);
    if (--missing_ > 0) continue;
    out += begun_;
    begun_.clear();
  }
}

void Utf8Repair::begin(std::uint8_t byte, std::string& out) {
  if (byte < 0x80U) {
    out.push_back(static_cast<char>(byte));
    return;
  }
  if (byte < 0xC2U || byte > 0xF4U) {
    out += replacement;
    return;
  }
  missing_ = byte < 0xE0U ? 1 : byte < 0xF0U ? 2 : 3;
  // Overlong forms, surrogates and what lies beyond U+10FFFF show in the second byte.
  least_ = byte == 0xE0U ? 0xA0 : byte == 0xF0U ? 0x90 : 0x80;
  most_ = byte == 0xEDU ? 0x9F : byte == 0xF4U ? 0x8F : 0xBF;
  begun_.push_back(static_cast<char>(byte));
}

void Utf8Repair::finish(std::string& out) {
  if (missing_ > 0) out += replacement;
  begun_.clear();
  missing_ = 0;
}

}  // namespace lectern::llm
