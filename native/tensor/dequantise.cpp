#include "tensor/dequantise.h"

#include <cstring>

#include "tensor/blocks.h"
#include "tensor/code_books.h"
#include "tensor/half.h"

namespace lectern {
namespace {

// One overload a block format. Each loop follows the layout comment in blocks.h.

void decode(const BlockQ4_0& block, float* out) {
  const float d = float_from_f16(block.d);
  for (int j = 0; j < 16; j++) {
    out[j] = d * static_cast<float>((block.qs[j] & 15) - 8);
    out[j + 16] = d * static_cast<float>((block.qs[j] >> 4) - 8);
  }
}

void decode(const BlockQ4_1& block, float* out) {
  const float d = float_from_f16(block.d);
  const float m = float_from_f16(block.m);
  for (int j = 0; j < 16; j++) {
    out[j] = d * static_cast<float>(block.qs[j] & 15) + m;
    out[j + 16] = d * static_cast<float>(block.qs[j] >> 4) + m;
  }
}

std::uint32_t fifth_bits(const std::uint8_t (&qh)[4]) {
  std::uint32_t bits;
  std::memcpy(&bits, qh, sizeof bits);
  return bits;
}

int five_bits(const std::uint8_t* qs, std::uint32_t high, int e) {
  const int nibble = e < 16 ? qs[e] & 15 : qs[e - 16] >> 4;
  return nibble | static_cast<int>((high >> e) & 1U) << 4;
}

void decode(const BlockQ5_0& block, float* out) {
  const float d = float_from_f16(block.d);
  const std::uint32_t high = fifth_bits(block.qh);
  for (int e = 0; e < 32; e++) out[e] = d * static_cast<float>(five_bits(block.qs, high, e) - 16);
}

void decode(const BlockQ5_1& block, float* out) {
  const float d = float_from_f16(block.d);
  const float m = float_from_f16(block.m);
  const std::uint32_t high = fifth_bits(block.qh);
  for (int e = 0; e < 32; e++) out[e] = d * static_cast<float>(five_bits(block.qs, high, e)) + m;
}

void decode(const BlockQ8_0& block, float* out) {
  const float d = float_from_f16(block.d);
  for (int e = 0; e < 32; e++) out[e] = d * static_cast<float>(block.qs[e]);
}

void decode(const BlockQ2_K& block, float* out) {
  const float d = float_from_f16(block.d);
  const float dmin = float_from_f16(block.dmin);
  for (int e = 0; e < 256; e++) {
    const int half = e / 128;
    const int r = e % 128;
    const int q = (block.qs[32 * half + r % 32] >> (2 * (r / 32))) & 3;
    const int scale = block.scales[e / 16];
    const float product = d * static_cast<float>(scale & 15) * static_cast<float>(q);
    const float offset = dmin * static_cast<float>(scale >> 4);
    out[e] = product - offset;
  }
}

void decode(const BlockQ3_K& block, float* out) {
  const float d = float_from_f16(block.d);
  for (int e = 0; e < 256; e++) {
    const int half = e / 128;
    const int r = e % 128;
    const int low = (block.qs[32 * half + r % 32] >> (2 * (r / 32))) & 3;
    const bool high = ((block.hmask[r % 32] >> (4 * half + r / 32)) & 1) != 0;
    const float scale = d * static_cast<float>(q3_k_scale(block.scales, e / 16) - 32);
    out[e] = scale * static_cast<float>(high ? low : low - 4);
  }
}

void decode(const BlockQ4_K& block, float* out) {
  const float d = float_from_f16(block.d);
  const float dmin = float_from_f16(block.dmin);
  for (int j = 0; j < 8; j++) {
    const auto [scale, min] = scale_min(block.scales, j);
    const float step = d * static_cast<float>(scale);
    const float offset = dmin * static_cast<float>(min);
    for (int l = 0; l < 32; l++) {
      const int byte = block.qs[32 * (j / 2) + l];
      const int q = j % 2 == 0 ? byte & 15 : byte >> 4;
      out[32 * j + l] = step * static_cast<float>(q) - offset;
    }
  }
}

void decode(const BlockQ5_K& block, float* out) {
  const float d = float_from_f16(block.d);
  const float dmin = float_from_f16(block.dmin);
  for (int j = 0; j < 8; j++) {
    const auto [scale, min] = scale_min(block.scales, j);
    const float step = d * static_cast<float>(scale);
    const float offset = dmin * static_cast<float>(min);
    for (int l = 0; l < 32; l++) {
      const int byte = block.qs[32 * (j / 2) + l];
      const int q = (j % 2 == 0 ? byte & 15 : byte >> 4) + 16 * ((block.qh[l] >> j) & 1);
      out[32 * j + l] = step * static_cast<float>(q) - offset;
    }
  }
}

void decode(const BlockQ6_K& block, float* out) {
  const float d = float_from_f16(block.d);
  for (int e = 0; e < 256; e++) {
    const int half = e / 128;
    const int r = e % 128;
    const int group = r / 32;
    const int l = r % 32;
    const int low = (block.ql[64 * half + 32 * (group % 2) + l] >> (4 * (group / 2))) & 15;
    const int high = (block.qh[32 * half + l] >> (2 * group)) & 3;
    out[e] = d * static_cast<float>(block.scales[e / 16]) * static_cast<float>((low | high << 4) - 32);
  }
}

void decode(const BlockIQ4_NL& block, float* out) {
  const float d = float_from_f16(block.d);
  for (int j = 0; j < 16; j++) {
    out[j] = d * static_cast<float>(iq4_values[block.qs[j] & 15]);
    out[j + 16] = d * static_cast<float>(iq4_values[block.qs[j] >> 4]);
  }
}

void decode(const BlockIQ4_XS& block, float* out) {
  const float d = float_from_f16(block.d);
  for (int b = 0; b < 8; b++) {
    const float scale = d * static_cast<float>(iq4_xs_scale(block, b) - 32);
    for (int j = 0; j < 16; j++) {
      const int byte = block.qs[16 * b + j];
      out[32 * b + j] = scale * static_cast<float>(iq4_values[byte & 15]);
      out[32 * b + j + 16] = scale * static_cast<float>(iq4_values[byte >> 4]);
    }
  }
}

void decode(const BlockTQ1_0& block, float* out) {
  const float d = float_from_f16(block.d);
  std::uint8_t q[256];
  ternary_quants(block, q);
  for (int e = 0; e < 256; e++) out[e] = d * static_cast<float>(q[e] - 1);
}

void decode(const BlockTQ2_0& block, float* out) {
  const float d = float_from_f16(block.d);
  for (int e = 0; e < 256; e++) out[e] = d * static_cast<float>(((block.qs[32 * (e / 128) + e % 32] >> (2 * (e % 128 / 32))) & 3) - 1);
}

void decode(const BlockMXFP4& block, float* out) {
  const float d = float_from_bf16(mxfp4_scale(block.e));
  for (int j = 0; j < 16; j++) {
    out[j] = d * static_cast<float>(mxfp4_values[block.qs[j] & 15]);
    out[j + 16] = d * static_cast<float>(mxfp4_values[block.qs[j] >> 4]);
  }
}

template <class Block, int block_elements>
void decode_all(const void* source, std::int64_t elements, float* out) {
  const auto* bytes = static_cast<const std::uint8_t*>(source);
  for (std::int64_t i = 0; i < elements / block_elements; i++) {
    // Copied, since blocks of odd sizes lie at any address.
    Block block;
    std::memcpy(&block, bytes + static_cast<std::size_t>(i) * sizeof block, sizeof block);
    decode(block, out + i * block_elements);
  }
}

void decode_codes(DType dtype, const void* source, std::int64_t elements, float* out) {
  const auto* bytes = static_cast<const std::uint8_t*>(source);
  CodeBlock code;
  for (std::int64_t i = 0; i < elements / 256; i++, out += 256) {
    read_code_block(dtype, bytes + i * info_of(dtype).block_bytes, code);
    const float d = float_from_f16(code.d) * code_factor(dtype);
    for (int e = 0; e < 256; e++) out[e] = d * static_cast<float>(code.scales[e / 16]) * static_cast<float>(code.v[e]);
  }
}

template <float (*convert)(std::uint16_t)>
void convert_all(const void* source, std::int64_t elements, float* out) {
  const auto* bytes = static_cast<const std::uint8_t*>(source);
  for (std::int64_t i = 0; i < elements; i++) {
    std::uint16_t bits;
    std::memcpy(&bits, bytes + 2 * i, sizeof bits);
    out[i] = convert(bits);
  }
}

}  // namespace

void dequantise(DType dtype, const void* source, std::int64_t elements, float* out) {
  switch (dtype) {
    case DType::f32: std::memcpy(out, source, static_cast<std::size_t>(elements) * sizeof(float)); return;
    case DType::f16: return convert_all<float_from_f16>(source, elements, out);
    case DType::bf16: return convert_all<float_from_bf16>(source, elements, out);
    case DType::q4_0: return decode_all<BlockQ4_0, 32>(source, elements, out);
    case DType::q4_1: return decode_all<BlockQ4_1, 32>(source, elements, out);
    case DType::q5_0: return decode_all<BlockQ5_0, 32>(source, elements, out);
    case DType::q5_1: return decode_all<BlockQ5_1, 32>(source, elements, out);
    case DType::q8_0: return decode_all<BlockQ8_0, 32>(source, elements, out);
    case DType::q2_k: return decode_all<BlockQ2_K, 256>(source, elements, out);
    case DType::q3_k: return decode_all<BlockQ3_K, 256>(source, elements, out);
    case DType::q4_k: return decode_all<BlockQ4_K, 256>(source, elements, out);
    case DType::q5_k: return decode_all<BlockQ5_K, 256>(source, elements, out);
    case DType::q6_k: return decode_all<BlockQ6_K, 256>(source, elements, out);
    case DType::iq4_nl: return decode_all<BlockIQ4_NL, 32>(source, elements, out);
    case DType::iq4_xs: return decode_all<BlockIQ4_XS, 256>(source, elements, out);
    case DType::tq1_0: return decode_all<BlockTQ1_0, 256>(source, elements, out);
    case DType::tq2_0: return decode_all<BlockTQ2_0, 256>(source, elements, out);
    case DType::mxfp4: return decode_all<BlockMXFP4, 32>(source, elements, out);
    case DType::iq1_s:
    case DType::iq1_m:
    case DType::iq2_xxs:
    case DType::iq2_xs:
    case DType::iq2_s:
    case DType::iq3_xxs:
    case DType::iq3_s: return decode_codes(dtype, source, elements, out);
  }
}

}  // namespace lectern
