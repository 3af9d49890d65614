// Random queries, keys and values, and attention over them: in double, and by the operations of a backend.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "backend/ops.h"
#include "tensor/dtype.h"

namespace lectern::test {

/// Queries of `heads` that share `kv_heads`, one of each a position.
struct AttentionCase {
  static constexpr int heads = 4;
  static constexpr int kv_heads = 2;
  static constexpr int positions = 300;

  int size;
  std::vector<float> queries;  // (positions, heads, size)
  std::vector<float> pairs;    // (positions, keys then values, kv_heads, size)

  explicit AttentionCase(int head_size);

  const float* pair(int position, bool value, int head) const { return pairs.data() + ((static_cast<std::ptrdiff_t>(position) * 2 + (value ? 1 : 0)) * kv_heads + head) * size; }

  /// What query `row` of `head` sees of the positions from first to before visible.
  std::vector<double> expected(int row, int head, int first, int visible) const;

  /// The greatest difference of `got` (rows, heads, size) from what the rows see of the positions from `first` on.
  double furthest(const std::vector<int>& rows, const std::vector<std::int32_t>& first, const std::vector<float>& got) const;
};

/// The case's keys and values in the cache of a backend, written by its own projection, and its queries. Neither may end before this.
class AttentionRun {
 public:
  AttentionRun(Backend& backend, const AttentionCase& made, DType kv = DType::f32);

  /// Attention of some rows, each from a first position of its own; in passes of `rows_per_pass`, as decode rows
  /// where `decoded`.
  std::vector<float> attend(const std::vector<int>& rows, const std::vector<std::int32_t>& first, int rows_per_pass, bool decoded = false);

 private:
  const AttentionCase& made_;
  Backend& backend_;
  std::unique_ptr<Ops> ops_;
  Memory memory_;  // of the cache
  Memory rows_;    // (positions, heads, size): queries, then what comes of them
  Kv kv_{};
  std::vector<float> queries_;  // as the ops attend with them
};

}  // namespace lectern::test
