// Sixteen lanes as arrays, for any processor. simd_avx512.h documents each function.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "tensor/half.h"

namespace lectern::cpu {
namespace {

struct Floats {
  float lane[16];
};
struct Ints {
  std::int32_t lane[16];
};
struct Bytes {
  std::uint8_t lane[64];
};

#define LECTERN_LANES inline
// Loops around loops of lanes take minutes to compile if unrolled.
#define LECTERN_UNROLL
#define LECTERN_UNROLL_CHUNKS

template <class Lanes, class Make>
LECTERN_LANES Lanes made(Make make) {
  Lanes result;
  for (int i = 0; i < static_cast<int>(sizeof result.lane / sizeof result.lane[0]); i++) result.lane[i] = make(i);
  return result;
}
template <class Make>
LECTERN_LANES Floats each(Make make) {
  return made<Floats>(make);
}

LECTERN_LANES Floats all(float value) {
  return each([&](int) { return value; });
}
LECTERN_LANES Floats zero() { return all(0); }
LECTERN_LANES Floats load(const float* from) {
  return each([&](int i) { return from[i]; });
}
LECTERN_LANES void store(float* to, Floats value) {
  for (int i = 0; i < 16; i++) to[i] = value.lane[i];
}
LECTERN_LANES Floats load(const std::uint16_t* f16) {
  return each([&](int i) { return float_from_f16(f16[i]); });
}
LECTERN_LANES void store(std::uint16_t* f16, Floats value) {
  for (int i = 0; i < 16; i++) f16[i] = f16_from_float(value.lane[i]);
}
LECTERN_LANES Floats load_bf16(const std::uint16_t* from) {
  return each([&](int i) { return float_from_bf16(from[i]); });
}
LECTERN_LANES Floats load_signed(const std::uint8_t* from) {
  return each([&](int i) { return static_cast<float>(static_cast<std::int8_t>(from[i])); });
}
LECTERN_LANES Floats load_unsigned(const std::uint8_t* from) {
  return each([&](int i) { return static_cast<float>(from[i]); });
}
LECTERN_LANES Floats load_low(const std::uint8_t* from) {
  return each([&](int i) { return static_cast<float>(from[i] & 15); });
}
LECTERN_LANES Floats load_high(const std::uint8_t* from) {
  return each([&](int i) { return static_cast<float>(from[i] >> 4); });
}

LECTERN_LANES Floats add(const Floats& a, const Floats& b) {
  return each([&](int i) { return a.lane[i] + b.lane[i]; });
}
LECTERN_LANES Floats subtract(const Floats& a, const Floats& b) {
  return each([&](int i) { return a.lane[i] - b.lane[i]; });
}
LECTERN_LANES Floats multiply(const Floats& a, const Floats& b) {
  return each([&](int i) { return a.lane[i] * b.lane[i]; });
}
LECTERN_LANES Floats divide(const Floats& a, const Floats& b) {
  return each([&](int i) { return a.lane[i] / b.lane[i]; });
}
LECTERN_LANES Floats larger(const Floats& a, const Floats& b) {
  return each([&](int i) { return a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]; });
}
LECTERN_LANES Floats smaller(const Floats& a, const Floats& b) {
  return each([&](int i) { return a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]; });
}
LECTERN_LANES Floats root(const Floats& a) {
  return each([&](int i) { return std::sqrt(a.lane[i]); });
}
LECTERN_LANES Floats where_below(const Floats& a, const Floats& b, const Floats& then, const Floats& otherwise) {
  return each([&](int i) { return a.lane[i] < b.lane[i] ? then.lane[i] : otherwise.lane[i]; });
}

struct Mask {
  int count;
};
LECTERN_LANES Mask first(int count) { return {count}; }
LECTERN_LANES Floats load(const float* from, Mask lanes) {
  return each([&](int i) { return i < lanes.count ? from[i] : 0.0F; });
}
LECTERN_LANES void store(float* to, const Floats& value, Mask lanes) {
  for (int i = 0; i < 16 && i < lanes.count; i++) to[i] = value.lane[i];
}
LECTERN_LANES void split_pairs(const Floats& first_half, const Floats& second_half, Floats& even, Floats& odd) {
  const auto at = [&](int i) { return i < 16 ? first_half.lane[i] : second_half.lane[i - 16]; };
  even = each([&](int i) { return at(2 * i); });
  odd = each([&](int i) { return at(2 * i + 1); });
}
LECTERN_LANES void join_pairs(const Floats& even, const Floats& odd, Floats& first_half, Floats& second_half) {
  first_half = each([&](int i) { return i % 2 == 0 ? even.lane[i / 2] : odd.lane[i / 2]; });
  second_half = each([&](int i) { return i % 2 == 0 ? even.lane[8 + i / 2] : odd.lane[8 + i / 2]; });
}
LECTERN_LANES Floats absolute(const Floats& a) {
  return each([&](int i) { return std::fabs(a.lane[i]); });
}
// Rounds twice: without its instruction a fused multiply-add is a slow function call.
LECTERN_LANES Floats fused(const Floats& a, const Floats& b, const Floats& c) {
  return each([&](int i) { return a.lane[i] * b.lane[i] + c.lane[i]; });
}
LECTERN_LANES float largest(const Floats& a) {
  float most = a.lane[0];
  for (const float value : a.lane) most = value > most ? value : most;
  return most;
}
LECTERN_LANES float sum(const Floats& a) {
  float total = 0;
  for (const float value : a.lane) total += value;
  return total;
}
LECTERN_LANES Floats first_lanes(const Floats& a, int count, const Floats& otherwise) {
  return each([&](int i) { return i < count ? a.lane[i] : otherwise.lane[i]; });
}
LECTERN_LANES Floats exponential(const Floats& x) {
  return each([&](int i) { return std::exp(x.lane[i]); });
}

constexpr int no_offset = -1;
LECTERN_LANES Ints no_ints() {
  return made<Ints>([](int) { return 0; });
}
LECTERN_LANES Ints every_int(std::int32_t value) {
  return made<Ints>([&](int) { return value; });
}
LECTERN_LANES Ints subtract_ints(const Ints& a, const Ints& b) {
  return made<Ints>([&](int i) { return a.lane[i] - b.lane[i]; });
}
template <int bits>
LECTERN_LANES Ints shifted_left(const Ints& a) {
  return made<Ints>([&](int i) { return a.lane[i] * (1 << bits); });
}
LECTERN_LANES Floats floats(const Ints& value) {
  return each([&](int i) { return static_cast<float>(value.lane[i]); });
}
LECTERN_LANES Ints rounded(const Floats& value) {
  return made<Ints>([&](int i) { return static_cast<std::int32_t>(std::nearbyint(value.lane[i])); });
}
LECTERN_LANES void store_bytes(std::int8_t* to, const Ints& value) {
  for (int i = 0; i < 16; i++) to[i] = static_cast<std::int8_t>(value.lane[i]);
}
LECTERN_LANES void store_words(std::int16_t* to, const Ints& value) {
  for (int i = 0; i < 16; i++) to[i] = static_cast<std::int16_t>(value.lane[i]);
}
LECTERN_LANES Ints add_ints(const Ints& a, const Ints& b) {
  return made<Ints>([&](int i) { return a.lane[i] + b.lane[i]; });
}
LECTERN_LANES int sum(const Ints& value) {
  int total = 0;
  for (const std::int32_t number : value.lane) total += number;
  return total;
}

LECTERN_LANES Bytes load_bytes(const std::uint8_t* from) {
  return made<Bytes>([&](int i) { return from[i]; });
}
LECTERN_LANES Bytes every(int byte) {
  return made<Bytes>([&](int) { return static_cast<std::uint8_t>(byte); });
}
LECTERN_LANES Bytes both(const Bytes& a, const Bytes& b) {
  return made<Bytes>([&](int i) { return static_cast<std::uint8_t>(a.lane[i] & b.lane[i]); });
}
LECTERN_LANES Bytes either(const Bytes& a, const Bytes& b) {
  return made<Bytes>([&](int i) { return static_cast<std::uint8_t>(a.lane[i] | b.lane[i]); });
}
template <int bits>
LECTERN_LANES Bytes shifted_right(const Bytes& a) {
  return made<Bytes>([&](int i) { return static_cast<std::uint8_t>(bits >= 0 ? a.lane[i] >> (bits & 7) : a.lane[i] << (-bits & 7)); });
}
LECTERN_LANES Bytes looked_up(const Bytes& a, const std::int8_t* table) {
  return made<Bytes>([&](int i) { return static_cast<std::uint8_t>(table[a.lane[i] & 15]); });
}

LECTERN_LANES Ints dot(const Ints& acc, const Bytes& w, const std::int8_t* row, int step) {
  const std::int8_t* x = row + 4 * step;
  return made<Ints>([&](int i) {
    const std::uint8_t* four = w.lane + 4 * i;
    return acc.lane[i] + four[0] * x[0] + four[1] * x[1] + four[2] * x[2] + four[3] * x[3];
  });
}
constexpr int signed_offset = no_offset;
LECTERN_LANES Bytes signed_operand(const Bytes& w) { return w; }
LECTERN_LANES Ints dot_signed(const Ints& acc, const Bytes& w, const std::int8_t* row, int step) {
  const std::int8_t* x = row + 4 * step;
  return made<Ints>([&](int i) {
    std::int32_t total = acc.lane[i];
    for (int b = 0; b < 4; b++) total += static_cast<std::int8_t>(w.lane[4 * i + b]) * x[b];
    return total;
  });
}

LECTERN_LANES Ints dot_words(const Ints& acc, const Bytes& w, const std::int8_t* x, int step) {
  std::int16_t words[32];
  std::int16_t two[2];
  std::memcpy(words, w.lane, sizeof words);
  std::memcpy(two, x + 4 * step, sizeof two);
  return made<Ints>([&](int i) { return acc.lane[i] + words[2 * i] * two[0] + words[2 * i + 1] * two[1]; });
}

/// A dot without loads: the peak rate of the multipliers.
LECTERN_LANES Ints dot_itself(const Ints& acc, const Bytes& w) { return dot(acc, w, reinterpret_cast<const std::int8_t*>(w.lane), 0); }

}  // namespace
}  // namespace lectern::cpu
