// Attention of prefill rows and of embedding models: the query tiles, and their kernel. For decode rows see
// decode_ops.cuh.
#pragma once

#include <algorithm>
#include <vector>

#include "backend/ops.h"
#include "cuda/selection/attention_selection.cuh"
#include "cuda/ops/launchers.h"
#include "cuda/runtime/runtime.h"
#include "cuda/runtime/staged_copy.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

class PrefillAttention {
 public:
  /// `warpgroups`: whether the device has them.
  PrefillAttention(const OpsShape& shape, Stream stream, bool warpgroups)
      : stream_(stream), part_rows_(shape.part_rows), tokens_(tokens_per_tile(group_of(shape))), usable_(has_flash_attention(shape.kv) && tokens_ > 0), groups_(stream, warpgroups && usable_, shape.kv) {
    host_tiles_.reserve(most_tiles(shape));
  }

  /// The most bytes that begin() adds.
  static std::size_t staged_bytes(const OpsShape& shape) { return StagedCopy::filled(most_tiles(shape) * sizeof(QueryTile)); }

  /// For all layers of a pass; the tiles are copied by `staged`.
  void begin(const Batch& batch, StagedCopy& staged) {
    host_tiles_.clear();
    if (!usable_) return;
    for (int row = batch.decode_rows; row < batch.rows; ++row) {
      const bool goes_on = row > batch.decode_rows && batch.slots[row] == batch.slots[row - 1] && batch.positions[row] == batch.positions[row - 1] + 1 &&
                           host_tiles_.back().tokens < tokens_ && row % part_rows_ != 0;
      if (!goes_on) host_tiles_.push_back({row, 0, batch.slots[row], batch.first[row] / kv_tile * kv_tile, 0});
      ++host_tiles_.back().tokens;
      host_tiles_.back().end = std::max(host_tiles_.back().end, batch.visible[row]);
    }
    tiles_ = staged.add(host_tiles_.data(), host_tiles_.size());
  }

  /// Attention of rows first .. first + count - 1 of the batch, which must not split a tile. q, out: (count, heads, head_size). Returns false where
  /// this cache or these heads need another kernel.
  bool attend(int first, int count, int heads, const Cache& cache, int layer, const int* row_first, const int* row_visible, const float* q, float* out) const {
    if (!usable_) return false;
    const auto before = [](const QueryTile& tile, int row) { return tile.first_row < row; };
    const auto from = std::lower_bound(host_tiles_.begin(), host_tiles_.end(), first, before);
    const auto to = std::lower_bound(from, host_tiles_.end(), first + count, before);
    const auto tiles = static_cast<int>(to - from);
    const QueryTile* const at = tiles_ + (from - host_tiles_.begin());
    const auto launch = groups_.takes() ? launch_wgmma_attention : launch_flash_attention;
    launch(stream_, cache, heads, layer, at, tiles, row_first, row_visible, first, q, out);
    return true;
  }

 private:
  static int group_of(const OpsShape& shape) { return std::max(1, shape.heads / std::max(1, shape.kv.heads)); }
  /// Rows that do not continue another row are tiles of their own.
  static std::size_t most_tiles(const OpsShape& shape) { return static_cast<std::size_t>(shape.rows); }

  Stream stream_;
  int part_rows_;
  int tokens_;  // of a tile at most
  bool usable_;
  AttentionSelection groups_;
  std::vector<QueryTile> host_tiles_;
  const QueryTile* tiles_ = nullptr;  // the same in device memory
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
