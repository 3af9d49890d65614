// Reads the wire format of protocol buffers, forward and within bounds. It knows no message types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "error.h"

namespace lectern::onnx {

[[noreturn]] inline void refuse(const std::string& what) { throw Error(ErrorCode::invalid_model, "The network file is damaged: " + what + "."); }

/// One field of a message: a number (varint, 32 or 64 bits) or bytes.
struct Field {
  std::uint32_t number = 0;
  bool is_bytes = false;
  int width = 0;           // bytes of a number: 4, 8, or 0 for a varint
  std::uint64_t value = 0;
  std::span<const std::byte> bytes;

  /// Each throws Error `invalid_model` if the field has the other kind.
  std::int64_t integer() const;
  float number32() const;
  std::string_view text() const;
  std::span<const std::byte> message() const;
};

class Wire {
 public:
  explicit Wire(std::span<const std::byte> message) : rest_(message) {}

  /// False at the end. Throws Error `invalid_model` for bytes that are not a field.
  bool next(Field& field);
  bool done() const { return rest_.empty(); }
  std::uint64_t varint();
  std::uint64_t fixed(int width);

 private:
  std::span<const std::byte> rest_;
};

/// Calls add(integer) for each element of a repeated varint field, packed or not.
template <class Add>
void each_integer(const Field& field, Add&& add) {
  if (!field.is_bytes) return add(field.integer());
  for (Wire packed(field.bytes); !packed.done();) add(static_cast<std::int64_t>(packed.varint()));
}

/// Calls add(bits) for each element of a repeated field of fixed width, packed or not.
template <class Add>
void each_fixed(const Field& field, int width, Add&& add) {
  if (!field.is_bytes) {
    if (field.width != width) refuse("a number has the wrong width");
    return add(field.value);
  }
  for (Wire packed(field.bytes); !packed.done();) add(packed.fixed(width));
}

}  // namespace lectern::onnx
