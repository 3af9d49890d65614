// Convolutions, transposed ones and pooling at every instruction level against plain loops in double precision: odd shapes,
// strides, dilations, groups, uneven borders; nothing is written behind an output, and neither threads nor the batch change a bit.
#include <cstring>

#include "cpu/graph/convolution.h"
#include "cpu/graph/pooling.h"
#include "cpu/graph/transposed_convolution.h"
#include "network_cases.h"

namespace lectern {
namespace {

using namespace test;

struct ConvolutionCase {
  cpu::ConvolutionShape shape;
  struct {
    int batch, height, width;
  } picture;
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

std::vector<double> reference_convolution(const ConvolutionCase& of, const ConvolutionData& data) {
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
  cpu::GraphContext shop{kernels, threads};
  cpu::PackedConvolution convolution(of.shape, data.weights.data());
  std::vector<float> out = output_of(of.out_size());
  const cpu::Picture picture{of.picture.batch, of.picture.height, of.picture.width, of.height(), of.width()};
  convolution.run(shop, picture, of.down().pad_before, of.across().pad_before, data.in.data(), of.finish, data.bias.data(), of.with_addend ? data.addend.data() : nullptr, out.data());
  return out;
}

void check_convolution(ConvolutionCase of, std::mt19937& random) {
  const ConvolutionData data(of, random);
  const std::vector<double> expected = reference_convolution(of, data);
  for (const Instructions level : network_levels()) {
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
           {{19, 67, 1, point, point}, {2, 33, 34}},
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
           {{48, 48, 1, side(3, 1, 8, 8, 8), side(3, 1, 8, 8, 8)}, {2, 30, 41}},
           {{5, 9, 1, side(3, 1, 5, 3, 4), side(3, 1, 3, 5, 4)}, {2, 11, 60}},
           {{5, 9, 1, side(3, 1, 3, 5, 4), side(3, 1, 7, 1, 4)}, {1, 11, 6}},
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
  for (int a = 0; a <= static_cast<int>(cpu::Activation::exponential); a++) {
    ConvolutionCase one{{6, 10, a % 2 == 0 ? 1 : 2, same(3), same(3)}, {1, 8, 21}, finish_of(static_cast<cpu::Activation>(a)), a % 3 != 0};
    one.finish.add_last = a % 3 == 1;
    if (a % 2 == 1) {
      one.finish.scale = 0.75F;
      one.finish.shift = -0.25F;
    }
    // Of large sums the exponential function would leave nothing to compare.
    ConvolutionData data(one, random);
    for (float& weight : data.weights) weight *= 0.25F;
    const std::vector<double> expected = reference_convolution(one, data);
    for (const Instructions level : network_levels()) {
      const std::vector<float> out = run(one, data, *cpu::network_kernels_of(level), 1);
      const double worst = worst_of(out, expected, one.depth());
      check(worst < 4, std::string(name_of(level)) + ": activation " + std::to_string(a) + ", off by " + std::to_string(worst));
    }
  }
}

struct TransposedCase {
  cpu::ConvolutionShape shape;
  cpu::Picture picture;
};

LECTERN_TEST("network kernels: transposed convolutions are what plain loops give") {
  std::mt19937 random(16);
  for (const TransposedCase& one : std::vector<TransposedCase>{
           {{24, 24, 1, side(2, 2), side(2, 2)}, {1, 20, 17, 40, 34}},
           {{5, 3, 1, side(2, 2), side(2, 2)}, {2, 7, 60, 14, 120}},
           {{6, 4, 2, side(3, 3), side(3, 3)}, {1, 5, 9, 15, 27}},
           {{6, 4, 2, side(2, 2), side(2, 2)}, {1, 5, 9, 11, 17}},
           {{7, 5, 1, side(4, 2, 1, 1), side(4, 2, 1, 1)}, {2, 6, 8, 12, 16}},
           {{4, 4, 4, side(3, 2, 1, 1), side(3, 1)}, {1, 9, 5, 18, 7}},
           {{3, 2, 1, side(3, 1, 0, 0, 2), side(2, 3, 1, 0)}, {1, 4, 6, 8, 16}},
       }) {
    const cpu::ConvolutionShape& shape = one.shape;
    const int taps = shape.vertical.kernel * shape.horizontal.kernel;
    const int group_in = shape.in_channels / shape.groups;
    const int group_out = shape.out_channels / shape.groups;
    const auto size = [](int count) { return static_cast<std::size_t>(count); };
    const std::vector<float> in = random_floats(size(one.picture.batch * shape.in_channels * one.picture.height * one.picture.width), random);
    const std::vector<float> weights = random_floats(size(shape.in_channels * group_out * taps), random);
    const std::vector<float> bias = random_floats(size(shape.out_channels), random);
    const Finish finish = finish_of(cpu::Activation::silu);
    const int plane = one.picture.out_height * one.picture.out_width;
    std::vector<double> expected(size(one.picture.batch * shape.out_channels * plane));
    for (std::size_t i = 0; i < expected.size(); i++) expected[i] = static_cast<double>(bias[i / size(plane) % size(shape.out_channels)]);
    std::size_t at = 0;
    for (int channel = 0; channel < one.picture.batch * shape.in_channels; channel++) {
      const int c = channel % shape.in_channels;
      for (int y = 0; y < one.picture.height; y++) {
        for (int x = 0; x < one.picture.width; x++, at++) {
          for (int r = 0; r < group_out * taps; r++) {
            const int out_y = y * shape.vertical.stride + r % taps / shape.horizontal.kernel * shape.vertical.dilation - shape.vertical.pad_before;
            const int out_x = x * shape.horizontal.stride + r % shape.horizontal.kernel * shape.horizontal.dilation - shape.horizontal.pad_before;
            if (out_y < 0 || out_y >= one.picture.out_height || out_x < 0 || out_x >= one.picture.out_width) continue;
            const int output = channel / shape.in_channels * shape.out_channels + c / group_in * group_out + r / taps;
            expected[size(output * plane + out_y * one.picture.out_width + out_x)] += static_cast<double>(in[at]) * static_cast<double>(weights[size(c * group_out * taps + r)]);
          }
        }
      }
    }
    for (double& value : expected) value = finished(finish, value, 0);
    for (const Instructions level : network_levels()) {
      std::vector<float> first;
      for (const int thread_count : {1, 2}) {
        cpu::Threads threads(thread_count);
        cpu::GraphContext shop{*cpu::network_kernels_of(level), threads};
        const cpu::PackedTransposed convolution(shape, weights.data());
        std::vector<float> out = output_of(expected.size());
        convolution.run(shop, one.picture, shape.vertical.pad_before, shape.horizontal.pad_before, in.data(), finish, bias.data(), out.data());
        const std::string what = std::string(name_of(level)) + ": " + std::to_string(shape.in_channels) + " to " + std::to_string(shape.out_channels) + ", " + std::to_string(taps) + " taps";
        const double worst = worst_of(out, expected, group_in * taps);
        check(worst < 4, what + ", off by " + std::to_string(worst));
        check(unspoiled(out), what + ": nothing is written behind the output");
        if (first.empty()) first = out;
        check(first == out, what + ": the same of any threads");
      }
    }
  }
}

LECTERN_TEST("network kernels: pooling is what plain loops give") {
  std::mt19937 random(17);
  struct PoolCase {
    cpu::Side vertical, horizontal;
    int planes, height, width, out_height, out_width;
  };
  for (const PoolCase& one : {PoolCase{same(3, 2), same(3, 2), 5, 20, 33, 10, 17}, PoolCase{same(5), same(5), 3, 6, 8, 6, 8}, PoolCase{side(2, 2), side(2, 2), 4, 9, 9, 5, 5},
                              PoolCase{side(3, 1, 0, 2), side(2, 3, 1, 0), 2, 7, 11, 7, 4}, PoolCase{side(2, 1, 0, 0, 3), side(3, 2, 1, 1, 2), 2, 70, 90, 67, 44}}) {
    std::vector<float> in = random_floats(static_cast<std::size_t>(one.planes * one.height * one.width), random);
    for (float& value : in) value -= 2;
    for (const int kind : {0, 1, 2}) {
      const cpu::Pooling pooling{kind > 0, kind == 2, one.vertical, one.horizontal};
      std::vector<double> expected;
      for (int p = 0; p < one.planes; p++) {
        for (int y = 0; y < one.out_height; y++) {
          for (int x = 0; x < one.out_width; x++) {
            double most = -std::numeric_limits<double>::infinity();
            double sum = 0;
            int count = 0;
            for (int t = 0; t < one.vertical.kernel * one.horizontal.kernel; t++) {
              const int in_y = y * one.vertical.stride + t / one.horizontal.kernel * one.vertical.dilation - one.vertical.pad_before;
              const int in_x = x * one.horizontal.stride + t % one.horizontal.kernel * one.horizontal.dilation - one.horizontal.pad_before;
              const bool inside = in_y >= 0 && in_y < one.height && in_x >= 0 && in_x < one.width;
              const bool padded = in_y < one.height + one.vertical.pad_after && in_x < one.width + one.horizontal.pad_after;
              if (inside) {
                const double value = static_cast<double>(in[static_cast<std::size_t>((p * one.height + in_y) * one.width + in_x)]);
                most = std::max(most, value);
                sum += value;
              }
              count += inside || (kind == 2 && padded);
            }
            expected.push_back(kind == 0 ? most : sum / count);
          }
        }
      }
      for (const Instructions level : network_levels()) {
        for (const int thread_count : {1, 2}) {
          cpu::Threads threads(thread_count);
          cpu::GraphContext shop{*cpu::network_kernels_of(level), threads};
          std::vector<float> out = output_of(expected.size());
          cpu::pool(shop, pooling, one.planes, one.height, one.width, one.out_height, one.out_width, in.data(), out.data());
          const std::string what = std::string(name_of(level)) + ": kind " + std::to_string(kind) + " of " + std::to_string(one.height) + " x " + std::to_string(one.width);
          const double worst = worst_of(out, expected, 1);
          check(worst < 2, what + ", off by " + std::to_string(worst));
          check(unspoiled(out), what + ": nothing is written behind the output");
        }
      }
    }
  }
}

}  // namespace lectern
