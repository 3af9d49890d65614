#include "tensor/code_books.h"

#include <bit>
#include <cstring>

#include "tensor/code_book_tables.h"
#include "tensor/half.h"

namespace lectern {
namespace {

// What the numbers in an entry stand for.
constexpr std::int8_t values_of_two_bits[4] = {8, 25, 43, 0};
constexpr std::int8_t values_of_iq3_xxs[8] = {4, 12, 20, 28, 36, 44, 52, 62};
constexpr std::int8_t values_of_iq3_s[8] = {1, 3, 5, 7, 9, 11, 13, 15};

std::uint32_t u16_at(const std::uint8_t* bytes) { return static_cast<std::uint32_t>(bytes[0]) | static_cast<std::uint32_t>(bytes[1]) << 8; }
std::uint32_t u32_at(const std::uint8_t* bytes) { return u16_at(bytes) | u16_at(bytes + 2) << 16; }

/// The signs of eight elements, of which seven bits are stored: an even number of them are negative.
std::uint32_t even_signs(std::uint32_t seven) { return seven | static_cast<std::uint32_t>(std::popcount(seven) & 1) << 7; }

/// Elements of an entry, `bits` each, bit i of `signs` being the sign of element i.
void put_entry(std::uint32_t entry, int count, int bits, const std::int8_t* values, std::uint32_t signs, std::int8_t* v) {
  for (int i = 0; i < count; i++) {
    const std::int8_t value = values[(entry >> (bits * i)) & ((1U << bits) - 1)];
    v[i] = static_cast<std::int8_t>(((signs >> i) & 1U) != 0 ? -value : value);
  }
}

/// The scale of a number of three or four bits.
std::int8_t odd(std::uint32_t number) { return static_cast<std::int8_t>(2 * number + 1); }

void read_iq2_xxs(const std::uint8_t* block, CodeBlock& out) {
  out.d = static_cast<f16_bits>(u16_at(block));
  for (int b = 0; b < 8; b++) {
    const std::uint8_t* eight = block + 2 + 8 * b;
    const std::uint32_t rest = u32_at(eight + 4);
    out.scales[2 * b] = out.scales[2 * b + 1] = odd(rest >> 28);
    for (int l = 0; l < 4; l++) put_entry(iq2_xxs_entries[eight[l]], 8, 2, values_of_two_bits, even_signs((rest >> (7 * l)) & 127U), out.v + 32 * b + 8 * l);
  }
}

void read_iq2_xs(const std::uint8_t* block, CodeBlock& out) {
  out.d = static_cast<f16_bits>(u16_at(block));
  const std::uint8_t* scales = block + 66;
  for (int s = 0; s < 16; s++) out.scales[s] = odd((static_cast<std::uint32_t>(scales[s / 2]) >> (4 * (s % 2))) & 15U);
  for (int g = 0; g < 32; g++) {
    const std::uint32_t word = u16_at(block + 2 + 2 * g);
    put_entry(iq2_xs_entries[word & 511U], 8, 2, values_of_two_bits, even_signs(word >> 9), out.v + 8 * g);
  }
}

void read_iq2_s(const std::uint8_t* block, CodeBlock& out) {
  out.d = static_cast<f16_bits>(u16_at(block));
  const std::uint8_t* low = block + 2;
  const std::uint8_t* signs = block + 34;
  const std::uint8_t* high = block + 66;
  const std::uint8_t* scales = block + 74;
  for (int s = 0; s < 16; s++) out.scales[s] = odd((static_cast<std::uint32_t>(scales[s / 2]) >> (4 * (s % 2))) & 15U);
  for (int g = 0; g < 32; g++) {
    const std::uint32_t entry = low[g] | ((static_cast<std::uint32_t>(high[g / 4]) >> (2 * (g % 4))) & 3U) << 8;
    put_entry(iq2_s_entries[entry], 8, 2, values_of_two_bits, signs[g], out.v + 8 * g);
  }
}

void read_iq3_xxs(const std::uint8_t* block, CodeBlock& out) {
  out.d = static_cast<f16_bits>(u16_at(block));
  for (int b = 0; b < 8; b++) {
    const std::uint32_t rest = u32_at(block + 66 + 4 * b);
    out.scales[2 * b] = out.scales[2 * b + 1] = odd(rest >> 28);
    for (int l = 0; l < 4; l++) {
      const std::uint32_t signs = even_signs((rest >> (7 * l)) & 127U);
      const std::uint8_t* two = block + 2 + 8 * b + 2 * l;
      put_entry(iq3_xxs_entries[two[0]], 4, 3, values_of_iq3_xxs, signs, out.v + 32 * b + 8 * l);
      put_entry(iq3_xxs_entries[two[1]], 4, 3, values_of_iq3_xxs, signs >> 4, out.v + 32 * b + 8 * l + 4);
    }
  }
}

void read_iq3_s(const std::uint8_t* block, CodeBlock& out) {
  out.d = static_cast<f16_bits>(u16_at(block));
  const std::uint8_t* low = block + 2;
  const std::uint8_t* high = block + 66;
  const std::uint8_t* signs = block + 74;
  const std::uint8_t* scales = block + 106;
  for (int b = 0; b < 8; b++) out.scales[2 * b] = out.scales[2 * b + 1] = odd((static_cast<std::uint32_t>(scales[b / 2]) >> (4 * (b % 2))) & 15U);
  for (int g = 0; g < 64; g++) {
    const std::uint32_t entry = low[g] | ((static_cast<std::uint32_t>(high[g / 8]) >> (g % 8)) & 1U) << 8;
    put_entry(iq3_s_entries[entry], 4, 3, values_of_iq3_s, static_cast<std::uint32_t>(signs[g / 2]) >> (4 * (g % 2)), out.v + 4 * g);
  }
}

/// Eight times an entry of -1, 0 and 1, each plus or minus 1/8.
void put_shifted(std::uint32_t entry, bool less, std::int8_t* v) {
  for (int i = 0; i < 8; i++) v[i] = static_cast<std::int8_t>(8 * (static_cast<int>((entry >> (2 * i)) & 3U) - 1) + (less ? -1 : 1));
}

void read_iq1_s(const std::uint8_t* block, CodeBlock& out) {
  out.d = static_cast<f16_bits>(u16_at(block));
  for (int b = 0; b < 8; b++) {
    const std::uint32_t high = u16_at(block + 34 + 2 * b);
    out.scales[2 * b] = out.scales[2 * b + 1] = odd((high >> 12) & 7U);
    for (int l = 0; l < 4; l++) {
      const std::uint32_t entry = block[2 + 4 * b + l] | ((high >> (3 * l)) & 7U) << 8;
      put_shifted(iq1_entries[entry], (high & 0x8000U) != 0, out.v + 32 * b + 8 * l);
    }
  }
}

void read_iq1_m(const std::uint8_t* block, CodeBlock& out) {
  const std::uint8_t* high = block + 32;
  const std::uint8_t* scales = block + 48;
  // The top four bits of each of the four words are the scale of the block.
  std::uint32_t d = 0;
  for (int w = 0; w < 4; w++) d |= (u16_at(scales + 2 * w) >> 12) << (4 * w);
  out.d = static_cast<f16_bits>(d);
  for (int s = 0; s < 16; s++) out.scales[s] = odd((u16_at(scales + 2 * (s / 4)) >> (3 * (s % 4))) & 7U);
  for (int g = 0; g < 32; g++) {
    const std::uint32_t nibble = static_cast<std::uint32_t>(high[g / 2]) >> (4 * (g % 2));
    put_shifted(iq1_entries[block[g] | (nibble & 7U) << 8], (nibble & 8U) != 0, out.v + 8 * g);
  }
}

void write_indices(const CodeBlock& code, BlockIndices2& out) {
  out.d = code.d;
  std::memcpy(out.scales, code.scales, sizeof out.scales);
  for (int i = 0; i < 128; i++) {
    const int low = code_index(DType::iq2_s, code.v[32 * (i / 16) + i % 16]);
    const int high = code_index(DType::iq2_s, code.v[32 * (i / 16) + i % 16 + 16]);
    out.qs[i] = static_cast<std::uint8_t>(low | high << 4);
  }
}

/// The values of IQ3_XXS are halved: 62 becomes 31, the largest of six bits.
void write_q6_k(DType dtype, const CodeBlock& code, BlockQ6_K& out) {
  const bool halved = dtype == DType::iq3_xxs;
  out = {};
  out.d = f16_from_float(float_from_f16(code.d) * code_factor(dtype) * (halved ? 2.0F : 1.0F));
  std::memcpy(out.scales, code.scales, sizeof out.scales);
  for (int e = 0; e < 256; e++) {
    const int q = code.v[e] / (halved ? 2 : 1) + 32;
    const int half = e / 128;
    const int group = e % 128 / 32;
    const int l = e % 32;
    std::uint8_t& low = out.ql[64 * half + 32 * (group % 2) + l];
    std::uint8_t& high = out.qh[32 * half + l];
    low = static_cast<std::uint8_t>(low | (q & 15) << (4 * (group / 2)));
    high = static_cast<std::uint8_t>(high | (q >> 4) << (2 * group));
  }
}

}  // namespace

int code_index(DType dtype, int v) {
  const int size = v < 0 ? -v : v;
  const int sign = v < 0 ? 8 : 0;
  switch (dtype) {
    case DType::iq3_s: return sign + size / 2;
    case DType::iq3_xxs: return sign + (size == 62 ? 7 : size / 8);
    case DType::iq1_s:
    case DType::iq1_m: return sign + (size == 1 ? 0 : size == 7 ? 1 : 2);
    default: return sign + (size == 8 ? 0 : size == 25 ? 1 : 2);
  }
}

void read_code_block(DType dtype, const void* block, CodeBlock& out) {
  const auto* bytes = static_cast<const std::uint8_t*>(block);
  switch (dtype) {
    case DType::iq1_s: return read_iq1_s(bytes, out);
    case DType::iq1_m: return read_iq1_m(bytes, out);
    case DType::iq2_xxs: return read_iq2_xxs(bytes, out);
    case DType::iq2_xs: return read_iq2_xs(bytes, out);
    case DType::iq2_s: return read_iq2_s(bytes, out);
    case DType::iq3_xxs: return read_iq3_xxs(bytes, out);
    case DType::iq3_s: return read_iq3_s(bytes, out);
    default: break;
  }
  out = {};
}

void transcode(DType dtype, const void* source, std::int64_t elements, void* out) {
  const auto* from = static_cast<const std::uint8_t*>(source);
  auto* to = static_cast<std::uint8_t*>(out);
  const auto bytes = static_cast<std::size_t>(info_of(dtype).block_bytes);
  CodeBlock code;
  for (std::int64_t i = 0; i < elements / 256; i++, from += bytes) {
    read_code_block(dtype, from, code);
    if (code_factor(dtype) == 0.125F && dtype != DType::iq1_s && dtype != DType::iq1_m) {
      BlockIndices2 indices;
      write_indices(code, indices);
      std::memcpy(to, &indices, sizeof indices);
      to += sizeof indices;
    } else {
      BlockQ6_K block;
      write_q6_k(dtype, code, block);
      std::memcpy(to, &block, sizeof block);
      to += sizeof block;
    }
  }
}

}  // namespace lectern
