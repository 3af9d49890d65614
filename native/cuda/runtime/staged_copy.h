// The data that the host sends to the kernels of a pass, in one asynchronous copy from pinned memory. C++17.
//
// A copy from pageable memory may wait for the stream, or, with drivers that access pageable memory, read the memory after the call has returned:
// neither is acceptable for data that the next pass overwrites.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "cuda/runtime/runtime.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// begin(), add() each array, send().
class StagedCopy {
 public:
  /// For `bytes` together, filled() for each array. Throws Error `out_of_memory`.
  explicit StagedCopy(std::size_t bytes) : pinned_(bytes == 0 ? PinnedArray() : PinnedArray(bytes)), device_(bytes) {}

  /// The space that an array of so many bytes takes.
  static constexpr std::size_t filled(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

  /// Waits until the last send() has left the pinned memory.
  void begin() {
    copied_.wait();
    used_ = 0;
  }

  /// Space for `count` elements on the host, to be written before send(); `there` is their device address, aligned to 16 bytes.
  template <class T>
  T* room(std::size_t count, const T*& there) {
    T* const here = reinterpret_cast<T*>(static_cast<std::uint8_t*>(pinned_.get()) + used_);
    there = reinterpret_cast<const T*>(device_.get() + used_);
    used_ += filled(count * sizeof(T));
    return here;
  }

  /// Copies `count` elements to the pinned memory; returns their device address.
  template <class T>
  const T* add(const T* from, std::size_t count) {
    const T* there = nullptr;
    T* const here = room<T>(count, there);
    if (count > 0) std::memcpy(here, from, count * sizeof(T));
    return there;
  }

  /// Work queued on `stream` from now on finds the data on the device.
  void send(Stream stream) {
    copy_from_pinned(stream, device_.get(), pinned_.get(), used_);
    copied_.record(stream);
  }

 private:
  PinnedArray pinned_;
  DeviceArray<std::uint8_t> device_;
  Event copied_;
  std::size_t used_ = 0;  // bytes
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
