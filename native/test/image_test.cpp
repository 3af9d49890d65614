// resize against naive loops in double, on odd sizes, strides and borders.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "harness.h"
#include "vision/image.h"

namespace lectern::vision {
namespace {

using test::check;
using test::check_near;

struct Picture {
  int width;
  int height;
  std::size_t stride;
  std::vector<std::uint8_t> bytes;

  Picture(int w, int h, std::size_t padding, unsigned seed)
      : width(w), height(h), stride(static_cast<std::size_t>(w) * 4 + padding) {
    // Not a byte more than the last row needs: a read past it is seen by the address sanitizer.
    bytes.resize(stride * static_cast<std::size_t>(h - 1) + static_cast<std::size_t>(w) * 4);
    std::mt19937 random(seed);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  }

  Bitmap bitmap() const { return {bytes.data(), width, height, stride}; }
  double at(int x, int y, int channel) const {
    return bytes[static_cast<std::size_t>(y) * stride + static_cast<std::size_t>(x) * 4 + static_cast<std::size_t>(channel)];
  }
};

/// The weight of source pixel `position` in target pixel `i`, straight from the definition in image.h.
double weight_of(int position, int i, int source, int target) {
  const double scale = static_cast<double>(source) / target;
  if (scale > 1) {
    const double inside = std::min(position + 1.0, (i + 1) * scale) - std::max(static_cast<double>(position), i * scale);
    return std::max(0.0, inside) / scale;
  }
  const double p = std::clamp((i + 0.5) * scale - 0.5, 0.0, source - 1.0);
  return std::max(0.0, 1.0 - std::abs(p - position));
}

double reference(const Picture& picture, const ResizeOptions& options, int x, int y, int channel) {
  double sum = 0;
  for (int source_y = 0; source_y < picture.height; ++source_y) {
    const double vertical = weight_of(source_y, y, picture.height, options.height);
    if (vertical == 0) continue;
    for (int source_x = 0; source_x < picture.width; ++source_x) {
      sum += vertical * weight_of(source_x, x, picture.width, options.width) * picture.at(source_x, source_y, channel);
    }
  }
  const auto c = static_cast<std::size_t>(channel);
  return (sum / 255 - double{options.mean[c]}) / double{options.std[c]};
}

void compare(const Picture& picture, const ResizeOptions& options) {
  const auto plane = static_cast<std::size_t>(options.width) * static_cast<std::size_t>(options.height);
  constexpr std::size_t guard = 64;
  std::vector<float> out(plane * 3 + guard, -1234.5F);
  resize(picture.bitmap(), options, {out.data(), plane * 3}, Cancel{});

  double worst = 0;
  for (int channel = 0; channel < 3; ++channel) {
    const double unit = double{options.std[static_cast<std::size_t>(channel)]};
    for (int y = 0; y < options.height; ++y) {
      for (int x = 0; x < options.width; ++x) {
        const std::size_t index = static_cast<std::size_t>(channel) * plane +
                                  static_cast<std::size_t>(y) * static_cast<std::size_t>(options.width) + static_cast<std::size_t>(x);
        const double apart = std::abs(double{out[index]} - reference(picture, options, x, y, channel)) * unit;
        // Written so that NaN is the worst of all.
        if (!(apart <= worst)) worst = apart;
      }
    }
  }
  const std::string name = std::to_string(picture.width) + "x" + std::to_string(picture.height) + " to " +
                           std::to_string(options.width) + "x" + std::to_string(options.height);
  check_near(worst, 0, 1e-5, name);
  check(std::all_of(out.end() - guard, out.end(), [](float value) { return value == -1234.5F; }), name + ": nothing behind the end");
}

LECTERN_TEST("image: resize equals the naive loops") {
  const std::array<float, 3> mean = {0.485F, 0.456F, 0.406F};
  const std::array<float, 3> deviation = {0.229F, 0.224F, 0.225F};
  const int sizes[][4] = {{1, 1, 1, 1},   {1, 1, 7, 5},    {7, 5, 1, 1},    {2, 2, 3, 3},    {13, 9, 13, 9},   {64, 48, 32, 24},
                          {61, 37, 20, 11}, {61, 37, 60, 36}, {20, 11, 61, 37}, {50, 3, 7, 40}, {3, 50, 40, 7}, {300, 2, 7, 1},
                          {1, 200, 3, 9},   {33, 1, 32, 1},   {97, 101, 10, 100}};
  unsigned seed = 1;
  for (const auto& size : sizes) {
    for (const std::size_t padding : {0U, 4U, 13U}) {
      compare(Picture(size[0], size[1], padding, seed++), {size[2], size[3], mean, deviation});
    }
  }
}

LECTERN_TEST("image: equal sizes copy, one colour stays one colour") {
  const Picture picture(17, 11, 0, 5);
  std::vector<float> out(17 * 11 * 3);
  resize(picture.bitmap(), {17, 11, {0, 0, 0}, {1, 1, 1}}, out, Cancel{});
  for (int y = 0; y < 11; ++y) {
    for (int x = 0; x < 17; ++x) {
      check_near(double{out[static_cast<std::size_t>(y * 17 + x)]} * 255, picture.at(x, y, 0), 1e-4, "red is copied");
    }
  }
  Picture plain(40, 30, 0, 6);
  std::fill(plain.bytes.begin(), plain.bytes.end(), std::uint8_t{200});
  for (const auto& [width, height] : {std::pair{13, 7}, std::pair{90, 71}}) {
    std::vector<float> flat(static_cast<std::size_t>(width * height * 3));
    resize(plain.bitmap(), {width, height, {0, 0, 0}, {1, 1, 1}}, flat, Cancel{});
    const auto [low, high] = std::minmax_element(flat.begin(), flat.end());
    check_near(double{*low}, 200 / 255.0, 1e-6, "lowest");
    check_near(double{*high}, 200 / 255.0, 1e-6, "highest");
  }
}

LECTERN_TEST("image: alpha changes nothing") {
  Picture picture(30, 20, 0, 8);
  std::vector<float> one(10 * 7 * 3);
  std::vector<float> other(one.size());
  resize(picture.bitmap(), {10, 7, {0, 0, 0}, {1, 1, 1}}, one, Cancel{});
  for (std::size_t i = 3; i < picture.bytes.size(); i += 4) picture.bytes[i] = static_cast<std::uint8_t>(~picture.bytes[i]);
  resize(picture.bitmap(), {10, 7, {0, 0, 0}, {1, 1, 1}}, other, Cancel{});
  check(one == other, "equal to the last bit");
}

LECTERN_TEST("image: a cancelled resize stops") {
  const Picture picture(30, 20, 0, 9);
  std::vector<float> out(30);
  Cancel cancel;
  cancel.request();
  test::check_throws(ErrorCode::cancelled, [&] { resize(picture.bitmap(), {5, 2, {0, 0, 0}, {1, 1, 1}}, out, cancel); }, "resize");
}

}  // namespace
}  // namespace lectern::vision
