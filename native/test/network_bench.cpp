#include "network_bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "cpu/graph/convolution.h"
#include "cpu/graph/matrix_product.h"

namespace lectern::test {
namespace {

double best_of(const std::function<void()>& job) {
  double best = 1e30;
  double spent = 0;
  for (int run = 0; run < 5 || (spent < 0.05 && run < 1000); run++) {
    const auto begin = std::chrono::steady_clock::now();
    job();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    best = std::min(best, seconds);
    spent += seconds;
  }
  return best;
}

void print(const std::string& name, double operations, const double (&seconds)[2]) {
  std::printf("%-52s %8.3f ms %6.1f GFLOP/s  two threads %8.3f ms %6.1f GFLOP/s\n", name.c_str(), seconds[0] * 1e3, operations / seconds[0] * 1e-9, seconds[1] * 1e3,
              operations / seconds[1] * 1e-9);
}

void bench_convolution(const char* name, int in_channels, int out_channels, int groups, int kernel, int stride, int height, int width) {
  const cpu::Side side{kernel, stride, 1, kernel / 2, kernel / 2};
  const cpu::ConvolutionShape shape{in_channels, out_channels, groups, side, side};
  const std::size_t weights = static_cast<std::size_t>(out_channels) * static_cast<std::size_t>(in_channels / groups * kernel * kernel);
  cpu::PackedConvolution convolution(shape, std::vector<float>(weights, 0.01F).data());
  const std::vector<float> in(static_cast<std::size_t>(in_channels) * static_cast<std::size_t>(height * width), 0.5F);
  const std::size_t pixels = static_cast<std::size_t>(side.out(height) * side.out(width));
  std::vector<float> out(static_cast<std::size_t>(out_channels) * pixels);
  double seconds[2];
  for (int t = 0; t < 2; t++) {
    cpu::Threads threads(t + 1);
    cpu::GraphContext shop{*cpu::network_kernels_of(available_instructions()), threads};
    seconds[t] = best_of([&] { convolution.run(shop, {1, height, width, side.out(height), side.out(width)}, side.pad_before, side.pad_before, in.data(), {cpu::Activation::relu}, nullptr, nullptr, out.data()); });
  }
  print(std::string(name) + ": " + std::to_string(in_channels) + " to " + std::to_string(out_channels) + ", " + std::to_string(kernel) + "x" + std::to_string(kernel) + "/" +
            std::to_string(stride) + ", " + std::to_string(height) + "x" + std::to_string(width),
        2.0 * static_cast<double>(weights) * static_cast<double>(pixels), seconds);
}

void bench_product(int rows, int depth, int columns) {
  const auto size = [](int a, int b) { return static_cast<std::size_t>(a) * static_cast<std::size_t>(b); };
  const cpu::PackedProduct product(std::vector<float>(size(depth, columns), 0.01F).data(), depth, columns, false);
  const std::vector<float> left(size(rows, depth), 0.5F);
  std::vector<float> out(size(rows, columns));
  double seconds[2];
  for (int t = 0; t < 2; t++) {
    cpu::Threads threads(t + 1);
    cpu::GraphContext shop{*cpu::network_kernels_of(available_instructions()), threads};
    seconds[t] = best_of([&] { product.run(shop, {rows, depth, columns, depth, 1}, left.data(), {}, {}, out.data()); });
  }
  print("product: " + std::to_string(rows) + " x " + std::to_string(depth) + " x " + std::to_string(columns), 2.0 * rows * depth * columns, seconds);
}

}  // namespace

void bench_network_layers() {
  bench_convolution("stem", 3, 16, 1, 3, 2, 640, 640);
  bench_convolution("point", 16, 32, 1, 1, 1, 320, 320);
  bench_convolution("point", 48, 48, 1, 1, 1, 160, 160);
  bench_convolution("point", 96, 96, 1, 1, 1, 80, 80);
  bench_convolution("point", 192, 192, 1, 1, 1, 40, 40);
  bench_convolution("point", 384, 384, 1, 1, 1, 20, 20);
  bench_convolution("point", 240, 240, 1, 1, 1, 3, 80);
  bench_convolution("squeeze", 240, 60, 1, 1, 1, 1, 1);
  bench_convolution("window", 96, 24, 1, 3, 1, 160, 160);
  bench_convolution("window", 64, 64, 1, 3, 1, 56, 56);
  bench_convolution("window", 256, 256, 1, 3, 1, 20, 20);
  bench_convolution("window", 128, 128, 1, 3, 2, 40, 40);
  bench_convolution("window", 12, 12, 1, 3, 1, 48, 48);
  bench_convolution("window", 96, 96, 1, 3, 1, 6, 6);
  bench_convolution("depthwise", 16, 16, 16, 3, 1, 320, 320);
  bench_convolution("depthwise", 48, 48, 48, 3, 2, 160, 160);
  bench_convolution("depthwise", 192, 192, 192, 5, 1, 40, 40);
  bench_convolution("depthwise", 240, 240, 240, 5, 1, 3, 80);
  bench_product(40, 48, 96);
  bench_product(240, 120, 360);
  bench_product(300, 256, 1024);
}

}  // namespace lectern::test
