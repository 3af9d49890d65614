// Uploads a model file: several threads read it into pinned memory, a stream copies it to the device,
// and the work stream repacks it, all three at the same time on different parts. C++17.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cuda/runtime/parallel_copy.h"
#include "cuda/runtime/runtime.h"
#include "error.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// The work stream, and a stream for copies that overlap with it.
struct Streams {
  Stream work;
  Stream copies;
};

class UploadRing {
 public:
  /// `buffer_bytes`: of a part; at least a row of the file.
  UploadRing(Streams streams, std::size_t buffer_bytes) : streams_(streams), buffer_bytes_(buffer_bytes), readers_(upload_readers()) {
    for (Buffer& buffer : buffers_) {
      buffer.pinned = PinnedArray(buffer_bytes);
      buffer.staged = DeviceArray<std::uint8_t>(buffer_bytes);
    }
  }
  ~UploadRing() {
    // Work in flight uses memory that is released now. The loss of a device was reported where the work failed.
    try {
      synchronise(streams_.copies);
      synchronise(streams_.work);
    } catch (const Error&) {
    }
  }
  UploadRing(const UploadRing&) = delete;
  UploadRing& operator=(const UploadRing&) = delete;

  /// In device memory.
  static std::size_t bytes(std::size_t buffer_bytes) { return buffers * (buffer_bytes + 256); }

  /// Uploads `rows` rows of a file, as many at a time as a part holds: place(device bytes, first row, count) queues on the work stream
  /// the kernels that read them. All of `from` has been read when it returns.
  template <class Place>
  void upload(const std::byte* from, std::size_t row_bytes, std::size_t rows, const Place& place) {
    const std::size_t most = std::max<std::size_t>(buffer_bytes_ / row_bytes, 1);
    for (std::size_t first = 0; first < rows; first += most) {
      const std::size_t count = std::min(most, rows - first);
      Buffer& buffer = buffers_[next_++ % buffers];
      buffer.copied.wait();
      readers_.copy(buffer.pinned.get(), from + first * row_bytes, count * row_bytes);
      buffer.repacked.hold(streams_.copies);
      copy_from_pinned(streams_.copies, buffer.staged.get(), buffer.pinned.get(), count * row_bytes);
      buffer.copied.record(streams_.copies);
      buffer.copied.hold(streams_.work);
      place(static_cast<const std::uint8_t*>(buffer.staged.get()), first, count);
      buffer.repacked.record(streams_.work);
    }
  }

 private:
  /// One is read into, one is copied, one is repacked.
  static constexpr std::size_t buffers = 3;
  struct Buffer {
    PinnedArray pinned;
    DeviceArray<std::uint8_t> staged;
    Event copied, repacked;
  };

  Streams streams_;
  std::size_t buffer_bytes_;
  cuda::ParallelCopy readers_;
  Buffer buffers_[buffers];
  std::size_t next_ = 0;
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
