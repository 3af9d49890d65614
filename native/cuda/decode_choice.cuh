// By which kernels products of answers go on this device, tried when operations of a model are first made in a process: through rings (kernels/ring_product.cuh) where these have
// the bits of those that need nothing (kernels/decode_product.cuh), by the tensor cores (kernels/decode_tiles.cuh) where these agree and are quicker here. One kind for all products: its last bits are its own, and
// what a row becomes may not depend on its company.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "cuda/decode.cuh"
#include "cuda/trial.h"
#include "error.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

class DecodeChoice {
 public:
  DecodeChoice(Stream stream, const Chip& chip) : stream_(stream), chip_(chip) {}

  /// Remarks what is wrong. Throws what the runtime does, and Error `device_lost`, with the way out, where the trial took the device with it.
  DecodeKind best() const {
    try {
      bool tiles = true;
      for (const DTypeInfo& type : dtype_table) {
        if (type.block_elements == 1) continue;
        const Made made(*this, type.dtype);
        // With the same bits, or something is wrong with the copies.
        if (!same_bits(made.by(DecodeKind::rings, most_decode_rows), made.by(DecodeKind::registers, most_decode_rows))) {
          tell(type, "without rings", "through rings they have other bits.");
          return DecodeKind::registers;
        }
        const std::string fault = tiles ? fault_of(made) : "";
        if (fault.empty()) continue;
        tell(type, "without the tensor cores", fault);
        tiles = false;
      }
      return tiles ? quickest() : DecodeKind::rings;
    } catch (const Error& error) {
      // A device that has no room for weights to time is full of others, which go by what is known.
      if (error.code() == ErrorCode::out_of_memory) {
        remark("Products of answers go through rings: the GPU had no memory to try what may be quicker.");
        return DecodeKind::rings;
      }
      if (error.code() != ErrorCode::device_lost) throw;
      throw Error(ErrorCode::device_lost, error.what() + std::string(" That was while products of answers were tried: with LECTERN_DECODE=registers nothing tries them."));
    }
  }

 private:
  // For two blocks three tiles each, the last of no whole one, in pieces of which the last is short.
  static constexpr int few_blocks = 2;
  static constexpr int few_outputs = 5 * decode_tile_rows + 7;
  static constexpr int few_columns = 32 * (2 * tile_stretches + 24);

  /// As far as `few` goes.
  static bool same_bits(const std::vector<float>& few, const std::vector<float>& many) { return std::memcmp(few.data(), many.data(), sizeof(float) * few.size()) == 0; }

  static void tell(const DTypeInfo& type, const char* way, const std::string& fault) {
    remark("Products of answers go " + std::string(way) + ", which is slower: with weights of " + std::string(type.name) + " " + fault);
  }

  DecodeRows rows_by(DecodeKind kind, int blocks, int columns) const {
    OpsShape shape{};
    shape.logit_rows = most_decode_rows;
    shape.columns = columns;
    shape.heads = 1;
    Chip chip = chip_;
    chip.multiprocessors = blocks;
    chip.decode = kind;
    return DecodeRows(shape, stream_, chip);
  }

  /// A made matrix and made rows on the device.
  class Made {
   public:
    Made(const DecodeChoice& choice, DType type) : choice_(choice), type_(type), placed_(placed_row_bytes(type, few_columns) * few_outputs), x_(std::size_t{most_decode_rows} * few_columns), y_(std::size_t{most_decode_rows} * few_outputs) {
      const std::vector<std::uint8_t> weights = trial_weights(type, few_columns, few_outputs);
      TrialNoise noise;
      std::vector<float> values(std::size_t{most_decode_rows} * few_columns);
      for (float& value : values) value = noise.value();
      copy_to_device(choice.stream_, placed_.get(), weights.data(), weights.size());
      copy_to_device(choice.stream_, x_.get(), values.data(), sizeof(float) * values.size());
    }

    std::vector<float> by(DecodeKind kind, int rows) const {
      // It stays until the kernel is done: what it releases would wait for it, and without end.
      DecodeRows way = choice_.rows_by(kind, few_blocks, few_columns);
      way.store(Norm{}, {{type_, few_outputs, few_columns, 1, placed_.get()}, nullptr}, nullptr, rows, x_.get(), y_.get());
      finish_trial(choice_.stream_);
      std::vector<float> got(static_cast<std::size_t>(rows) * few_outputs);
      copy_to_host(choice_.stream_, got.data(), y_.get(), sizeof(float) * got.size());
      return got;
    }

   private:
    const DecodeChoice& choice_;
    DType type_;
    DeviceArray<std::uint8_t> placed_;
    DeviceArray<float> x_, y_;
  };

  /// What is wrong with products by the tensor cores, as a sentence; empty: nothing.
  static std::string fault_of(const Made& made) {
    const std::vector<float> four = made.by(DecodeKind::tiles, most_decode_rows);
    const double distance = trial_distance(four, made.by(DecodeKind::rings, most_decode_rows));
    // Sums of some hundred products of integers, added in another order.
    if (!(distance < 1e-5)) return "they differ by " + std::to_string(distance) + " of their size.";
    for (int rows = 1; rows < most_decode_rows; ++rows) {
      const std::vector<float> few = made.by(DecodeKind::tiles, rows);
      if (!same_bits(few, four)) return "their last bits depend on the number of rows.";
    }
    return {};
  }

  /// What takes the least time for one row and two in turns. Only what is quicker by more than the clock's whims changes the bits: the choice shall be the same
  /// whenever it is made.
  DecodeKind quickest() const {
    constexpr int columns = 8192;
    // Matrices in turns, as products of a pass follow one another: of the size of a 70B model's smaller ones, where beginnings and ends count, and together more
    // than a second-level cache holds.
    constexpr int matrices = 4;
    const int outputs = trial_rows(chip_.multiprocessors);
    const std::size_t bytes = placed_row_bytes(DType::q4_k, columns) * static_cast<std::size_t>(outputs);
    const DeviceArray<std::uint8_t> placed(matrices * bytes);
    const DeviceArray<float> x(std::size_t{2} * columns);
    const DeviceArray<float> y(std::size_t{2} * static_cast<std::size_t>(outputs));
    clear(stream_, placed.get(), matrices * bytes);
    clear(stream_, x.get(), sizeof(float) * 2 * columns);
    constexpr std::array kinds{DecodeKind::rings, DecodeKind::tiles, DecodeKind::tiles_ahead};
    std::array<DecodeRows, 3> ways{rows_by(kinds[0], chip_.multiprocessors, columns), rows_by(kinds[1], chip_.multiprocessors, columns), rows_by(kinds[2], chip_.multiprocessors, columns)};
    const auto seconds = [&](DecodeRows& way) {
      finish_trial(stream_);
      const auto begin = std::chrono::steady_clock::now();
      for (int launch = 0; launch < trial_launches(); ++launch) {
        const Linear linear{{DType::q4_k, outputs, columns, 1, placed.get() + static_cast<std::size_t>(launch % matrices) * bytes}, nullptr};
        way.store(Norm{}, linear, nullptr, launch / matrices % 2 + 1, x.get(), y.get());
      }
      finish_trial(stream_);
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    // In turns, so that none has the colder device; the first of each is for warming up.
    constexpr std::size_t turns = 5;
    std::array<std::array<double, turns + 1>, kinds.size()> times{};
    for (std::size_t turn = 0; turn <= turns; ++turn) {
      for (std::size_t way = 0; way < kinds.size(); ++way) times[way][turn] = seconds(ways[way]);
    }
    for (auto& of_way : times) std::nth_element(of_way.begin() + 1, of_way.begin() + 1 + turns / 2, of_way.end());
    const auto median = [&times](std::size_t way) { return times[way][1 + turns / 2]; };
    if (std::min(median(1), median(2)) >= 0.98 * median(0)) return DecodeKind::rings;
    return median(2) < median(1) ? DecodeKind::tiles_ahead : DecodeKind::tiles;
  }

  Stream stream_;
  Chip chip_;
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
