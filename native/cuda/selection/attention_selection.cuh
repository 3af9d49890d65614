// Chooses the prefill attention kernel by a trial on the device, when the operations of a model are created: wgmma attention (kernels/attention_prefill/wgmma_flash.cuh) where it agrees with
// flash.cuh and gives the same bits for all tiles, else flash.cuh. The choice holds for all prefill rows, because the last bits of the two differ and a row's bits may not
// depend on other rows.
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

class AttentionSelection {
 public:
  /// Runs the trial with heads of this size, where the wgmma kernel supports them, and remarks faults in the log. Throws what the runtime throws, and Error `device_lost`, whose message names the
  /// switch that skips the trial, where the kernel lost the device.
  AttentionSelection(Stream stream, bool warpgroups, const KvShape& shape) : stream_(stream), size_(shape.head_size) {
    if (!warpgroups || shape.heads == 0 || shape.head_size == 0 || !has_wgmma_attention(shape)) return;
    std::string fault;
    try {
      fault = fault_of();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::device_lost) throw;
      throw Error(ErrorCode::device_lost, error.what() + std::string(" This happened in the trial of wgmma attention: LECTERN_WARPGROUPS=off (--warpgroups off) skips it."));
    }
    takes_ = fault.empty();
    if (!takes_) remark("Attention of prefill rows uses mma.sync, which is slower: " + fault);
  }

  /// Whether prefill rows use wgmma attention.
  bool takes() const { return takes_; }

 private:
  // Positions and tokens of the trial: more positions than the stages of a thread block hold, with a last tile that is not full, and rows for two warpgroups whose masks
  // leave from one to all positions of a tile.
  static constexpr int cells = 7 * kv_tile - 40;
  static constexpr int tokens = 24;
  static constexpr int heads = 3;

  /// The fault of attention by wgmma, as a sentence; empty: none.
  std::string fault_of() const {
    const auto head = static_cast<std::size_t>(size_);
    TrialRandom noise;
    std::vector<std::uint16_t> pairs(2 * cells * head);
    for (std::uint16_t& half : pairs) half = half_of(noise.value());
    std::vector<float> queries(std::size_t{tokens} * heads * head);
    for (float& value : queries) value = noise.value() / 4;
    std::vector<int> staged;
    for (int row = 0; row < tokens; ++row) staged.push_back(row % 5 == 4 ? 2 * row : 0);
    for (int row = 0; row < tokens; ++row) staged.push_back(cells - tokens + 1 + row);
    const DeviceArray<std::uint16_t> kept(pairs.size());
    const DeviceArray<float> q(queries.size());
    const DeviceArray<float> out(queries.size());
    const DeviceArray<int> sees(staged.size());
    const DeviceArray<QueryTile> tiles(2);
    copy_to_device(stream_, kept.get(), pairs.data(), 2 * pairs.size());
    copy_to_device(stream_, q.get(), queries.data(), sizeof(float) * queries.size());
    copy_to_device(stream_, sees.get(), staged.data(), sizeof(int) * staged.size());
    const Cache cache{kept.get(), CacheType::halves, 1, 1, cells, 1, size_};
    /// The output of `launch`, with the first `begin` tokens in a tile of their own.
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
    const std::vector<float> single = result(launch_flash_attention, 0);
    const std::vector<float> together = result(launch_wgmma_attention, 0);
    const double distance = trial_distance(together, single);
    // Probabilities are rounded to f16, with an error of up to 2^-11 of each.
    if (!(distance < 2e-4)) return "with wgmma it differs by " + std::to_string(distance) + " of its size.";
    if (std::memcmp(result(launch_wgmma_attention, 5).data(), together.data(), sizeof(float) * together.size()) != 0) return "with wgmma its last bits depend on the tile.";
    return {};
  }

  /// A float as f16, rounded towards zero; subnormal numbers become 0.
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
