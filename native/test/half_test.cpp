// The 16-bit floats: every value there and back, and every place where rounding turns.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>

#include "harness.h"
#include "tensor/half.h"

namespace lectern {
namespace {

using test::check;

std::string hex(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "%04x", value);
  return text;
}

/// One check for all values: the first that fails is named.
class Every {
 public:
  explicit Every(std::string what) : what_(std::move(what)) {}
  ~Every() { check(failures_ == 0, what_ + ": " + std::to_string(failures_) + " fail, the first at " + hex(first_)); }
  void expect(bool holds, std::uint32_t value) {
    if (holds) return;
    if (failures_++ == 0) first_ = value;
  }

 private:
  std::string what_;
  int failures_ = 0;
  std::uint32_t first_ = 0;
};

/// The value that IEEE 754 gives a sign, `exponent_bits` and `mantissa_bits`, in double.
double meaning(std::uint32_t bits, int exponent_bits, int mantissa_bits) {
  const int exponent = static_cast<int>(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const int mantissa = static_cast<int>(bits) & ((1 << mantissa_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) return mantissa == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
}

struct Format {
  const char* name;
  int exponent_bits;
  int mantissa_bits;
  float (*widen)(std::uint16_t);
  std::uint16_t (*narrow)(float);
  std::uint16_t infinity() const { return static_cast<std::uint16_t>(((1 << exponent_bits) - 1) << mantissa_bits); }
};

void check_round_trip(const Format& format) {
  Every widened(std::string(format.name) + ": every value means what the format says");
  Every narrowed(std::string(format.name) + ": every value comes back");
  for (std::uint32_t bits = 0; bits < 0x10000; bits++) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = format.widen(half);
    const std::uint16_t back = format.narrow(value);
    const double meant = meaning(bits, format.exponent_bits, format.mantissa_bits);
    if (std::isnan(meant)) {
      widened.expect(std::isnan(value) && std::signbit(value) == (bits >= 0x8000), bits);
      narrowed.expect(std::isnan(format.widen(back)) && (back & 0x8000) == (half & 0x8000), bits);
      continue;
    }
    widened.expect(static_cast<double>(value) == meant && std::signbit(value) == (bits >= 0x8000), bits);
    narrowed.expect(back == half, bits);
  }
}

/// Between every value and the next one out: the middle goes to the even one, whatever is nearer to one goes there.
void check_rounding(const Format& format) {
  Every every(std::string(format.name) + ": rounds to nearest, ties to even");
  const float infinity = std::numeric_limits<float>::infinity();
  for (std::uint16_t low = 0; low < format.infinity(); low++) {
    const auto high = static_cast<std::uint16_t>(low + 1);
    const double below = meaning(low, format.exponent_bits, format.mantissa_bits);
    // What follows the largest value is the next step's size away, although it means infinity.
    const double above = high < format.infinity() ? meaning(high, format.exponent_bits, format.mantissa_bits)
                                                  : below + (below - meaning(static_cast<std::uint16_t>(low - 1), format.exponent_bits, format.mantissa_bits));
    const auto middle = static_cast<float>((below + above) / 2);
    for (const std::uint16_t sign : {std::uint16_t{0}, std::uint16_t{0x8000}}) {
      const float side = sign == 0 ? 1.0F : -1.0F;
      const auto expect = [&](float value, std::uint16_t wanted) { every.expect(format.narrow(side * value) == (wanted | sign), low); };
      expect(middle, low % 2 == 0 ? low : high);
      expect(std::nextafter(middle, 0.0F), low);
      expect(std::nextafter(middle, infinity), high);
    }
  }
}

constexpr Format f16 = {"f16", 5, 10, float_from_f16, f16_from_float};
constexpr Format bf16 = {"bf16", 8, 7, float_from_bf16, bf16_from_float};

LECTERN_TEST("half: all 65536 values of both formats there and back") {
  check_round_trip(f16);
  check_round_trip(bf16);
}

LECTERN_TEST("half: rounding at every border, subnormals and overflow among them") {
  check_rounding(f16);
  check_rounding(bf16);
}

LECTERN_TEST("half: what lies far outside") {
  check(f16_from_float(65519.996F) == 0x7BFF && f16_from_float(65520.0F) == 0x7C00, "f16: the last finite and the first infinite");
  check(f16_from_float(std::numeric_limits<float>::max()) == 0x7C00, "f16: the largest float overflows");
  check(f16_from_float(std::numeric_limits<float>::denorm_min()) == 0, "f16: the smallest float vanishes");
  check(f16_from_float(-std::numeric_limits<float>::denorm_min()) == 0x8000, "f16: and keeps its sign");
  check(bf16_from_float(std::numeric_limits<float>::max()) == 0x7F80, "bf16: the largest float rounds to infinity");
  // A NaN whose mark lies in the bits that are cut off must not become infinity.
  const float quiet_low = float_from_bits(0x7F800001U);
  check(std::isnan(float_from_bf16(bf16_from_float(quiet_low))), "bf16: NaN stays NaN");
  check(std::isnan(float_from_f16(f16_from_float(quiet_low))), "f16: NaN stays NaN");
}

}  // namespace
}  // namespace lectern
