#include "onnx/wire.h"

#include <cstring>

namespace lectern::onnx {

std::int64_t Field::integer() const {
  if (is_bytes || width != 0) refuse("field " + std::to_string(number) + " of a message is no integer");
  return static_cast<std::int64_t>(value);
}

float Field::number32() const {
  if (is_bytes || width != 4) refuse("field " + std::to_string(number) + " of a message is no float");
  const auto bits = static_cast<std::uint32_t>(value);
  float result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

std::span<const std::byte> Field::message() const {
  if (!is_bytes) refuse("field " + std::to_string(number) + " of a message is no text or message");
  return bytes;
}

std::string_view Field::text() const {
  const auto content = message();
  return {reinterpret_cast<const char*>(content.data()), content.size()};
}

std::uint64_t Wire::varint() {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 10; i++) {
    if (i >= rest_.size()) refuse("it ends within a number");
    const auto byte = static_cast<std::uint64_t>(rest_[i]);
    value |= (byte & 0x7F) << (7 * i);  // excess bits of the tenth byte are dropped
    if (byte < 0x80) {
      rest_ = rest_.subspan(i + 1);
      return value;
    }
  }
  refuse("a number has no end");
}

std::uint64_t Wire::fixed(int width) {
  const auto bytes = static_cast<std::size_t>(width);
  if (bytes > rest_.size()) refuse("it ends within a number");
  std::uint64_t value = 0;
  std::memcpy(&value, rest_.data(), bytes);
  rest_ = rest_.subspan(bytes);
  return value;
}

bool Wire::next(Field& field) {
  if (rest_.empty()) return false;
  const std::uint64_t tag = varint();
  field = Field{};
  if (tag >> 3 == 0 || tag >> 3 > 0x1FFFFFFF) refuse("a message has a field without a number");
  field.number = static_cast<std::uint32_t>(tag >> 3);
  switch (tag & 7) {
    case 0: field.value = varint(); return true;
    case 1: field.width = 8; field.value = fixed(8); return true;
    case 5: field.width = 4; field.value = fixed(4); return true;
    case 2: {
      const std::uint64_t length = varint();
      if (length > rest_.size()) refuse("field " + std::to_string(field.number) + " of a message runs past its end");
      field.is_bytes = true;
      field.bytes = rest_.first(static_cast<std::size_t>(length));
      rest_ = rest_.subspan(static_cast<std::size_t>(length));
      return true;
    }
    default: refuse("a message has a field of an unknown kind");
  }
}

}  // namespace lectern::onnx
