// The emulated tensor cores against plain matrix products, with a different value for every element, placed by the manual's formulas for the
// elements of a fragment (the emulation is written from the registers' side).
#include "cuda/simt/tensor_cores.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "cuda/emulation/fibers.h"
#include "cuda/simt/warpgroups.h"
#include "cuda_places.h"
#include "harness.h"
#include "tensor/half.h"

namespace lectern {
namespace {

using cuda_emulated::Word;
using test::check;
using test::has_emulation;
namespace emulation = cuda::emulation;

/// Runs a warp in both orders of its lanes.
template <class Body>
void run_warp(const Body& body) {
  for (const bool reverse : {false, true}) {
    emulation::set_reverse(reverse);
    emulation::run_grid({1, 1, 1}, 32, [&] { body(static_cast<int>(emulation::thread_index.x)); });
  }
  emulation::set_reverse(false);
}

/// The position of element i of an A fragment: `per` elements per register, `depth` of k.
int a_row(int lane, int i, int per) { return lane / 4 + ((i / per) % 2 == 0 ? 0 : 8); }
int a_column(int lane, int i, int per) { return (lane % 4) * per + i % per + (i < 2 * per ? 0 : 4 * per); }
int b_row(int lane, int i, int per) { return (lane % 4) * per + i % per + (i < per ? 0 : 4 * per); }
int b_column(int lane) { return lane / 4; }

/// `per` elements per register: a (16, depth), b (depth, 8) as numbers; `encode` makes their bits.
template <class Number, class Sum, class Encode, class Multiply>
void check_product(int per, const std::vector<Number>& a, const std::vector<Number>& b, const Encode& encode, const Multiply& multiply, const std::string& name) {
  const int depth = 8 * per;
  std::vector<Sum> sums(128);
  run_warp([&](int lane) {
    Word in[4] = {};
    Word other[2] = {};
    const int bits = 32 / per;
    for (int i = 0; i < 4 * per; ++i) in[i / per] |= encode(a[static_cast<std::size_t>(a_row(lane, i, per) * depth + a_column(lane, i, per))]) << (bits * (i % per));
    for (int i = 0; i < 2 * per; ++i) other[i / per] |= encode(b[static_cast<std::size_t>(b_row(lane, i, per) * 8 + b_column(lane))]) << (bits * (i % per));
    Sum c[4];
    for (int i = 0; i < 4; ++i) c[i] = static_cast<Sum>(100 * i + lane);
    multiply(c, in, other);
    for (int i = 0; i < 4; ++i) sums[static_cast<std::size_t>((lane / 4 + (i < 2 ? 0 : 8)) * 8 + (lane % 4) * 2 + i % 2)] = c[i];
  });
  double worst = 0;
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 8; ++column) {
      const int lane = 4 * (row % 8) + column / 2;
      double exact = 100 * (column % 2 + 2 * (row / 8)) + lane;
      for (int k = 0; k < depth; ++k) exact += static_cast<double>(a[static_cast<std::size_t>(row * depth + k)]) * static_cast<double>(b[static_cast<std::size_t>(k * 8 + column)]);
      worst = std::max(worst, std::abs(exact - static_cast<double>(sums[static_cast<std::size_t>(row * 8 + column)])));
    }
  }
  check(worst < 1e-3, name + ": " + std::to_string(worst));
}

/// Small numbers that every format represents, different enough at all places that an exchange of two shows.
template <class Number>
std::vector<Number> numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Number> all(count);
  for (Number& value : all) value = static_cast<Number>(static_cast<int>(random() % 255) - 127);
  return all;
}

LECTERN_TEST("tensor cores: each emulated mma is the matrix product") {
  if (!has_emulation()) return;
  const std::vector<float> a = numbers<float>(256, 1);
  const std::vector<float> b = numbers<float>(128, 2);
  check_product<float, float>(2, a, b, [](float value) { return static_cast<Word>(f16_from_float(value)); }, cuda_emulated::mma_f16, "halves");
  check_product<float, float>(2, a, b, [](float value) { return static_cast<Word>(bf16_from_float(value)); }, cuda_emulated::mma_bf16, "bf16");
  // Bits that tf32 does not have must not count.
  check_product<float, float>(1, a, b, [](float value) { return bits_of(value) | 0xFFFU; }, cuda_emulated::mma_tf32, "tf32");
  check_product<int, int>(4, numbers<int>(512, 3), numbers<int>(256, 4), [](int value) { return static_cast<Word>(value) & 255U; }, cuda_emulated::mma_s8, "bytes");
}

LECTERN_TEST("tensor cores: ldmatrix loads by rows and by columns") {
  if (!has_emulation()) return;
  alignas(16) static std::uint16_t matrices[4][8][8];
  for (int i = 0; i < 256; ++i) matrices[i / 64][i / 8 % 8][i % 8] = static_cast<std::uint16_t>(i);
  bool right = true;
  run_warp([&](int lane) {
    Word straight[4];
    Word turned[4];
    cuda_emulated::ldmatrix(straight, matrices[lane / 8][lane % 8]);
    cuda_emulated::ldmatrix_transposed(turned, matrices[lane / 8][lane % 8]);
    for (int i = 0; i < 4; ++i) {
      const int g = lane / 4;
      const int t = lane % 4;
      const auto two = [&](int first, int second) { return static_cast<Word>(first) | static_cast<Word>(second) << 16; };
      right = right && straight[i] == two(matrices[i][g][2 * t], matrices[i][g][2 * t + 1]) && turned[i] == two(matrices[i][2 * t][g], matrices[i][2 * t + 1][g]);
    }
  });
  check(right, "every lane has its elements");
}

LECTERN_TEST("tensor cores: wgmma is the matrix product, which appears after the wait") {
  if (!has_emulation()) return;
  constexpr int outputs = 64;
  constexpr int depth = 64;
  const std::vector<float> a = numbers<float>(64 * depth, 5);
  const std::vector<float> b = numbers<float>(outputs * depth, 6);
  for (const bool halves : {false, true}) {
    for (const bool reverse : {false, true}) {
      std::vector<float> sums(64 * outputs);
      bool early = false;
      emulation::set_reverse(reverse);
      const auto body = [&] {
        const int thread = static_cast<int>(emulation::thread_index.x);
        // The manual's layout: 16-byte chunks of a row of 128 are exchanged by the number of the row among eight.
        unsigned char* const left = emulation::shared_memory() + (1024 - cuda_emulated::shared_address(emulation::shared_memory()) % 1024);
        unsigned char* const right = left + 64 * 128;
        for (int i = thread; i < 64 * depth; i += 128) {
          const int row = i / depth;
          const int k = i % depth;
          const auto encode = [&](float value) { return halves ? f16_from_float(value) : bf16_from_float(value); };
          const std::uint16_t bits[2] = {encode(a[static_cast<std::size_t>(i)]), encode(b[static_cast<std::size_t>(i)])};
          const int at = row * 128 + (k / 8 ^ row % 8) * 16 + k % 8 * 2;
          std::memcpy(left + at, &bits[0], 2);
          std::memcpy(right + at, &bits[1], 2);
        }
        emulation::block_barrier();
        const cuda_emulated::MatrixDescriptor rows = cuda_emulated::matrix_descriptor(cuda_emulated::shared_address(left));
        const cuda_emulated::MatrixDescriptor columns = cuda_emulated::matrix_descriptor(cuda_emulated::shared_address(right));
        float own[outputs / 8][4];
        for (int o = 0; o < outputs / 8; ++o) {
          for (int i = 0; i < 4; ++i) own[o][i] = static_cast<float>(thread + 1000 * i);
        }
        cuda_emulated::wgmma_fence();
        for (int part = 0; part < depth / 16; ++part) {
          if (halves) cuda_emulated::wgmma<true>(own, cuda_emulated::advance_descriptor(rows, part), cuda_emulated::advance_descriptor(columns, part));
          else cuda_emulated::wgmma<false>(own, cuda_emulated::advance_descriptor(rows, part), cuda_emulated::advance_descriptor(columns, part));
        }
        cuda_emulated::wgmma_commit();
        early = early || !std::isnan(own[3][2]);
        cuda_emulated::wgmma_wait<0>();
        const int row = thread / 32 * 16 + thread % 32 / 4;
        for (int o = 0; o < outputs / 8; ++o) {
          for (int i = 0; i < 4; ++i) sums[static_cast<std::size_t>((row + i / 2 * 8) * outputs + 8 * o + thread % 4 * 2 + i % 2)] = own[o][i];
        }
      };
      emulation::run_grid({1, 1, 1}, 128, body, 1024 + 2 * 64 * 128);
      emulation::set_reverse(false);
      // Every factor and sum is an integer that its format represents.
      bool right = true;
      for (int row = 0; row < 64; ++row) {
        for (int column = 0; column < outputs; ++column) {
          const int thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
          float exact = static_cast<float>(thread + 1000 * (row % 16 / 8 * 2 + column % 2));
          for (int k = 0; k < depth; ++k) exact += a[static_cast<std::size_t>(row * depth + k)] * b[static_cast<std::size_t>(column * depth + k)];
          right = right && exact == sums[static_cast<std::size_t>(row * outputs + column)];
        }
      }
      check(right && !early, std::string(halves ? "halves" : "bf16") + (reverse ? ", threads in reverse" : ""));
    }
  }
}

LECTERN_TEST("tensor cores: wgmma takes A from registers and an MN-major B, for two accumulators at a time") {
  if (!has_emulation()) return;
  constexpr int outputs = 128;
  constexpr int depth = 32;
  const std::vector<float> a = numbers<float>(64 * depth, 8);
  const std::vector<float> b = numbers<float>(outputs * depth, 9);
  for (const bool reverse : {false, true}) {
    std::vector<float> straight(64 * 64), turned(std::size_t{64} * outputs);
    bool early = false;
    bool late = false;
    emulation::set_reverse(reverse);
    const auto body = [&] {
      const int thread = static_cast<int>(emulation::thread_index.x);
      unsigned char* const rows = emulation::shared_memory() + (1024 - cuda_emulated::shared_address(emulation::shared_memory()) % 1024);
      unsigned char* const steps = rows + 64 * 128;
      // The first 64 outputs as rows of k; all of them as rows of 64 outputs for each k, 128 bytes apart, and the second 64 behind the first.
      for (int i = thread; i < outputs * depth; i += 128) {
        const int output = i / depth;
        const int k = i % depth;
        const std::uint16_t bits = f16_from_float(b[static_cast<std::size_t>(i)]);
        if (output < 64) std::memcpy(rows + output * 128 + (k / 8 ^ output % 8) * 16 + k % 8 * 2, &bits, 2);
        std::memcpy(steps + output / 64 * depth * 128 + k * 128 + (output % 64 / 8 ^ k % 8) * 16 + output % 8 * 2, &bits, 2);
      }
      emulation::block_barrier();
      const int row = thread / 32 * 16 + thread % 32 / 4;
      cuda_emulated::Word held[depth / 16][4];
      for (int k = 0; k < depth / 16; ++k) {
        for (int i = 0; i < 4; ++i) {
          const float* const from = a.data() + (row + i % 2 * 8) * depth + 16 * k + thread % 4 * 2 + i / 2 * 8;
          held[k][i] = cuda_emulated::pack_f16(from[0], from[1]);
        }
      }
      float first[8][4], second[outputs / 8][4];
      for (auto& sums : first) std::fill(sums, sums + 4, 1e9F);
      for (auto& sums : second) std::fill(sums, sums + 4, 7.0F);
      cuda_emulated::wgmma_fence();
      const auto place = cuda_emulated::matrix_descriptor(cuda_emulated::shared_address(rows));
      cuda_emulated::wgmma_register_a<false, cuda_emulated::Major::k>(first, held[0], place);
      cuda_emulated::wgmma_register_a<true, cuda_emulated::Major::k>(first, held[1], cuda_emulated::advance_descriptor(place, 1));
      cuda_emulated::wgmma_commit();
      for (int k = 0; k < depth / 16; ++k) {
        const auto at = cuda_emulated::transposed_matrix_descriptor(cuda_emulated::shared_address(steps) + static_cast<cuda_emulated::Word>(k * 16 * 128), depth * 128);
        cuda_emulated::wgmma_register_a<true, cuda_emulated::Major::mn>(second, held[k], at);
      }
      cuda_emulated::wgmma_commit();
      early = early || !std::isnan(first[0][0]);
      cuda_emulated::wgmma_wait<1>();
      late = late || std::isnan(first[7][3]);
      early = early || !std::isnan(second[15][3]);
      cuda_emulated::wgmma_wait<0>();
      for (int o = 0; o < outputs / 8; ++o) {
        for (int i = 0; i < 4; ++i) {
          const int to = row + i / 2 * 8;
          const int column = 8 * o + thread % 4 * 2 + i % 2;
          if (o < 8) straight[static_cast<std::size_t>(to * 64 + column)] = first[o][i];
          turned[static_cast<std::size_t>(to * outputs + column)] = second[o][i];
        }
      }
    };
    emulation::run_grid({1, 1, 1}, 128, body, 1024 + 64 * 128 + 2 * depth * 128);
    emulation::set_reverse(false);
    bool right = true;
    for (int row = 0; row < 64; ++row) {
      for (int column = 0; column < outputs; ++column) {
        float exact = 0;
        for (int k = 0; k < depth; ++k) exact += a[static_cast<std::size_t>(row * depth + k)] * b[static_cast<std::size_t>(column * depth + k)];
        right = right && turned[static_cast<std::size_t>(row * outputs + column)] == exact + 7 && (column >= 64 || straight[static_cast<std::size_t>(row * 64 + column)] == exact);
      }
    }
    check(right, std::string("sums") + (reverse ? ", threads in reverse" : ""));
    check(!early && !late, "each is there when its own products were waited for, and not before");
  }
}

LECTERN_TEST("tensor cores: cp.async data appear after the wait and not before") {
  if (!has_emulation()) return;
  alignas(16) static unsigned char from[3][16];
  alignas(16) static unsigned char to[3][16];
  for (int i = 0; i < 48; ++i) from[i / 16][i % 16] = static_cast<unsigned char>(i + 1);
  std::vector<bool> seen;
  const auto there = [&](int i) { return std::memcmp(from[i], to[i], 16) == 0; };
  emulation::run_grid({1, 1, 1}, 1, [&] {
    cuda_emulated::cp_async_16(to[0], from[0], true);
    cuda_emulated::cp_async_commit();
    cuda_emulated::cp_async_16(to[1], from[1], true);
    cuda_emulated::cp_async_16(to[2], from[2], false);
    cuda_emulated::cp_async_commit();
    seen.push_back(!there(0) && !there(1));
    cuda_emulated::cp_async_wait<1>();
    seen.push_back(there(0) && !there(1));
    cuda_emulated::cp_async_wait<0>();
    seen.push_back(there(1) && to[2][0] == 0 && to[2][15] == 0);
  });
  check(seen == std::vector<bool>{true, true, true}, "in the order of the groups, zeros where nothing is wanted");
}

LECTERN_TEST("tensor cores: roundings") {
  check(cuda_emulated::pack_bf16(1.0F, -2.0F) == 0xC0003F80U, "bf16, the first low");
  check(cuda_emulated::pack_f16(1.0F, -2.0F) == 0xC0003C00U, "halves, the first low");
  check(cuda_emulated::round_tf32(1.0F + 0x1p-11F) == bits_of(1.0F + 0x1p-10F) && cuda_emulated::round_tf32(1.0F + 0x1p-12F) == bits_of(1.0F), "tf32, ties away");
}

}  // namespace
}  // namespace lectern
