// The processor's kernels at every instruction level against plain loops: every weight type, odd shapes, any number of rows.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "cpu/kernels/kernels.h"
#include "cpu/packed.h"
#include "harness.h"
#include "made_model.h"
#include "tensor/dequantise.h"
#include "tensor/half.h"

namespace lectern {
namespace {

using cpu::Kernels;
using test::check;

std::vector<Instructions> levels() {
  std::vector<Instructions> all;
  for (const Instructions level : instruction_levels()) {
    if (level <= available_instructions() && cpu::kernels_of(level) != nullptr) {
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

struct MatrixCase {
  DType dtype;
  int rows;
  int columns;
  std::vector<float> values;      // (rows, columns)
  std::vector<std::byte> packed;  // aligned by 64 within
  std::byte* groups;
  std::size_t group_bytes;

  MatrixCase(DType type, int row_count, int column_count, std::mt19937& random)
      : dtype(type), rows(row_count), columns(column_count), group_bytes(cpu::packed_group_bytes(type, column_count)) {
    const std::vector<std::byte> bytes = test::random_weights(dtype, std::int64_t{rows} * columns, 1, random);
    values.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    dequantise(dtype, bytes.data(), std::int64_t{rows} * columns, values.data());
    const int count = cpu::group_count(rows);
    packed.resize(static_cast<std::size_t>(count) * group_bytes + 64);
    groups = packed.data() + (64 - reinterpret_cast<std::uintptr_t>(packed.data()) % 64) % 64;
    for (int g = 0; g < count; g++) {
      cpu::pack_group(dtype, bytes.data() + static_cast<std::size_t>(g) * 16 * row_bytes(dtype, columns), columns, std::min(16, rows - 16 * g),
                      groups + static_cast<std::size_t>(g) * group_bytes);
    }
    if (cpu::activation_bits(dtype) == 16) take_words();
  }

  int blocks() const { return (columns + 31) / 32; }

  /// Of half floats what the packed words stand for, held against the floats themselves.
  void take_words() {
    for (int r = 0; r < rows; r++) {
      const std::byte* group = groups + static_cast<std::size_t>(r / 16) * group_bytes;
      for (int c = 0; c < columns; c++) {
        const cpu::PackedPlace place = cpu::packed_place(dtype, c / 32);
        std::uint16_t scale_bits;
        std::int16_t word;
        std::memcpy(&scale_bits, group + place.header + 2 * (r % 16), sizeof scale_bits);
        std::memcpy(&word, group + place.quants + 64 * (c % 32 / 2) + 4 * (r % 16) + 2 * (c % 2), sizeof word);
        const float scale = float_from_bf16(scale_bits);
        float& value = values[static_cast<std::size_t>(r * columns + c)];
        const float meant = scale * static_cast<float>(word);
        if (!(std::abs(meant - value) <= scale * 0.5001F) || word > cpu::most_wide_quant || word < -cpu::most_wide_quant) check(false, "a weight is rounded to the nearest of 14 bits");
        value = meant;
      }
    }
  }
};

/// Rows as the kernels want them, and as what they then stand for.
struct Input {
  std::vector<std::byte> bytes;
  std::vector<double> meant;  // (rows, columns)
};

/// Row `index` of a tile whose block begins at `block`: its quants and their scale.
struct Block {
  const std::byte* quants;
  const std::byte* scale;
  int width;  // of a quant, bytes

  double meant(int column) const {
    float value;
    std::memcpy(&value, scale, sizeof value);
    std::int16_t word = 0;
    std::memcpy(&word, quants + width * column, static_cast<std::size_t>(width));
    return static_cast<double>(value) * (width == 1 ? static_cast<std::int8_t>(word) : word);
  }
  double step() const {
    float value;
    std::memcpy(&value, scale, sizeof value);
    return static_cast<double>(value);
  }
};

Block block_of(int bits, const std::byte* tile_begin, int tile, int index, int number) {
  if (bits == 8) {
    const std::byte* block = tile_begin + std::ptrdiff_t{number} * cpu::quantised_bytes * tile;
    return {block + 32 * index, block + 32 * tile + std::ptrdiff_t{16} * index, 1};
  }
  const std::byte* block = tile_begin + std::ptrdiff_t{number} * cpu::wide_bytes * tile;
  return {block + 64 * index, block + 64 * tile + 4 * index, 2};
}

Input prepare(const Kernels& kernels, const MatrixCase& matrix, const std::vector<float>& x, int count) {
  const int columns = matrix.columns;
  const int bits = cpu::activation_bits(matrix.dtype);
  const int row_size = bits == 8 ? matrix.blocks() * cpu::quantised_bytes : bits == 16 ? matrix.blocks() * cpu::wide_bytes : columns * 4;
  Input input{std::vector<std::byte>(static_cast<std::size_t>(row_size * count)), {}};
  int first = 0;
  for (int row = 0; row < count; row++) {
    if (row == first + cpu::tile_rows(count - first)) first = row;
    const int tile = cpu::tile_rows(count - first);
    std::byte* to = input.bytes.data() + std::ptrdiff_t{first} * row_size;
    const float* from = x.data() + std::ptrdiff_t{row} * columns;
    if (bits == 0) {
      kernels.spread(from, columns, tile, row - first, reinterpret_cast<float*>(to));
      input.meant.insert(input.meant.end(), from, from + columns);
      continue;
    }
    (bits == 8 ? kernels.quantise : kernels.quantise_wide)(from, columns, tile, row - first, to);
    for (int c = 0; c < columns; c++) {
      const Block block = block_of(bits, to, tile, row - first, c / 32);
      const double meant = block.meant(c % 32);
      if (std::abs(meant - static_cast<double>(from[c])) > block.step() * 0.501) check(false, "rounded to the nearest");
      input.meant.push_back(meant);
    }
  }
  return input;
}

std::vector<float> multiply(const Kernels& kernels, const MatrixCase& matrix, const Input& input, int count) {
  const int groups = cpu::group_count(matrix.rows);
  const std::ptrdiff_t stride = groups * 16 + 3;
  std::vector<float> out(static_cast<std::size_t>(stride * count), -77.0F);
  kernels.multiply[static_cast<int>(matrix.dtype)](matrix.groups, matrix.group_bytes, matrix.columns, groups, input.bytes.data(), count,
                                                   out.data(), stride);
  std::vector<float> result;
  for (int r = 0; r < count; r++) {
    result.insert(result.end(), out.begin() + r * stride, out.begin() + r * stride + matrix.rows);
    for (std::ptrdiff_t i = groups * 16; i < stride; i++) {
      if (out[static_cast<std::size_t>(r * stride + i)] != -77.0F) check(false, "nothing is written behind the groups");
    }
  }
  return result;
}

void check_multiply(Instructions level, const MatrixCase& matrix, const std::vector<float>& x, int count) {
  const Kernels& kernels = *cpu::kernels_of(level);
  const std::string what = std::string(name_of(level)) + " " + std::string(info_of(matrix.dtype).name) + " " + std::to_string(matrix.rows) + "x" +
                           std::to_string(matrix.columns) + ", " + std::to_string(count) + " rows";
  const Input input = prepare(kernels, matrix, x, count);
  const std::vector<float> out = multiply(kernels, matrix, input, count);
  double worst = 0;
  for (int r = 0; r < count; r++) {
    for (int o = 0; o < matrix.rows; o++) {
      double sum = 0;
      double size = 0;
      for (int c = 0; c < matrix.columns; c++) {
        const double product = static_cast<double>(matrix.values[static_cast<std::size_t>(o * matrix.columns + c)]) * input.meant[static_cast<std::size_t>(r * matrix.columns + c)];
        sum += product;
        size += std::abs(product);
      }
      const double error = std::abs(static_cast<double>(out[static_cast<std::size_t>(r * matrix.rows + o)]) - sum) / (size + 1e-30);
      worst = std::isfinite(error) ? std::max(worst, error) : 1e9;
    }
  }
  // Formats with an offset or a minimum take the difference of two sums, each a few times the products' size.
  check(worst < 4e-6, what + ": off by " + std::to_string(worst * 1e6) + " millionths");
  const int last = count - 1;
  const std::vector<float> alone(x.begin() + std::ptrdiff_t{last} * matrix.columns, x.begin() + std::ptrdiff_t{count} * matrix.columns);
  const std::vector<float> single = multiply(kernels, matrix, prepare(kernels, matrix, alone, 1), 1);
  check(std::memcmp(single.data(), out.data() + std::ptrdiff_t{last} * matrix.rows, single.size() * sizeof(float)) == 0, what + ": the last row alone has the same bits");
}

LECTERN_TEST("cpu: matrices of every type times rows, at every level") {
  for (const Instructions level : levels()) {
    for (const DTypeInfo& type : dtype_table) {
      std::mt19937 random(static_cast<unsigned>(type.dtype) + 7);
      const int block = type.block_elements;
      for (const auto& [rows, columns] : {std::pair{37, block == 1 ? 33 : 3 * block}, std::pair{16, block == 1 ? 7 : block}, std::pair{1, block == 1 ? 1 : 2 * block}}) {
        const MatrixCase matrix(type.dtype, rows, columns, random);
        for (const int count : {1, 2, 3, 7, 16, 29}) {
          check_multiply(level, matrix, random_floats(static_cast<std::size_t>(count) * static_cast<std::size_t>(columns), random), count);
        }
      }
    }
  }
}

LECTERN_TEST("cpu: rows of zeros and of extremes quantise to finite values") {
  for (const Instructions level : levels()) {
    const Kernels& kernels = *cpu::kernels_of(level);
    for (const float value : {0.0F, 1e-38F, 1e-42F, -1e36F}) {
      const std::vector<float> x(32, value);
      std::vector<std::byte> out(cpu::quantised_bytes);
      kernels.quantise(x.data(), 32, 1, 0, out.data());
      cpu::BlockSums sums;
      std::memcpy(&sums, out.data() + 32, sizeof sums);
      check(std::isfinite(sums.scale) && std::isfinite(sums.sum), std::string(name_of(level)) + ": finite");
    }
  }
}

LECTERN_TEST("cpu: a row that is not finite spoils its products and no other row's") {
  for (const Instructions level : levels()) {
    const Kernels& kernels = *cpu::kernels_of(level);
    for (const float poison : {std::nanf(""), std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
      for (const int place : {0, 15, 16, 31, 40, 95}) {
        std::vector<float> x(2 * 96, 0.5F);
        x[static_cast<std::size_t>(96 + place)] = poison;
        std::vector<std::byte> out(2 * 3 * cpu::quantised_bytes);
        for (int row = 0; row < 2; row++) kernels.quantise(x.data() + row * 96, 96, 2, row, out.data());
        std::vector<std::byte> words(2 * 3 * cpu::wide_bytes);
        for (int row = 0; row < 2; row++) kernels.quantise_wide(x.data() + row * 96, 96, 2, row, words.data());
        for (int block = 0; block < 3; block++) {
          float scales[2];
          std::memcpy(scales, words.data() + block * 2 * cpu::wide_bytes + 128, sizeof scales);
          check(std::isfinite(scales[0]) && std::isnan(scales[1]) == (block == place / 32), std::string(name_of(level)) + ": 14 bits, block " + std::to_string(block));
        }
        for (std::size_t block = 0; block < 3; block++) {
          cpu::BlockSums sums[2];
          std::memcpy(sums, out.data() + block * 2 * cpu::quantised_bytes + 64, sizeof sums);
          for (int row = 0; row < 2; row++) {
            const std::string where = std::string(name_of(level)) + ": row " + std::to_string(row) + ", block " + std::to_string(block);
            check(std::isnan(sums[row].scale) == (row == 1) && std::isnan(sums[row].sum) == (row == 1), where);
          }
        }
      }
    }
  }
}

LECTERN_TEST("cpu: half floats that are not finite spoil their own row of the matrix, tiny ones are nothing") {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    constexpr int columns = 64;
    std::vector<std::uint16_t> halves(16 * columns, dtype == DType::f16 ? std::uint16_t{0x3C00} : std::uint16_t{0x3F80});
    halves[3 * columns + 40] = dtype == DType::f16 ? 0x7C00 : 0x7F80;
    halves[5 * columns] = dtype == DType::f16 ? 0xFE00 : 0xFFC0;
    for (int c = 0; c < columns; c++) halves[static_cast<std::size_t>(7 * columns + c)] = dtype == DType::bf16 ? std::uint16_t{0x0001} : std::uint16_t{0x0000};
    // The largest that the type has (beside it all else would be lost), and its smallest.
    std::fill_n(halves.begin() + 9 * columns, columns, std::uint16_t{0});
    halves[9 * columns] = dtype == DType::f16 ? 0x7BFF : 0x7F7F;
    std::fill_n(halves.begin() + 11 * columns, columns, dtype == DType::f16 ? std::uint16_t{0x0001} : std::uint16_t{0x1000});
    std::vector<std::byte> packed(cpu::packed_group_bytes(dtype, columns) + 64);
    std::byte* group = packed.data() + (64 - reinterpret_cast<std::uintptr_t>(packed.data()) % 64) % 64;
    cpu::pack_group(dtype, reinterpret_cast<const std::byte*>(halves.data()), columns, 16, group);
    for (const Instructions level : levels()) {
      const Kernels& kernels = *cpu::kernels_of(level);
      const std::vector<float> x(columns, 1.0F);
      std::vector<std::byte> input(2 * cpu::wide_bytes);
      kernels.quantise_wide(x.data(), columns, 1, 0, input.data());
      float out[16];
      kernels.multiply[static_cast<int>(dtype)](group, 0, columns, 1, input.data(), 1, out, 16);
      const std::string what = std::string(name_of(level)) + " " + std::string(info_of(dtype).name) + ": row ";
      for (int r = 0; r < 16; r++) {
        const auto i = static_cast<std::size_t>(r);
        double expected = 0;
        for (std::size_t c = 0; c < columns; c++) {
          const std::uint16_t half = halves[i * columns + c];
          expected += static_cast<double>(dtype == DType::f16 ? float_from_f16(half) : float_from_bf16(half));
        }
        if (r == 3 || r == 5) {
          check(std::isnan(out[i]), what + std::to_string(r) + " is no number");
        } else {
          test::check_near(static_cast<double>(out[i]), expected, 2e-4 * std::abs(expected) + 1e-30, what + std::to_string(r));
        }
      }
    }
  }
}

double silu(double z) { return z / (1 + std::exp(-z)); }
double gelu(double z) { return 0.5 * z * (1 + std::erf(z * M_SQRT1_2)); }

LECTERN_TEST("cpu: activation functions and norms, at every level") {
  std::mt19937 random(3);
  for (const Instructions level : levels()) {
    const Kernels& kernels = *cpu::kernels_of(level);
    const std::string name(name_of(level));
    for (const int count : {1, 16, 45}) {
      std::vector<float> x = random_floats(static_cast<std::size_t>(count), random);
      for (float& value : x) value *= 6;
      x[0] = count == 16 ? -200.0F : 200.0F;
      const std::vector<float> up = random_floats(x.size(), random);
      std::vector<float> gated = x;
      std::vector<float> bent = x;
      kernels.gate(gated.data(), up.data(), count);
      kernels.gelu(bent.data(), count);
      std::vector<float> layer(x.size());
      std::vector<float> rms(x.size());
      kernels.norm(x.data(), up.data(), x.data(), 1e-5F, count, layer.data());
      kernels.norm(x.data(), up.data(), nullptr, 1e-5F, count, rms.data());
      double mean = 0;
      double square = 0;
      for (const float value : x) mean += static_cast<double>(value) / count;
      for (const float value : x) square += static_cast<double>(value) * static_cast<double>(value) / count;
      for (std::size_t i = 0; i < x.size(); i++) {
        const double z = static_cast<double>(x[i]);
        const double w = static_cast<double>(up[i]);
        test::check_near(static_cast<double>(gated[i]), silu(z) * w, 1e-5 * (1 + std::abs(z * w)), name + ": silu");
        test::check_near(static_cast<double>(bent[i]), gelu(z), 2e-6 * (1 + std::abs(z)), name + ": gelu");
        test::check_near(static_cast<double>(layer[i]), (z - mean) / std::sqrt(square - mean * mean + 1e-5) * w + z, 1e-4 * (1 + std::abs(z)), name + ": layer norm");
        test::check_near(static_cast<double>(rms[i]), z / std::sqrt(square + 1e-5) * w, 1e-5 * (1 + std::abs(w)), name + ": RMS norm");
      }
    }
  }
}

LECTERN_TEST("cpu: half precision holds what is too large as its largest number") {
  for (const Instructions level : levels()) {
    const std::vector<float> x = {1.0F, -70000.0F, 65504.0F, 1e30F, 0.333251953F};
    std::vector<std::uint16_t> out(x.size());
    cpu::kernels_of(level)->to_f16(x.data(), static_cast<int>(x.size()), out.data());
    const float expected[] = {1.0F, -65504.0F, 65504.0F, 65504.0F, 0.333251953F};
    for (std::size_t i = 0; i < x.size(); i++) check(float_from_f16(out[i]) == expected[i], std::string(name_of(level)) + ": value " + std::to_string(i));
    const std::vector<float> none(19, std::nanf(""));
    std::vector<std::uint16_t> halves(none.size());
    cpu::kernels_of(level)->to_f16(none.data(), static_cast<int>(none.size()), halves.data());
    check(std::isnan(float_from_f16(halves.front())) && std::isnan(float_from_f16(halves.back())), std::string(name_of(level)) + ": NaN stays NaN");
  }
}

}  // namespace
}  // namespace lectern
