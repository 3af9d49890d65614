// Attention of many rows through the CUDA kernels, on the emulation and on a device where there is one, against sums in double: heads
// of several sizes, caches of every type, windows, and the same bits whatever company a row has.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "attention_case.h"
#include "cuda/emulation/fibers.h"
#include "cuda_places.h"
#include "harness.h"
#include "tensor/half.h"

namespace lectern {
namespace {

using test::AttentionCase;
using test::AttentionRun;
using test::check;

/// A half has 11 bits, a byte 8 of the largest of 32.
double allowed(DType kv) { return kv == DType::f32 ? 3e-6 : kv == DType::f16 ? 4e-3 : 4e-2; }

/// The keys and values as a cache of halves or of bytes keeps them.
AttentionCase kept(const AttentionCase& made, DType kv) {
  AttentionCase kept = made;
  for (std::size_t begin = 0; begin < kept.pairs.size(); begin += 32) {
    float* const part = kept.pairs.data() + begin;
    const auto end = std::min<std::size_t>(32, kept.pairs.size() - begin);
    float largest = 0;
    for (std::size_t i = 0; i < end; i++) largest = std::max(largest, std::abs(part[i]));
    const float scale = float_from_f16(f16_from_float(largest / 127));
    for (std::size_t i = 0; i < end; i++) part[i] = kv == DType::f16 ? float_from_f16(f16_from_float(part[i])) : scale * std::nearbyint(part[i] * (1 / scale));
  }
  return kept;
}

LECTERN_TEST("cuda: rows of answers take keys and values exactly as the cache keeps them, split over the chip") {
  for (const test::Place& place : test::places()) {
    for (const DType kv : {DType::f16, DType::q8_0}) {
      for (const int size : {32, 96, 160}) {
        const AttentionCase made(size);
        const std::unique_ptr<Backend> backend = place.make();
        AttentionRun run(*backend, made, kv);
        const std::vector<int> rows = {0, 63, 64, 65, 299};
        const std::string name = place.name + ", heads of " + std::to_string(size) + ", " + std::string(info_of(kv).name);
        for (const std::vector<std::int32_t>& first : {std::vector<std::int32_t>{0, 0, 0, 0, 0}, std::vector<std::int32_t>{0, 40, 64, 3, 101}}) {
          cuda::emulation::blocks_begun = 0;
          const std::vector<float> alone = run.attend(rows, first, 1, true);
          // Parts of every row and what puts them together, not a block for each head.
          if (place.name == "emulated") check(cuda::emulation::blocks_begun > 5 * 2 * 16, name + ": split over " + std::to_string(cuda::emulation::blocks_begun) + " blocks");
          const double error = kept(made, kv).furthest(rows, first, alone);
          check(error < 1e-5, name + ": " + std::to_string(error));
          check(run.attend(rows, first, 4, true) == alone, name + ": the same bits beside others");
          cuda::emulation::set_reverse(true);
          check(run.attend(rows, first, 1, true) == alone, name + ": the same bits with the threads in reverse");
          cuda::emulation::set_reverse(false);
        }
      }
    }
  }
}

LECTERN_TEST("prompt attention: a row sees the cells of its window and no other, the same bits in any company") {
  std::vector<int> rows;
  for (int row = 0; row < AttentionCase::positions; row++) rows.push_back(row);
  for (const test::Place& place : test::places()) {
    for (const auto& [size, kv, window] : std::vector<std::tuple<int, DType, int>>{{128, DType::f16, 300}, {40, DType::f16, 70}, {64, DType::q8_0, 300}, {96, DType::q8_0, 1}, {20, DType::f16, 300}}) {
      const AttentionCase made(size);
      const std::unique_ptr<Backend> backend = place.make();
      AttentionRun run(*backend, made, kv);
      std::vector<std::int32_t> first;
      for (const int row : rows) first.push_back(std::max(0, row + 1 - window));
      const std::string name = place.name + ", heads of " + std::to_string(size) + ", " + std::string(info_of(kv).name) + ", a window of " + std::to_string(window);
      const std::vector<float> whole = run.attend(rows, first, AttentionCase::positions);
      const double error = made.furthest(rows, first, whole);
      check(error < allowed(kv), name + ": " + std::to_string(error));
      check(run.attend(rows, first, 77) == whole, name + ": in passes of 77");
      cuda::emulation::set_reverse(true);
      check(run.attend(rows, first, AttentionCase::positions) == whole, name + ": threads in reverse");
      cuda::emulation::set_reverse(false);
      // A few rows, each a tile of its own, and as answers go on.
      const std::vector<int> some = {0, 63, 64, 150, 299};
      std::vector<std::int32_t> from;
      std::vector<float> same;
      for (const int row : some) {
        from.push_back(first[static_cast<std::size_t>(row)]);
        const auto at = whole.begin() + std::ptrdiff_t{row} * AttentionCase::heads * size;
        same.insert(same.end(), at, at + std::ptrdiff_t{AttentionCase::heads} * size);
      }
      check(run.attend(some, from, 5) == same, name + ": each a tile of its own");
      check(made.furthest(some, from, run.attend(some, from, 1, true)) < allowed(kv), name + ": rows of answers");
    }
  }
}

}  // namespace
}  // namespace lectern
