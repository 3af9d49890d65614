// The kernels of networks at every instruction level against plain loops in double precision: odd shapes, strides, dilations,
// groups, uneven borders; nothing is written behind an output, and neither threads nor the batch change a bit.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "cpu/convolution.h"
#include "cpu/kernels/network.h"
#include "cpu/matrix_product.h"
#include "harness.h"

namespace lectern {
namespace {

using cpu::Activation;
using cpu::Finish;
using cpu::NetworkKernels;
using test::check;

constexpr float sentinel = -77.0F;
constexpr std::size_t sentinels = 19;

std::vector<Instructions> levels() {
  std::vector<Instructions> all;
  for (const Instructions level : {Instructions::baseline, Instructions::avx2, Instructions::avx512}) {
    if (level <= available_instructions() && cpu::network_kernels_of(level) != nullptr) {
      all.push_back(level);
    } else {
      test::note("skipped: this processor has no " + std::string(name_of(level)));
    }
  }
  return all;
}

std::vector<float> random_floats(std::size_t count, std::mt19937& random) {
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

/// Room for `count` results with sentinels behind.
std::vector<float> output_of(std::size_t count) { return std::vector<float>(count + sentinels, sentinel); }
bool unspoiled(const std::vector<float>& out) {
  return std::all_of(out.end() - sentinels, out.end(), [](float value) { return value == sentinel; });
}

double activated(const Finish& finish, double x) {
  const double hard = std::clamp(static_cast<double>(finish.alpha) * x + static_cast<double>(finish.beta), 0.0, 1.0);
  switch (finish.activation) {
    case Activation::none: return x;
    case Activation::relu: return std::max(0.0, x);
    case Activation::clip: return std::clamp(x, static_cast<double>(finish.alpha), static_cast<double>(finish.beta));
    case Activation::leaky_relu: return x < 0 ? static_cast<double>(finish.alpha) * x : x;
    case Activation::sigmoid: return 1 / (1 + std::exp(-x));
    case Activation::silu: return x / (1 + std::exp(-x));
    case Activation::hard_sigmoid: return hard;
    case Activation::hard_swish: return x * hard;
    case Activation::tanh: return std::tanh(x);
    case Activation::gelu: return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    case Activation::erf: return std::erf(x);
    case Activation::exponential: return std::exp(x);
  }
  return 0;
}

double finished(const Finish& finish, double sum, double addend) {
  if (finish.add_last) return activated(finish, sum) * static_cast<double>(finish.scale) + static_cast<double>(finish.shift) + addend;
  return activated(finish, sum + addend) * static_cast<double>(finish.scale) + static_cast<double>(finish.shift);
}

Finish finish_of(Activation activation) {
  Finish finish;
  finish.activation = activation;
  if (activation == Activation::clip) {
    finish.alpha = -0.5F;
    finish.beta = 0.75F;
  } else if (activation == Activation::leaky_relu) {
    finish.alpha = 0.1F;
  } else {
    finish.alpha = 0.2F;
    finish.beta = 0.5F;
  }
  return finish;
}

/// The greatest difference in units of what float sums of `depth` products may be off by; infinite where one is not finite.
double worst_of(const std::vector<float>& out, const std::vector<double>& expected, int depth) {
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); i++) {
    const double off = std::abs(static_cast<double>(out[i]) - expected[i]) / ((std::abs(expected[i]) + std::sqrt(static_cast<double>(depth)) + 1) * 1e-6);
    worst = off >= 0 ? std::max(worst, off) : std::numeric_limits<double>::infinity();
  }
  return worst;
}

struct ConvolutionCase {
  cpu::ConvolutionShape shape;
  cpu::Picture picture;
  Finish finish{};
  bool with_addend = false;

  cpu::Side down() const { return shape.vertical; }
  cpu::Side across() const { return shape.horizontal; }
  int height() const { return shape.vertical.out(picture.height); }
  int width() const { return shape.horizontal.out(picture.width); }
  int depth() const { return shape.in_channels / shape.groups * shape.vertical.kernel * shape.horizontal.kernel; }
  std::size_t in_size() const { return static_cast<std::size_t>(picture.batch * shape.in_channels * picture.height * picture.width); }
  std::size_t out_size() const { return static_cast<std::size_t>(picture.batch * shape.out_channels * height() * width()); }
  std::string name() const {
    const auto side = [](const cpu::Side& s) {
      return std::to_string(s.kernel) + "/" + std::to_string(s.stride) + "/" + std::to_string(s.dilation) + " pads " + std::to_string(s.pad_before) + "," + std::to_string(s.pad_after);
    };
    return std::to_string(picture.batch) + " x " + std::to_string(shape.in_channels) + " x " + std::to_string(picture.height) + " x " + std::to_string(picture.width) + " to " +
           std::to_string(shape.out_channels) + ", groups " + std::to_string(shape.groups) + ", " + side(down()) + " by " + side(across());
  }
};

struct ConvolutionData {
  std::vector<float> in, weights, bias, addend;

  ConvolutionData(const ConvolutionCase& of, std::mt19937& random)
      : in(random_floats(of.in_size(), random)),
        weights(random_floats(static_cast<std::size_t>(of.shape.out_channels * of.depth()), random)),
        bias(random_floats(static_cast<std::size_t>(of.shape.out_channels), random)),
        addend(random_floats(of.out_size(), random)) {}
};

std::vector<double> plain_convolution(const ConvolutionCase& of, const ConvolutionData& data) {
  const int group_in = of.shape.in_channels / of.shape.groups;
  const int group_out = of.shape.out_channels / of.shape.groups;
  std::vector<double> out;
  for (int n = 0; n < of.picture.batch; n++) {
    for (int o = 0; o < of.shape.out_channels; o++) {
      for (int y = 0; y < of.height(); y++) {
        for (int x = 0; x < of.width(); x++) {
          double sum = static_cast<double>(data.bias[static_cast<std::size_t>(o)]);
          for (int c = 0; c < group_in; c++) {
            for (int dy = 0; dy < of.down().kernel; dy++) {
              for (int dx = 0; dx < of.across().kernel; dx++) {
                const int in_y = y * of.down().stride + dy * of.down().dilation - of.down().pad_before;
                const int in_x = x * of.across().stride + dx * of.across().dilation - of.across().pad_before;
                if (in_y < 0 || in_y >= of.picture.height || in_x < 0 || in_x >= of.picture.width) continue;
                const int channel = n * of.shape.in_channels + o / group_out * group_in + c;
                sum += static_cast<double>(data.in[static_cast<std::size_t>((channel * of.picture.height + in_y) * of.picture.width + in_x)]) *
                       static_cast<double>(data.weights[static_cast<std::size_t>(((o * group_in + c) * of.down().kernel + dy) * of.across().kernel + dx)]);
              }
            }
          }
          out.push_back(finished(of.finish, sum, of.with_addend ? static_cast<double>(data.addend[out.size()]) : 0));
        }
      }
    }
  }
  return out;
}

std::vector<float> run(const ConvolutionCase& of, const ConvolutionData& data, const NetworkKernels& kernels, int thread_count) {
  cpu::Threads threads(thread_count);
  cpu::Workshop shop{kernels, threads};
  cpu::Convolution convolution(of.shape, data.weights.data(), data.bias.data());
  std::vector<float> out = output_of(of.out_size());
  convolution.run(shop, of.picture, data.in.data(), of.finish, of.with_addend ? data.addend.data() : nullptr, out.data());
  return out;
}

void check_convolution(ConvolutionCase of, std::mt19937& random) {
  const ConvolutionData data(of, random);
  const std::vector<double> expected = plain_convolution(of, data);
  for (const Instructions level : levels()) {
    const NetworkKernels& kernels = *cpu::network_kernels_of(level);
    const std::string what = std::string(name_of(level)) + ": " + of.name();
    const std::vector<float> out = run(of, data, kernels, 2);
    const double worst = worst_of(out, expected, of.depth());
    check(worst < 4, what + ", off by " + std::to_string(worst));
    check(unspoiled(out), what + ": nothing is written behind the output");
    check(run(of, data, kernels, 1) == out, what + ": the same of one thread");
    if (of.picture.batch > 1) {
      ConvolutionCase last = of;
      last.picture.batch = 1;
      ConvolutionData alone = data;
      alone.in.erase(alone.in.begin(), alone.in.end() - static_cast<std::ptrdiff_t>(last.in_size()));
      alone.addend.erase(alone.addend.begin(), alone.addend.end() - static_cast<std::ptrdiff_t>(last.out_size()));
      const std::vector<float> one = run(last, alone, kernels, 2);
      check(std::equal(one.begin(), one.end(), out.end() - static_cast<std::ptrdiff_t>(one.size())), what + ": the same picture alone");
    }
  }
}

cpu::Side side(int kernel, int stride = 1, int before = 0, int after = 0, int dilation = 1) { return {kernel, stride, dilation, before, after}; }
cpu::Side same(int kernel, int stride = 1) { return side(kernel, stride, kernel / 2, kernel / 2); }

}  // namespace

LECTERN_TEST("network kernels: convolutions are what plain loops give") {
  std::mt19937 random(11);
  const cpu::Side point = side(1);
  for (const ConvolutionCase& one : std::vector<ConvolutionCase>{
           {{3, 16, 1, same(3, 2), same(3, 2)}, {1, 37, 53}},
           {{16, 33, 1, point, point}, {2, 9, 11}},
           {{70, 24, 1, point, point}, {1, 40, 50}},
           {{5, 7, 1, point, point}, {3, 1, 1}},
           {{130, 97, 1, point, point}, {2, 1, 1}},
           {{12, 10, 1, side(4), side(6)}, {2, 4, 6}},
           {{12, 20, 1, same(3), same(3)}, {1, 6, 6}},
           {{9, 13, 1, same(5), same(5)}, {2, 7, 19}},
           {{2, 3, 1, same(7, 2), same(7, 2)}, {1, 21, 30}},
           {{6, 8, 1, side(3, 2, 0, 1), side(2, 3, 1, 0)}, {1, 17, 22}},
           {{4, 9, 1, side(3, 1, 2, 2, 2), side(3, 2, 3, 1, 3)}, {1, 15, 20}},
           {{8, 12, 4, same(3), same(3)}, {2, 11, 10}},
           {{6, 6, 2, point, side(3, 1, 1, 1)}, {1, 1, 100}},
           {{24, 40, 1, side(1, 2), side(1, 2)}, {1, 13, 14}},
           {{64, 48, 1, same(3), same(3)}, {1, 20, 24}},
           {{8, 9, 1, side(9, 1, 4, 4), side(9, 1, 4, 4)}, {1, 5, 3}},
           {{3, 4, 1, point, side(1, 1, 2, 3)}, {1, 4, 5}},
           {{1, 5, 1, same(3), same(3)}, {1, 12, 12}},
           {{3, 5, 1, side(3, 2, 2, 2, 2), side(4, 3, 1, 2, 2)}, {1, 16, 23}},
       }) {
    check_convolution(one, random);
  }
}

LECTERN_TEST("network kernels: depthwise convolutions are what plain loops give") {
  std::mt19937 random(12);
  for (const ConvolutionCase& one : std::vector<ConvolutionCase>{
           {{16, 16, 16, same(3), same(3)}, {2, 20, 24}},
           {{7, 7, 7, same(5), same(5)}, {1, 3, 80}},
           {{20, 20, 20, same(3, 2), same(3, 2)}, {1, 45, 61}},
           {{6, 12, 6, same(3), same(5, 2)}, {2, 10, 9}},
           {{3, 3, 3, side(5, 2, 2, 1), side(5, 1, 0, 4)}, {1, 33, 17}},
           {{4, 4, 4, side(3, 1, 2, 2, 2), side(3, 1, 2, 2, 2)}, {1, 130, 140}},
           {{5, 5, 5, side(6), side(6)}, {2, 6, 6}},
       }) {
    check_convolution(one, random);
  }
}

LECTERN_TEST("network kernels: what becomes of a sum, with every activation") {
  std::mt19937 random(13);
  for (int a = 0; a <= static_cast<int>(Activation::exponential); a++) {
    ConvolutionCase one{{6, 10, a % 2 == 0 ? 1 : 2, same(3), same(3)}, {1, 8, 21}, finish_of(static_cast<Activation>(a)), a % 3 != 0};
    one.finish.add_last = a % 3 == 1;
    if (a % 2 == 1) {
      one.finish.scale = 0.75F;
      one.finish.shift = -0.25F;
    }
    // Of large sums the exponential function would leave nothing to compare.
    ConvolutionData data(one, random);
    for (float& weight : data.weights) weight *= 0.25F;
    const std::vector<double> expected = plain_convolution(one, data);
    for (const Instructions level : levels()) {
      const std::vector<float> out = run(one, data, *cpu::network_kernels_of(level), 1);
      const double worst = worst_of(out, expected, one.depth());
      check(worst < 4, std::string(name_of(level)) + ": activation " + std::to_string(a) + ", off by " + std::to_string(worst));
    }
  }
}

LECTERN_TEST("network kernels: activations over their whole range, of infinities and NaN") {
  std::vector<float> x;
  for (int i = -4000; i <= 4000; i++) x.push_back(static_cast<float>(i) * 0.005F);
  const float infinity = std::numeric_limits<float>::infinity();
  x.insert(x.end(), {1e-6F, -1e-6F, 50.0F, -50.0F, infinity, -infinity});
  for (const Instructions level : levels()) {
    const NetworkKernels& kernels = *cpu::network_kernels_of(level);
    for (int a = 0; a <= static_cast<int>(Activation::exponential); a++) {
      const Finish finish = finish_of(static_cast<Activation>(a));
      std::vector<float> out(x.size());
      kernels.finish(finish, x.data(), 0, nullptr, nullptr, static_cast<int>(x.size()), out.data());
      double worst = 0;
      for (std::size_t i = 0; i < x.size(); i++) {
        const double expected = activated(finish, static_cast<double>(x[i]));
        // What is beyond float's range, and zero times infinity, are for no one to rely on.
        if (std::isnan(expected) || std::abs(expected) > 1e37) continue;
        const double off = std::abs(static_cast<double>(out[i]) - expected) / (std::abs(expected) + 1);
        worst = off >= 0 ? std::max(worst, off) : infinity;
      }
      const std::string what = std::string(name_of(level)) + ": activation " + std::to_string(a);
      check(worst < 1e-6, what + ", off by " + std::to_string(worst));
      const float bad[] = {1.0F, std::nanf(""), 2.0F};
      float after[3];
      kernels.finish(finish, bad, 0, nullptr, nullptr, 3, after);
      check(std::isfinite(after[0]) && std::isnan(after[1]) && std::isfinite(after[2]), what + " of NaN");
    }
  }
}

LECTERN_TEST("network kernels: matrix products are what plain loops give") {
  std::mt19937 random(14);
  struct ProductCase {
    int batch, rows, depth, columns;
  };
  for (const ProductCase& one : {ProductCase{1, 1, 5, 3}, ProductCase{1, 40, 48, 96}, ProductCase{3, 13, 70, 49}, ProductCase{2, 7, 33, 17}, ProductCase{1, 130, 120, 360}, ProductCase{5, 36, 12, 36}}) {
    const auto size = [&](int a, int b) { return static_cast<std::size_t>(one.batch * a * b); };
    const std::vector<float> left = random_floats(size(one.rows, one.depth), random);
    std::vector<float> right = random_floats(size(one.depth, one.columns), random);
    const std::vector<float> bias = random_floats(static_cast<std::size_t>(one.columns), random);
    const std::vector<float> addend = random_floats(size(one.rows, one.columns), random);
    Finish finish = finish_of(Activation::relu);
    finish.add_last = true;
    for (const bool packed : {false, true}) {
      std::vector<double> expected;
      for (int row = 0; row < one.batch * one.rows; row++) {
        for (int c = 0; c < one.columns; c++) {
          double sum = packed ? static_cast<double>(bias[static_cast<std::size_t>(c)]) : 0;
          for (int k = 0; k < one.depth; k++) {
            const int matrix = packed ? 0 : row / one.rows;
            sum += static_cast<double>(left[static_cast<std::size_t>(row * one.depth + k)]) * static_cast<double>(right[static_cast<std::size_t>((matrix * one.depth + k) * one.columns + c)]);
          }
          expected.push_back(finished(finish, sum, packed ? static_cast<double>(addend[expected.size()]) : 0));
        }
      }
      std::vector<float> turned(static_cast<std::size_t>(one.depth * one.columns));
      for (int k = 0; k < one.depth; k++) {
        for (int c = 0; c < one.columns; c++) turned[static_cast<std::size_t>(c * one.depth + k)] = right[static_cast<std::size_t>(k * one.columns + c)];
      }
      for (const Instructions level : levels()) {
        std::vector<float> first;
        for (const int thread_count : {1, 2}) {
          cpu::Threads threads(thread_count);
          cpu::Workshop shop{*cpu::network_kernels_of(level), threads};
          std::vector<float> out = output_of(size(one.rows, one.columns));
          if (packed) {
            const bool transposed = thread_count == 2;
            const cpu::PackedProduct product(transposed ? turned.data() : right.data(), one.depth, one.columns, transposed);
            product.run(shop, left.data(), one.depth, one.batch * one.rows, finish, bias.data(), addend.data(), out.data());
          } else {
            cpu::multiply_batch(shop, {one.rows, one.depth, one.columns, one.depth}, one.batch, left.data(), std::ptrdiff_t{one.rows} * one.depth, right.data(),
                                std::ptrdiff_t{one.depth} * one.columns, finish, out.data());
          }
          const std::string what = std::string(name_of(level)) + (packed ? ": packed " : ": ") + std::to_string(one.batch) + " x " + std::to_string(one.rows) + " x " +
                                   std::to_string(one.depth) + " x " + std::to_string(one.columns);
          const double worst = worst_of(out, expected, one.depth);
          check(worst < 4, what + ", off by " + std::to_string(worst));
          check(unspoiled(out), what + ": nothing is written behind the output");
          if (first.empty()) first = out;
          check(first == out, what + ": the same of any threads");
        }
      }
    }
  }
}

LECTERN_TEST("network kernels: softmax and layer norm of a row") {
  std::mt19937 random(15);
  for (const Instructions level : levels()) {
    const NetworkKernels& kernels = *cpu::network_kernels_of(level);
    for (const int count : {1, 2, 15, 16, 17, 48, 97, 130}) {
      const auto size = static_cast<std::size_t>(count);
      std::vector<float> x = random_floats(size, random);
      for (float& value : x) value = value * 4 - 3;
      const std::vector<float> weight = random_floats(size, random);
      const std::vector<float> bias = random_floats(size, random);
      double most = -1e30;
      double mean = 0;
      for (const float value : x) {
        most = std::max(most, static_cast<double>(value));
        mean += static_cast<double>(value) / count;
      }
      double sum = 0;
      double squares = 0;
      for (const float value : x) {
        sum += std::exp(static_cast<double>(value) - most);
        squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean) / count;
      }
      std::vector<double> soft;
      std::vector<double> norm;
      std::vector<double> bare;
      for (std::size_t i = 0; i < size; i++) {
        soft.push_back(std::exp(static_cast<double>(x[i]) - most) / sum);
        bare.push_back((static_cast<double>(x[i]) - mean) / std::sqrt(squares + 1e-5));
        norm.push_back(bare.back() * static_cast<double>(weight[i]) + static_cast<double>(bias[i]));
      }
      const std::string what = std::string(name_of(level)) + ", " + std::to_string(count);
      std::vector<float> out = output_of(size);
      kernels.softmax(x.data(), count, out.data());
      check(worst_of(out, soft, 0) < 1 && unspoiled(out), what + ": softmax");
      out = output_of(size);
      kernels.layer_norm(x.data(), weight.data(), bias.data(), 1e-5F, count, out.data());
      check(worst_of(out, norm, 0) < 4 && unspoiled(out), what + ": layer norm");
      kernels.layer_norm(x.data(), nullptr, nullptr, 1e-5F, count, out.data());
      check(worst_of(out, bare, 0) < 4 && unspoiled(out), what + ": layer norm without weights");
      out = x;
      kernels.softmax(out.data(), count, out.data());
      check(worst_of(out, soft, 0) < 1, what + ": softmax in place");
    }
    const float bad[] = {1.0F, std::nanf(""), 2.0F};
    float after[3];
    kernels.softmax(bad, 3, after);
    check(std::isnan(after[0]) && std::isnan(after[1]) && std::isnan(after[2]), std::string(name_of(level)) + ": softmax of NaN is NaN");
  }
}

}  // namespace lectern
