// Attention of prefill rows through the CUDA kernels, on the emulation and on a device where there is one, against sums in double: heads
// of several sizes, caches of every type, windows, and the same bits beside any other rows.
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "attention_case.h"
#include "cuda/emulation/backend.h"
#include "cuda/emulation/faults.h"
#include "cuda/emulation/fibers.h"
#include "cuda_places.h"
#include "harness.h"
#include "tensor/half.h"

namespace lectern {
namespace {

using test::AttentionCase;
using test::AttentionRun;
using test::check;
namespace emulation = cuda::emulation;

/// f16 has 11 bits, int8 8 bits of the largest of 32.
double allowed(DType kv) { return kv == DType::f32 ? 3e-6 : kv == DType::f16 ? 4e-3 : 4e-2; }

/// The keys and values as a cache of f16 or int8 stores them.
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

LECTERN_TEST("cuda: decode rows: split-KV attention reads keys and values exactly as the cache stores them") {
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
          // The splits of every row and their combination, not a block for each head.
          if (place.name == "emulated") check(cuda::emulation::blocks_begun > 5 * 2 * 16, name + ": split over " + std::to_string(cuda::emulation::blocks_begun) + " blocks");
          const double error = kept(made, kv).furthest(rows, first, alone);
          // The tensor cores truncate sums; queries or probabilities as single f16 were some 1e-4.
          check(error < 3e-5, name + ": " + std::to_string(error));
          check(run.attend(rows, first, 4, true) == alone, name + ": the same bits beside others");
          cuda::emulation::set_reverse(true);
          check(run.attend(rows, first, 1, true) == alone, name + ": the same bits with the threads in reverse");
          cuda::emulation::set_reverse(false);
        }
      }
    }
  }
}

/// Positions of an f16 cache: 8,192 of them are 64 splits, more than a warp has lanes.
LECTERN_TEST("cuda: decode rows: thousands of positions are split into the largest number of splits") {
  constexpr int heads = 3;
  constexpr int size = 32;
  constexpr int positions = 8192;
  std::mt19937 random(9);
  std::normal_distribution<float> normal(0, 1);
  std::vector<std::uint16_t> cache(std::size_t{2} * positions * size);
  for (std::uint16_t& half : cache) half = f16_from_float(normal(random));
  std::vector<float> queries(std::size_t{heads} * size);
  for (float& value : queries) value = normal(random);
  for (const test::Place& place : test::places()) {
    const std::unique_ptr<Backend> backend = place.make();
    OpsShape shape{};
    shape.rows = shape.part_rows = shape.logit_rows = shape.threads = 1;
    shape.columns = shape.outputs = heads * size;
    shape.heads = heads;
    shape.kv = {1, 1, positions, 1, size, DType::f16};
    const std::unique_ptr<Ops> ops = backend->make_ops(shape);
    const Memory kept(*backend, ops->kv_bytes(shape.kv));
    const Memory rows(*backend, queries.size() * sizeof(float));
    backend->upload(kept.data(), cache.data(), cache.size() * sizeof cache[0]);
    for (const std::int32_t visible : {2048, 2049, 4096, 4097, 5000, positions}) {
      backend->upload(rows.data(), queries.data(), queries.size() * sizeof(float));
      const std::int32_t zero = 0;
      const std::int32_t last = visible - 1;
      ops->begin({1, 1, &zero, &zero, &last, &last, &zero, &visible}, Rope{});
      ops->attend(heads, {0, 1}, rows.floats(), {shape.kv, kept.data()}, 0, rows.floats());
      ops->end();
      std::vector<float> got(queries.size());
      backend->download(got.data(), rows.data(), got.size() * sizeof(float));
      double worst = 0;
      for (int h = 0; h < heads; h++) {
        double total = 0;
        std::vector<double> sums(size);
        for (int p = 0; p < visible; p++) {
          const auto key = [&](int d) { return static_cast<double>(float_from_f16(cache[static_cast<std::size_t>(p * size + d)])); };
          const auto value = [&](int d) { return static_cast<double>(float_from_f16(cache[static_cast<std::size_t>((positions + p) * size + d)])); };
          double score = 0;
          for (int d = 0; d < size; d++) score += static_cast<double>(queries[static_cast<std::size_t>(h * size + d)]) * key(d);
          total += std::exp(score);
          for (int d = 0; d < size; d++) sums[static_cast<std::size_t>(d)] += std::exp(score) * value(d);
        }
        for (int d = 0; d < size; d++) {
          const double error = std::abs(static_cast<double>(got[static_cast<std::size_t>(h * size + d)]) - sums[static_cast<std::size_t>(d)] / total);
          worst = std::isfinite(error) ? std::max(worst, error) : 1e9;
        }
      }
      check(worst < 3e-5, place.name + ", " + std::to_string(visible) + " positions: " + std::to_string(worst));
    }
  }
}

LECTERN_TEST("prefill attention: a row sees the positions of its window and no other, with the same bits beside any other rows") {
  std::vector<int> rows;
  for (int row = 0; row < AttentionCase::positions; row++) rows.push_back(row);
  for (const test::Place& place : test::places_and_warpgroups()) {
    for (const auto& [size, kv, window] : std::vector<std::tuple<int, DType, int>>{{128, DType::f16, 300}, {40, DType::f16, 70}, {64, DType::q8_0, 300}, {96, DType::q8_0, 1}, {20, DType::f16, 300}}) {
      const AttentionCase made(size);
      const std::unique_ptr<Backend> backend = place.make();
      AttentionRun run(*backend, made, kv);
      std::vector<std::int32_t> first;
      for (const int row : rows) first.push_back(std::max(0, row + 1 - window));
      const std::string name = place.name + ", heads of " + std::to_string(size) + ", " + std::string(info_of(kv).name) + ", a window of " + std::to_string(window);
      emulation::wgmma_count = 0;
      const std::vector<float> whole = run.attend(rows, first, AttentionCase::positions);
      if (place.name == test::warpgroup_place().name) check((emulation::wgmma_count > 0) == (kv == DType::f16 && size % 8 == 0), name + ": by wgmma");
      const double error = made.furthest(rows, first, whole);
      check(error < allowed(kv), name + ": " + std::to_string(error));
      check(run.attend(rows, first, 77) == whole, name + ": in passes of 77");
      cuda::emulation::set_reverse(true);
      check(run.attend(rows, first, AttentionCase::positions) == whole, name + ": threads in reverse");
      cuda::emulation::set_reverse(false);
      // A few rows, each a tile of its own, and as decode rows.
      const std::vector<int> some = {0, 63, 64, 150, 299};
      std::vector<std::int32_t> from;
      std::vector<float> same;
      for (const int row : some) {
        from.push_back(first[static_cast<std::size_t>(row)]);
        const auto at = whole.begin() + std::ptrdiff_t{row} * AttentionCase::heads * size;
        same.insert(same.end(), at, at + std::ptrdiff_t{AttentionCase::heads} * size);
      }
      check(run.attend(some, from, 5) == same, name + ": each a tile of its own");
      check(made.furthest(some, from, run.attend(some, from, 1, true)) < allowed(kv), name + ": decode rows");
    }
  }
}

LECTERN_TEST("prefill attention: wgmma is tried, and where the trial finds it wrong it is not used, and that is remarked") {
  if (!test::tests_emulation()) return;
  const AttentionCase made(72);
  const std::vector<int> rows = {3, 4, 5, 100, 299};
  const std::vector<std::int32_t> first(rows.size());
  const auto result = [&](int device, bool wrong) {
    emulation::remarks.clear();
    emulation::wgmma_is_wrong = wrong;
    const std::unique_ptr<Backend> backend = cuda_emulated::make_backend(device);
    AttentionRun run(*backend, made, DType::f16);
    emulation::wgmma_is_wrong = false;
    emulation::wgmma_count = 0;
    return run.attend(rows, first, 5);
  };
  const std::vector<float> single = result(0, false);
  check(result(1, true) == single && emulation::wgmma_count == 0, "mma.sync is used");
  check(emulation::remarks.find("Attention of prefill rows uses mma.sync") != std::string::npos, "said: " + emulation::remarks);
  const std::vector<float> taken = result(1, false);
  check(emulation::wgmma_count > 0 && emulation::remarks.empty(), "where nothing is wrong they are used, and nothing is said: " + emulation::remarks);
  check(made.furthest(rows, first, taken) < allowed(DType::f16), "to the same end");
  emulation::wgmma_count = 0;
  const std::unique_ptr<Backend> backend = cuda_emulated::make_backend(1);
  AttentionRun bytes(*backend, made, DType::f32);
  check(bytes.attend(rows, first, 5).size() == single.size() && emulation::wgmma_count == 0, "a cache that they do not take is not tried");
}

}  // namespace
}  // namespace lectern
