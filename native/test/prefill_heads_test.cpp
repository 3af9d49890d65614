// Queries, keys and values of prefill rows through the CUDA kernels: one launch computes all three for many rows, three launches for few, with the
// same bits.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/ops.h"
#include "cuda/emulation/faults.h"
#include "cuda/emulation/fibers.h"
#include "cuda_places.h"
#include "harness.h"
#include "made_product.h"
#include "opened_model.h"
#include "tensor/dtype.h"

namespace lectern {
namespace {

using test::check;
using test::Row;

struct HeadsCase {
  DType query, key, value;
  DType kept;
  bool turned;   // with RoPE
  bool normed;   // with head norms
};

/// Neither the heads nor the outputs of a matrix fill a tile; as many rows as make a device unpack the matrix.
class PromptHeads {
 public:
  static constexpr int rows = 197;
  static constexpr int columns = 64;
  static constexpr int heads = 6;
  static constexpr int kv_heads = 2;
  static constexpr int size = 64;

  PromptHeads(Backend& backend, const HeadsCase& made) : backend_(backend), turned_(made.turned) {
    OpsShape shape{};
    shape.rows = shape.part_rows = rows;
    shape.columns = columns;
    shape.outputs = heads * size;
    shape.logit_rows = 1;
    shape.heads = heads;
    shape.rotated = size;
    shape.kv = kv_.shape = {1, 1, rows, kv_heads, size, made.kept};
    ops_ = backend.make_ops(shape);
    const float* const norm = made.normed ? numbers_at(size) : nullptr;
    weights_ = {{numbers_at(columns), nullptr, 1e-5F},          {matrix(made.query, heads * size), numbers_at(heads * size)}, {matrix(made.key, kv_heads * size), nullptr},
                {matrix(made.value, kv_heads * size), numbers_at(kv_heads * size)}, norm, norm, heads};
    input_ = numbers(rows * columns);
    x_ = Memory(backend, input_.size() * sizeof(float));
    q_ = Memory(backend, std::size_t{rows} * heads * size * sizeof(float));
    backend.upload(x_.data(), input_.data(), input_.size() * sizeof(float));
    kept_bytes_ = ops_->kv_bytes(kv_.shape);
    cache_ = Memory(backend, kept_bytes_);
    kv_.data = cache_.data();
  }

  /// The queries, then the bytes of the cache, of passes of so many rows.
  std::vector<std::byte> made(int together) {
    std::vector<std::byte> all(q_bytes + kept_bytes_);
    backend_.upload(cache_.data(), all.data(), kept_bytes_);
    for (int first = 0; first < rows; first += together) {
      const int count = std::min(together, rows - first);
      std::vector<std::int32_t> zeros(static_cast<std::size_t>(count)), positions(zeros), visible(zeros);
      std::iota(positions.begin(), positions.end(), first);
      std::iota(visible.begin(), visible.end(), first + 1);
      std::vector<double> frequencies;
      for (int i = 0; i < size / 2; i++) frequencies.push_back(1.0 / (i + 1));
      ops_->begin({count, 0, zeros.data(), zeros.data(), positions.data(), positions.data(), zeros.data(), visible.data()}, turned_ ? Rope{frequencies.data(), size, 1.0F, false} : Rope{});
      ops_->project_attention(weights_, {0, count}, x_.floats() + static_cast<std::ptrdiff_t>(first) * columns, q_.floats() + static_cast<std::ptrdiff_t>(first) * heads * size, kv_, 0);
      ops_->end();
    }
    backend_.download(all.data(), q_.data(), q_bytes);
    backend_.download(all.data() + q_bytes, cache_.data(), kept_bytes_);
    return all;
  }

 private:
  static constexpr std::size_t q_bytes = std::size_t{rows} * heads * size * sizeof(float);

  Row numbers(int count) {
    std::normal_distribution<float> normal(0, 1);
    Row all(static_cast<std::size_t>(count));
    for (float& one : all) one = normal(random_);
    return all;
  }
  const float* numbers_at(int count) {
    const Row all = numbers(count);
    return ops_->load_vector(all.data(), all.size());
  }
  Matrix matrix(DType type, int outputs) { return test::place_random(backend_, *ops_, type, outputs, columns, 0.1F, random_); }

  Backend& backend_;
  bool turned_;
  std::mt19937 random_{5};
  std::unique_ptr<Ops> ops_;
  AttentionWeights weights_{};
  Row input_;
  Kv kv_{};
  std::size_t kept_bytes_ = 0;
  Memory x_, q_, cache_;
};

LECTERN_TEST("prefill rows: queries, keys and values of many rows have the bits of few rows, for every type and epilogue") {
  for (const test::Place& place : test::places_and_warpgroups()) {
    for (const HeadsCase& made : {HeadsCase{DType::q8_0, DType::q8_0, DType::q8_0, DType::f16, true, false}, HeadsCase{DType::q8_0, DType::q8_0, DType::q5_0, DType::q8_0, true, true},
                                  HeadsCase{DType::f16, DType::f16, DType::f16, DType::f16, true, false}, HeadsCase{DType::f16, DType::f16, DType::f16, DType::f16, false, false},
                                  HeadsCase{DType::f16, DType::f16, DType::f16, DType::f32, false, false}, HeadsCase{DType::f16, DType::f16, DType::q8_0, DType::f16, false, false}}) {
      const std::unique_ptr<Backend> backend = place.make();
      PromptHeads heads(*backend, made);
      const std::string name = place.name + ", " + std::string(info_of(made.query).name) + ", " + std::string(info_of(made.value).name) + " kept as " + std::string(info_of(made.kept).name) + (made.turned ? ", turned" : "");
      cuda::emulation::bulk_copy_count = 0;
      const std::vector<std::byte> whole = heads.made(PromptHeads::rows);
      check((cuda::emulation::bulk_copy_count > 0) == (place.name == test::warpgroup_place().name), name + ": by copies of boxes where there are warpgroups");
      check(whole == heads.made(67), name + ": in passes of 67");
      check(whole == heads.made(30), name + ": in passes of 30");
      cuda::emulation::set_reverse(true);
      check(whole == heads.made(PromptHeads::rows), name + ": threads in reverse");
      cuda::emulation::set_reverse(false);
    }
  }
}

}  // namespace
}  // namespace lectern
