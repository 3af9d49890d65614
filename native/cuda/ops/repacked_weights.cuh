// The weights of a model on the device: uploaded as in the file, repacked to bit planes there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "backend/ops.h"
#include "cuda/kernels/layout/bit_planes.cuh"
#include "cuda/ops/launchers.h"
#include "cuda/runtime/runtime.h"
#include "cuda/runtime/upload_ring.h"
#include "cuda/simt/dispatch_type.h"
#include "tensor/blocks.h"
#include "tensor/code_books.h"
#include "tensor/tensor.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

struct RunRepack {
  Stream stream;
  const std::uint8_t* file;
  std::size_t file_row_bytes;
  int columns;
  int rows;
  std::uint8_t* placed;
  LargestBits* largest;
  template <DType type>
  void run() const {
    launch_repack<type>(stream, file, file_row_bytes, columns, rows, placed, largest);
  }
};

/// Parts of a matrix are aligned to 256 bytes.
inline std::size_t part_bytes(DType file_type, std::int64_t rows, std::int64_t columns) {
  const DType dtype = device_type(file_type);
  return (repacked_row_bytes(dtype, columns) * static_cast<std::size_t>(rows) + 255) / 256 * 256;
}

/// Behind all parts of an f16 matrix lies its largest magnitude, in 256 bytes of its own; behind quantised ones the padding that copies read.
inline std::size_t matrix_bytes_of(DType dtype, std::int64_t rows, std::int64_t columns, int count) {
  return part_bytes(dtype, rows, columns) * static_cast<std::size_t>(count) + (dtype == DType::f16 ? 256 : info_of(dtype).block_elements > 1 ? read_beyond : 0);
}
inline const LargestBits* largest_of(const Matrix& matrix) {
  return reinterpret_cast<const LargestBits*>(static_cast<const std::uint8_t*>(matrix.data) + part_bytes(matrix.dtype, matrix.rows, matrix.columns) * static_cast<std::size_t>(matrix.count));
}
/// Behind a vector lies its largest magnitude, at the next multiple of eight bytes.
inline const LargestBits* largest_of(const float* vector, int count) { return vector == nullptr ? nullptr : reinterpret_cast<const LargestBits*>(vector + (count + 1) / 2 * 2); }

/// Owns the weights.
class RepackedWeights {
 public:
  /// `part_bytes`: bytes of a file that are repacked at a time; at least a row.
  RepackedWeights(Streams streams, std::size_t part_bytes) : streams_(streams), part_bytes_(part_bytes), ring_(std::make_unique<UploadRing>(streams, part_bytes)) {}

  /// Releases the memory that loading needed; placing another matrix allocates it again.
  void settle() { ring_.reset(); }

  Matrix matrix(const Tensor* parts, int count) {
    const DType dtype = device_type(parts->dtype);
    const std::size_t bytes = part_bytes(dtype, parts->rows(), parts->row_length());
    DeviceArray<std::uint8_t>& placed = weights_.emplace_back(matrix_bytes_of(dtype, parts->rows(), parts->row_length(), count));
    LargestBits* const largest = dtype == DType::f16 ? reinterpret_cast<LargestBits*>(placed.get() + static_cast<std::size_t>(count) * bytes) : nullptr;
    if (largest != nullptr) clear(streams_.work, largest, sizeof *largest);
    for (int i = 0; i < count; ++i) upload(parts[i], placed.get() + static_cast<std::size_t>(i) * bytes, largest);
    return {dtype, static_cast<std::int32_t>(parts->rows()), static_cast<std::int32_t>(parts->row_length()), count, placed.get()};
  }

  const float* vector(const float* values, std::size_t count) {
    const std::size_t even = (count + 1) / 2 * 2;
    DeviceArray<std::uint8_t>& placed = weights_.emplace_back(even * sizeof(float) + sizeof(LargestBits));
    // Also by the ring: a copy from other memory would wait for the matrices before it.
    ring().upload(reinterpret_cast<const std::byte*>(values), sizeof(float), count, [&](const std::uint8_t* staged, std::size_t first, std::size_t some) {
      copy_on_device(streams_.work, placed.get() + first * sizeof(float), staged, some * sizeof(float));
    });
    const auto* const vector = reinterpret_cast<const float*>(placed.get());
    launch_find_largest(streams_.work, vector, count, reinterpret_cast<LargestBits*>(placed.get() + even * sizeof(float)));
    return vector;
  }

 private:
  UploadRing& ring() {
    if (ring_ == nullptr) ring_ = std::make_unique<UploadRing>(streams_, part_bytes_);
    return *ring_;
  }

  void upload(const Tensor& part, std::uint8_t* placed, LargestBits* largest) {
    if (has_code_book(part.dtype)) return upload_transcoded(part, placed);
    const std::size_t bytes = row_bytes(part.dtype, part.row_length());
    const std::size_t pitch = repacked_row_bytes(part.dtype, part.row_length());
    ring().upload(part.data, bytes, static_cast<std::size_t>(part.rows()), [&](const std::uint8_t* staged, std::size_t first, std::size_t count) {
      dispatch_type(part.dtype, RunRepack{streams_.work, staged, bytes, static_cast<int>(part.row_length()), static_cast<int>(count), placed + first * pitch, largest});
    });
  }

  /// Some rows at a time, so that little host memory is needed.
  void upload_transcoded(const Tensor& part, std::uint8_t* placed) {
    const DType dtype = device_type(part.dtype);
    const std::int64_t columns = part.row_length();
    const std::size_t from_bytes = row_bytes(part.dtype, columns);
    const std::size_t bytes = static_cast<std::size_t>(columns / 256) * (dtype == DType::iq2_s ? sizeof(BlockIndices2) : sizeof(BlockQ6_K));
    const std::size_t pitch = repacked_row_bytes(dtype, columns);
    const auto rows = static_cast<std::size_t>(part.rows());
    const std::size_t together = std::max<std::size_t>(1, part_bytes_ / bytes);
    std::vector<std::byte> blocks(std::min(together, rows) * bytes);
    for (std::size_t row = 0; row < rows; row += together) {
      const std::size_t some = std::min(together, rows - row);
      transcode(part.dtype, part.data + row * from_bytes, static_cast<std::int64_t>(some) * columns, blocks.data());
      ring().upload(blocks.data(), bytes, some, [&](const std::uint8_t* staged, std::size_t first, std::size_t count) {
        dispatch_type(dtype, RunRepack{streams_.work, staged, bytes, static_cast<int>(columns), static_cast<int>(count), placed + (row + first) * pitch, nullptr});
      });
    }
  }

  Streams streams_;
  std::size_t part_bytes_;
  std::vector<DeviceArray<std::uint8_t>> weights_;
  std::unique_ptr<UploadRing> ring_;  // null unless a model is loading
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
