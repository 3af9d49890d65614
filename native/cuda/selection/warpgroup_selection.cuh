// Whether prompts go by warpgroups (kernels/gemm/wgmma_gemm.cuh): tried on this device once for each type of weights, when the first matrix of it
// is placed. Only where they agree with the tiles of mma_gemm.cuh, and with one another to the last bit, are they used, and then for
// all rows: the last bits of a sum are others than those of mma_gemm.cuh, and what a row becomes may not depend on its company.
#pragma once

#include <array>
#include <climits>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "cuda/kernels/layout/bit_planes.cuh"
#include "cuda/ops/launchers.h"
#include "cuda/runtime/runtime.h"
#include "cuda/selection/kernel_trial.h"
#include "cuda/simt/dispatch_type.h"
#include "error.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// `rows` rows of a product's weights from `weights` on, as 16-bit floats.
struct RunUnpack {
  Stream stream;
  const std::uint8_t* weights;
  const TileProduct& product;
  int rows;
  std::uint16_t* values;
  template <DType type>
  void run() const {
    if constexpr (goes_by_groups(type) && type != DType::f16) launch_unpack<type>(stream, weights, product.row_bytes, rows, product.columns, values);
  }
};

class GroupChoice {
 public:
  /// `processors`: multiprocessors of a device that has warpgroups, else 0.
  GroupChoice(Stream stream, int processors) : stream_(stream), processors_(processors) {}

  /// Tries the type where that was not done, and remarks what is wrong. Throws what the runtime does, and Error `device_lost`, with the way
  /// out, where the trial took the device with it.
  void prepare(DType type) {
    State& state = states_[static_cast<std::size_t>(type)];
    if (processors_ == 0 || !goes_by_groups(type) || state != State::untried) return;
    std::string fault;
    State found = State::refused;
    try {
      fault = fault_of(type, found);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::device_lost) throw;
      throw Error(ErrorCode::device_lost, error.what() + std::string(" That was while products by warpgroups were tried: with LECTERN_WARPGROUPS=off (--warpgroups off) nothing tries them."));
    }
    state = found;
    if (!fault.empty()) {
      remark("Prompts with weights of " + std::string(info_of(type).name) + " go by " + (found == State::refused ? "single warps" : "smaller tiles") + ", which is slower: " + fault);
    }
  }

  /// Of a type that was prepared.
  bool takes(DType type) const { return states_[static_cast<std::size_t>(type)] >= State::usable; }
  /// Whether dense tiles give the same bits.
  bool takes_dense(DType type) const { return states_[static_cast<std::size_t>(type)] == State::dense; }
  int processors() const { return processors_; }

 private:
  /// From `usable` on each can do what those before it can.
  enum class State : std::uint8_t { untried, refused, usable, dense };

  // Neither a whole tile of any kind; columns for more steps than a block has stages, twice.
  static constexpr int rows = 72;
  static constexpr int outputs = 72;
  static constexpr int columns = 512;

  /// 16-bit floats of both signs between 1/4 and 1.
  static std::uint16_t some_float(TrialNoise& noise, bool halves) {
    const std::uint32_t bits = noise.next();
    return static_cast<std::uint16_t>(halves ? (bits & 0x87FFU) | 0x3400U : (bits & 0x80FFU) | 0x3E80U);
  }

  /// A matrix as it lies on the device.
  static std::vector<std::uint8_t> some_weights(DType type) {
    if (type != DType::f16) return trial_weights(type, columns, outputs);
    TrialNoise noise;
    std::vector<std::uint8_t> all(placed_row_bytes(type, columns) * outputs);
    for (std::size_t i = 0; i < all.size(); i += 2) {
      const std::uint16_t value = some_float(noise, true);
      std::memcpy(all.data() + i, &value, 2);
    }
    return all;
  }

  struct RunSingle {
    Stream stream;
    const TileProduct& product;
    template <DType type>
    void run() const {
      if constexpr (goes_by_groups(type)) launch_tiles<type>(stream, INT_MAX, product);
    }
  };
  struct RunGroups {
    Stream stream;
    int processors;
    const TileProduct& product;
    template <DType type>
    void run() const {
      if constexpr (goes_by_groups(type)) launch_group_tiles<type>(stream, processors, product);
    }
  };

  /// What is wrong with products of this type by warpgroups, as a sentence; empty: nothing. `found`: what may be used.
  std::string fault_of(DType type, State& found) const {
    const bool halves = type == DType::f16;
    const std::vector<std::uint8_t> weights = some_weights(type);
    TrialNoise noise;
    std::vector<std::uint16_t> values(std::size_t{rows} * columns);
    for (std::uint16_t& value : values) value = some_float(noise, halves);
    const DeviceArray<std::uint8_t> placed(weights.size());
    const DeviceArray<std::uint16_t> packed(values.size());
    const DeviceArray<float> y(std::size_t{rows} * outputs);
    copy_to_device(stream_, placed.get(), weights.data(), weights.size());
    copy_to_device(stream_, packed.get(), values.data(), 2 * values.size());
    const TileProduct product{placed.get(), nullptr, placed_row_bytes(type, columns), outputs, columns, {packed.get(), nullptr, columns, nullptr}, rows, nullptr, y.get(), Ending::put};
    const auto result = [&](const auto& queue) {
      clear(stream_, y.get(), sizeof(float) * rows * outputs);
      queue();
      finish_trial(stream_);
      std::vector<float> got(std::size_t{rows} * outputs);
      copy_to_host(stream_, got.data(), y.get(), sizeof(float) * got.size());
      return got;
    };
    const std::vector<float> single = result([&] { with_type(type, RunSingle{stream_, product}); });
    // Wide, middle and narrow tiles are what so many multiprocessors get.
    const std::vector<float> wide = result([&] { with_type(type, RunGroups{stream_, 1, product}); });
    const double distance = trial_distance(wide, single);
    // Sums of 512 products in float, added in another order.
    if (!(distance < 2e-5)) return "by warpgroups their products differ by " + std::to_string(distance) + " of their size.";
    for (const int processors : {2, 3}) {
      if (std::memcmp(result([&] { with_type(type, RunGroups{stream_, processors, product}); }).data(), wide.data(), sizeof(float) * wide.size()) != 0) {
        return "by warpgroups their products' last bits depend on the tile.";
      }
    }
    found = State::usable;
    const DeviceArray<std::uint16_t> unpacked(halves ? 0 : std::size_t{outputs} * columns);
    with_type(type, RunUnpack{stream_, product.weights, product, outputs, unpacked.get()});
    const DenseMatrix part{product, halves ? static_cast<const void*>(placed.get()) : unpacked.get(), nullptr, 0, outputs};
    if (std::memcmp(result([&] { launch_dense_tiles(stream_, 2, halves, std::size_t{2} * columns, &part, 1); }).data(), wide.data(), sizeof(float) * wide.size()) != 0) return "dense tiles give other bits.";
    found = State::dense;
    return {};
  }

  Stream stream_;
  int processors_;
  std::array<State, 256> states_{};
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
