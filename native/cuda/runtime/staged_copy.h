// What the host tells the kernels of a pass, in one copy: written to pinned memory, from where the device fetches it by itself. C++17.
//
// From other memory of the host a copy may wait for the stream, or be under way when the call returns and read what was written there
// since (drivers that reach pageable memory): neither is for numbers that the next pass overwrites.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "cuda/runtime/runtime.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// begin(), add() what there is to tell, send().
class StagedCopy {
 public:
  /// Of `bytes` together, filled() for each part. Throws Error `out_of_memory`.
  explicit StagedCopy(std::size_t bytes) : pinned_(bytes == 0 ? PinnedArray() : PinnedArray(bytes)), device_(bytes) {}

  /// What a part of so many bytes takes.
  static constexpr std::size_t filled(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

  /// Waits until what was sent last has left the pinned memory.
  void begin() {
    copied_.wait();
    used_ = 0;
  }

  /// Where `count` elements are on the host, to be written before send(); in `there` where they will be on the device, aligned to 16 bytes.
  template <class T>
  T* room(std::size_t count, const T*& there) {
    T* const here = reinterpret_cast<T*>(static_cast<std::uint8_t*>(pinned_.get()) + used_);
    there = reinterpret_cast<const T*>(device_.get() + used_);
    used_ += filled(count * sizeof(T));
    return here;
  }

  /// Takes `count` elements; where they will be on the device.
  template <class T>
  const T* add(const T* from, std::size_t count) {
    const T* there = nullptr;
    T* const here = room<T>(count, there);
    if (count > 0) std::memcpy(here, from, count * sizeof(T));
    return there;
  }

  /// What is queued on `stream` from now on finds it on the device.
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
