// The element types of tensors in network files. The block formats of language models are another list: dtype.h. C++17: the CUDA sources
// see this file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lectern {

enum class Element : std::uint8_t { f32, f16, f64, i64, i32, i8, u8, boolean };

constexpr std::size_t bytes_of(Element element) {
  switch (element) {
    case Element::f64:
    case Element::i64: return 8;
    case Element::f32:
    case Element::i32: return 4;
    case Element::f16: return 2;
    case Element::i8:
    case Element::u8:
    case Element::boolean: return 1;
  }
  return 0;
}

constexpr std::string_view name_of(Element element) {
  switch (element) {
    case Element::f32: return "float32";
    case Element::f16: return "float16";
    case Element::f64: return "float64";
    case Element::i64: return "int64";
    case Element::i32: return "int32";
    case Element::i8: return "int8";
    case Element::u8: return "uint8";
    case Element::boolean: return "bool";
  }
  return "?";
}

constexpr bool is_float(Element element) { return element == Element::f32 || element == Element::f16 || element == Element::f64; }

}  // namespace lectern
