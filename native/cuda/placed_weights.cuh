// The weights of a model on the device: uploaded as the file has them, repacked to planes there.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/ops.h"
#include "cuda/kernels/planes.cuh"
#include "cuda/launchers.h"
#include "cuda/runtime.h"
#include "cuda/upload_ring.h"
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
  /// `part_bytes`: of a file on their way to their planes at a time; a row at least.
  PlacedWeights(Streams streams, std::size_t part_bytes) : streams_(streams), part_bytes_(part_bytes), ring_(std::make_unique<UploadRing>(streams, part_bytes)) {}

  /// What loading took goes; placing something more takes it again.
  void settle() { ring_.reset(); }

  Matrix matrix(const Tensor* parts, int count) {
    const DType dtype = parts->dtype;
    const std::size_t bytes = part_bytes(dtype, parts->rows(), parts->row_length());
    DeviceArray<std::uint8_t>& placed = placed_.emplace_back(bytes * static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) upload(parts[i], placed.get() + static_cast<std::size_t>(i) * bytes);
    return {dtype, static_cast<std::int32_t>(parts->rows()), static_cast<std::int32_t>(parts->row_length()), count, placed.get()};
  }

  const float* vector(const float* values, std::size_t count) {
    DeviceArray<std::uint8_t>& placed = placed_.emplace_back(count * sizeof(float));
    // By the ring as well: a copy from other memory would wait for the matrices before it.
    ring().upload(reinterpret_cast<const std::byte*>(values), sizeof(float), count, [&](const std::uint8_t* staged, std::size_t first, std::size_t some) {
      copy_on_device(streams_.work, placed.get() + first * sizeof(float), staged, some * sizeof(float));
    });
    return reinterpret_cast<const float*>(placed.get());
  }

 private:
  UploadRing& ring() {
    if (ring_ == nullptr) ring_ = std::make_unique<UploadRing>(streams_, part_bytes_);
    return *ring_;
  }

  void upload(const Tensor& part, std::uint8_t* placed) {
    const std::size_t bytes = row_bytes(part.dtype, part.row_length());
    const std::size_t pitch = placed_row_bytes(part.dtype, part.row_length());
    ring().upload(part.data, bytes, static_cast<std::size_t>(part.rows()), [&](const std::uint8_t* staged, std::size_t first, std::size_t count) {
      with_type(part.dtype, RunRepack{streams_.work, staged, bytes, static_cast<int>(part.row_length()), static_cast<int>(count), placed + first * pitch});
    });
  }

  Streams streams_;
  std::size_t part_bytes_;
  std::vector<DeviceArray<std::uint8_t>> placed_;
  std::unique_ptr<UploadRing> ring_;  // null between loading and the next
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
