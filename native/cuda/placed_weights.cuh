// The weights of a model on the device: uploaded as the file has them, repacked to planes there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backend/ops.h"
#include "cuda/kernels/planes.cuh"
#include "cuda/launchers.h"
#include "cuda/runtime.h"
#include "cuda/with_type.h"
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
  template <DType type>
  void run() const {
    launch_repack<type>(stream, file, file_row_bytes, columns, rows, placed);
  }
};

/// Parts of a matrix begin where 256 bytes do.
inline std::size_t part_bytes(DType dtype, std::int64_t rows, std::int64_t columns) {
  return (placed_row_bytes(dtype, columns) * static_cast<std::size_t>(rows) + 255) / 256 * 256;
}

/// Owns what was placed.
class PlacedWeights {
 public:
  /// `staging`: bytes of a file on their way to their planes; a row at least.
  PlacedWeights(Stream stream, std::size_t staging) : stream_(stream), staging_bytes_(staging), staging_(staging) {}

  Matrix matrix(const Tensor* parts, int count) {
    const DType dtype = parts->dtype;
    const std::size_t bytes = part_bytes(dtype, parts->rows(), parts->row_length());
    DeviceArray<std::uint8_t>& placed = placed_.emplace_back(bytes * static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) upload(parts[i], placed.get() + static_cast<std::size_t>(i) * bytes);
    return {dtype, static_cast<std::int32_t>(parts->rows()), static_cast<std::int32_t>(parts->row_length()), count, placed.get()};
  }

  const float* vector(const float* values, std::size_t count) {
    DeviceArray<std::uint8_t>& placed = placed_.emplace_back(count * sizeof(float));
    copy_to_device(stream_, placed.get(), values, count * sizeof(float));
    return reinterpret_cast<const float*>(placed.get());
  }

 private:
  /// As many rows at a time as the staging memory holds.
  void upload(const Tensor& part, std::uint8_t* placed) {
    const std::size_t bytes = row_bytes(part.dtype, part.row_length());
    const std::size_t pitch = placed_row_bytes(part.dtype, part.row_length());
    const auto rows = static_cast<std::size_t>(part.rows());
    const std::size_t most = std::max<std::size_t>(staging_bytes_ / bytes, 1);
    for (std::size_t first = 0; first < rows; first += most) {
      const std::size_t count = std::min(most, rows - first);
      copy_to_device(stream_, staging_.get(), part.data + first * bytes, count * bytes);
      with_type(part.dtype, RunRepack{stream_, staging_.get(), bytes, static_cast<int>(part.row_length()), static_cast<int>(count), placed + first * pitch});
    }
  }

  Stream stream_;
  std::size_t staging_bytes_;
  DeviceArray<std::uint8_t> staging_;
  std::vector<DeviceArray<std::uint8_t>> placed_;
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
