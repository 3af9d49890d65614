// Whether prefill rows use wgmma (kernels/gemm/wgmma_gemm.cuh): a trial on the device for each type of weights, when the first matrix of the type
// is placed. It is used only where it agrees with mma_gemm.cuh and its tiles have the same bits, and then for
// all rows: its last bits differ from those of mma_gemm.cuh, and a row's bits may not depend on other rows.
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

/// `rows` rows of the weights of a product, from `weights` on, unpacked to bf16.
struct RunUnpackRows {
  Stream stream;
  const std::uint8_t* weights;
  const GemmParams& product;
  int rows;
  std::uint16_t* values;
  template <DType type>
  void run() const {
    if constexpr (has_wgmma_gemm(type) && type != DType::f16) launch_unpack_rows<type>(stream, weights, product.row_bytes, rows, product.columns, values);
  }
};

class WarpgroupSelection {
 public:
  /// `processors`: the multiprocessors of a device with wgmma, else 0.
  WarpgroupSelection(Stream stream, int processors) : stream_(stream), processors_(processors) {}

  /// Tries the type once, and remarks faults. Throws what the runtime throws, and Error `device_lost` with the way
  /// out, where the trial lost the device.
  void prepare(DType type) {
    State& state = states_[static_cast<std::size_t>(type)];
    if (processors_ == 0 || !has_wgmma_gemm(type) || state != State::untried) return;
    std::string fault;
    State found = State::refused;
    try {
      fault = fault_of(type, found);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::device_lost) throw;
      throw Error(ErrorCode::device_lost, error.what() + std::string(" This happened in the trial of wgmma products: LECTERN_WARPGROUPS=off (--warpgroups off) skips it."));
    }
    state = found;
    if (!fault.empty()) {
      remark("Prefill with weights of " + std::string(info_of(type).name) + " uses " + (found == State::refused ? "mma.sync" : "smaller tiles") + ", which is slower: " + fault);
    }
  }

  /// For a type that was prepared.
  bool takes(DType type) const { return states_[static_cast<std::size_t>(type)] >= State::usable; }
  /// Whether the warp-specialised kernel has the same bits.
  bool takes_dense(DType type) const { return states_[static_cast<std::size_t>(type)] == State::dense; }
  int processors() const { return processors_; }

 private:
  /// Each state from `usable` on includes those before it.
  enum class State : std::uint8_t { untried, refused, usable, dense };

  // No multiple of any tile; columns for more than twice as many K tiles as there are stages.
  static constexpr int rows = 72;
  static constexpr int outputs = 72;
  static constexpr int columns = 512;

  /// 16-bit floats of both signs between 1/4 and 1.
  static std::uint16_t some_float(TrialRandom& noise, bool halves) {
    const std::uint32_t bits = noise.next();
    return static_cast<std::uint16_t>(halves ? (bits & 0x87FFU) | 0x3400U : (bits & 0x80FFU) | 0x3E80U);
  }

  /// A matrix in its form on the device.
  static std::vector<std::uint8_t> some_weights(DType type) {
    if (type != DType::f16) return trial_weights(type, columns, outputs);
    TrialRandom noise;
    std::vector<std::uint8_t> all(repacked_row_bytes(type, columns) * outputs);
    for (std::size_t i = 0; i < all.size(); i += 2) {
      const std::uint16_t value = some_float(noise, true);
      std::memcpy(all.data() + i, &value, 2);
    }
    return all;
  }

  struct RunMma {
    Stream stream;
    const GemmParams& product;
    template <DType type>
    void run() const {
      if constexpr (has_wgmma_gemm(type)) launch_mma_gemm<type>(stream, INT_MAX, product);
    }
  };
  struct RunWgmma {
    Stream stream;
    int processors;
    const GemmParams& product;
    template <DType type>
    void run() const {
      if constexpr (has_wgmma_gemm(type)) launch_wgmma_gemm<type>(stream, processors, product);
    }
  };

  /// The fault of products of this type by wgmma, as a sentence; empty: none. `found`: what may be used.
  std::string fault_of(DType type, State& found) const {
    const bool halves = type == DType::f16;
    const std::vector<std::uint8_t> weights = some_weights(type);
    TrialRandom noise;
    std::vector<std::uint16_t> values(std::size_t{rows} * columns);
    for (std::uint16_t& value : values) value = some_float(noise, halves);
    const DeviceArray<std::uint8_t> placed(weights.size());
    const DeviceArray<std::uint16_t> packed(values.size());
    const DeviceArray<float> y(std::size_t{rows} * outputs);
    copy_to_device(stream_, placed.get(), weights.data(), weights.size());
    copy_to_device(stream_, packed.get(), values.data(), 2 * values.size());
    const GemmParams product{placed.get(), nullptr, repacked_row_bytes(type, columns), outputs, columns, {packed.get(), nullptr, columns, nullptr}, rows, nullptr, y.get(), Epilogue::store};
    const auto result = [&](const auto& queue) {
      clear(stream_, y.get(), sizeof(float) * rows * outputs);
      queue();
      finish_trial(stream_);
      std::vector<float> got(std::size_t{rows} * outputs);
      copy_to_host(stream_, got.data(), y.get(), sizeof(float) * got.size());
      return got;
    };
    const std::vector<float> single = result([&] { dispatch_type(type, RunMma{stream_, product}); });
    // So many multiprocessors select wide, middle and narrow tiles.
    const std::vector<float> wide = result([&] { dispatch_type(type, RunWgmma{stream_, 1, product}); });
    const double distance = trial_distance(wide, single);
    // Sums of 512 float products, added in another order.
    if (!(distance < 2e-5)) return "with wgmma the products differ by " + std::to_string(distance) + " of their size.";
    for (const int processors : {2, 3}) {
      if (std::memcmp(result([&] { dispatch_type(type, RunWgmma{stream_, processors, product}); }).data(), wide.data(), sizeof(float) * wide.size()) != 0) {
        return "with wgmma the last bits of products depend on the tile.";
      }
    }
    found = State::usable;
    const DeviceArray<std::uint16_t> unpacked(halves ? 0 : std::size_t{outputs} * columns);
    dispatch_type(type, RunUnpackRows{stream_, product.weights, product, outputs, unpacked.get()});
    const DenseGemmMatrix part{product, halves ? static_cast<const void*>(placed.get()) : unpacked.get(), nullptr, 0, outputs};
    if (std::memcmp(result([&] { launch_dense_gemm(stream_, 2, halves, std::size_t{2} * columns, &part, 1); }).data(), wide.data(), sizeof(float) * wide.size()) != 0) return "the warp-specialised kernel gives other bits.";
    found = State::dense;
    return {};
  }

  Stream stream_;
  int processors_;
  std::array<State, 256> states_{};
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
