// The kernels of networks at every instruction level against plain loops in double precision: activations, matrix products, rows.
#include <cstring>

#include "cpu/graph/matrix_product.h"
#include "network_cases.h"

namespace lectern {

using namespace test;

LECTERN_TEST("network kernels: activations over their whole range, of infinities and NaN") {
  std::vector<float> x;
  for (int i = -4000; i <= 4000; i++) x.push_back(static_cast<float>(i) * 0.005F);
  const float infinity = std::numeric_limits<float>::infinity();
  x.insert(x.end(), {1e-6F, -1e-6F, 50.0F, -50.0F, infinity, -infinity});
  for (const Instructions level : network_levels()) {
    const NetworkKernels& kernels = *cpu::network_kernels_of(level);
    for (int a = 0; a <= static_cast<int>(cpu::Activation::absolute); a++) {
      const Finish finish = finish_of(static_cast<cpu::Activation>(a));
      std::vector<float> out(x.size());
      kernels.finish(finish, x.data(), 0, nullptr, nullptr, static_cast<int>(x.size()), out.data());
      double worst = 0;
      for (std::size_t i = 0; i < x.size(); i++) {
        const double expected = activated(finish, static_cast<double>(x[i]));
        // Results beyond float's range, and zero times infinity, are not defined.
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
    Finish finish = finish_of(cpu::Activation::relu);
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
      for (const Instructions level : network_levels()) {
        std::vector<float> first;
        for (const int thread_count : {1, 2}) {
          cpu::Threads threads(thread_count);
          cpu::GraphContext shop{*cpu::network_kernels_of(level), threads};
          std::vector<float> out = output_of(size(one.rows, one.columns));
          if (packed) {
            const bool transposed = thread_count == 2;
            const cpu::PackedProduct product(transposed ? turned.data() : right.data(), one.depth, one.columns, transposed);
            product.run(shop, {one.batch * one.rows, one.depth, one.columns, one.depth, 1}, left.data(), finish, {bias.data(), addend.data()}, out.data());
          } else {
            cpu::multiply_batch(shop, {one.rows, one.depth, one.columns, one.depth, 1}, one.batch, left.data(), std::ptrdiff_t{one.rows} * one.depth, right.data(),
                                std::ptrdiff_t{one.depth} * one.columns, finish, {}, out.data());
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
  for (const Instructions level : network_levels()) {
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
