// Whether rows of prompts attend by warpgroups (kernels/attention_prefill/wgmma_flash.cuh): tried on this device when a model's operations are made. Only where they agree with the tiles of
// flash.cuh, and with one another to the last bit whatever the tiles, are they used, and then for all such rows: their last bits are others, and what a row becomes may not
// depend on its company.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "cuda/ops/launchers.h"
#include "cuda/runtime/runtime.h"
#include "cuda/selection/kernel_trial.h"
#include "error.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

class AttentionChoice {
 public:
  /// Tries heads of this size where that is worth it, and remarks what is wrong. Throws what the runtime does, and Error `device_lost`, with the way out, where the trial took the
  /// device with it.
  AttentionChoice(Stream stream, bool warpgroups, const KvShape& shape) : stream_(stream), size_(shape.head_size) {
    if (!warpgroups || shape.heads == 0 || shape.head_size == 0 || !goes_by_group_attention(shape)) return;
    std::string fault;
    try {
      fault = fault_of();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::device_lost) throw;
      throw Error(ErrorCode::device_lost, error.what() + std::string(" That was while attention by warpgroups was tried: with LECTERN_WARPGROUPS=off (--warpgroups off) nothing tries it."));
    }
    takes_ = fault.empty();
    if (!takes_) remark("Attention of prompts goes by single warps, which is slower: " + fault);
  }

  bool takes() const { return takes_; }

 private:
  // More cells than a block has room for at a time, the last of no whole tile; rows of two warpgroups that see from one to all of a tile.
  static constexpr int cells = 7 * cell_tile - 40;
  static constexpr int tokens = 24;
  static constexpr int heads = 3;

  /// What is wrong with attention by warpgroups, as a sentence; empty: nothing.
  std::string fault_of() const {
    const auto head = static_cast<std::size_t>(size_);
    TrialNoise noise;
    std::vector<std::uint16_t> pairs(2 * cells * head);
    for (std::uint16_t& half : pairs) half = half_of(noise.value());
    std::vector<float> queries(std::size_t{tokens} * heads * head);
    for (float& value : queries) value = noise.value() / 4;
    std::vector<int> told;
    for (int row = 0; row < tokens; ++row) told.push_back(row % 5 == 4 ? 2 * row : 0);
    for (int row = 0; row < tokens; ++row) told.push_back(cells - tokens + 1 + row);
    const DeviceArray<std::uint16_t> kept(pairs.size());
    const DeviceArray<float> q(queries.size());
    const DeviceArray<float> out(queries.size());
    const DeviceArray<int> sees(told.size());
    const DeviceArray<QueryTile> tiles(2);
    copy_to_device(stream_, kept.get(), pairs.data(), 2 * pairs.size());
    copy_to_device(stream_, q.get(), queries.data(), sizeof(float) * queries.size());
    copy_to_device(stream_, sees.get(), told.data(), sizeof(int) * told.size());
    const Cache cache{kept.get(), CacheType::halves, 1, 1, cells, 1, size_};
    /// By `launch`, the first `begin` tokens in a tile of their own.
    const auto result = [&](auto* launch, int begin) {
      std::vector<QueryTile> own;
      if (begin > 0) own.push_back({0, begin, 0, 0, cells - tokens + begin});
      own.push_back({begin, tokens - begin, 0, 0, cells});
      copy_to_device(stream_, tiles.get(), own.data(), sizeof(QueryTile) * own.size());
      clear(stream_, out.get(), sizeof(float) * queries.size());
      launch(stream_, cache, heads, 0, tiles.get(), static_cast<int>(own.size()), sees.get(), sees.get() + tokens, 0, q.get(), out.get());
      finish_trial(stream_);
      std::vector<float> got(queries.size());
      copy_to_host(stream_, got.data(), out.get(), sizeof(float) * got.size());
      return got;
    };
    const std::vector<float> single = result(launch_tile_attention, 0);
    const std::vector<float> together = result(launch_group_attention, 0);
    const double distance = trial_distance(together, single);
    // Shares are halves: one whose last bit falls elsewhere is 2^-11 of itself.
    if (!(distance < 2e-4)) return "by warpgroups it differs by " + std::to_string(distance) + " of its size.";
    if (std::memcmp(result(launch_group_attention, 5).data(), together.data(), sizeof(float) * together.size()) != 0) return "by warpgroups its last bits depend on the tile.";
    return {};
  }

  /// Of numbers that are not small.
  static std::uint16_t half_of(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
    if (magnitude < 0x38800000U) return 0;
    return static_cast<std::uint16_t>((bits >> 16 & 0x8000U) | ((magnitude - 0x38000000U) >> 13));
  }

  Stream stream_;
  int size_;
  bool takes_ = false;
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
