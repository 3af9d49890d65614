// Memory and queues of a device, as the operations use them: the CUDA runtime, or the emulation's host memory. C++17.
#pragma once

#include <cstddef>
#include <utility>

#include "backend/device.h"
#include "cuda/simt.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Throws Error `device_lost` where the device cannot be used.
Stream open_stream(int device);
void close_stream(Stream stream) noexcept;
Device describe(int device);
/// How many blocks of the largest kind run at a time.
int multiprocessors(int device);
/// What a block may ask for at most.
std::size_t most_shared_bytes(int device);

/// Aligned to 256 bytes, not cleared. Throws Error `out_of_memory` with the need and what is free, in bytes.
void* device_allocate(std::size_t bytes);
void device_release(void* memory) noexcept;

/// Each is queued after what came before; the host's memory may be reused when it returns.
void copy_to_device(Stream stream, void* to, const void* from, std::size_t bytes);
void copy_to_host(Stream stream, void* to, const void* from, std::size_t bytes);
void copy_on_device(Stream stream, void* to, const void* from, std::size_t bytes);
void clear(Stream stream, void* memory, std::size_t bytes);
/// Throws Error `device_lost`.
void synchronise(Stream stream);
/// Whether the kernels queued so far could be started. Throws Error `device_lost`.
void check_launches();

/// Memory of the device that goes with its owner.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t count) : data_(count == 0 ? nullptr : static_cast<T*>(device_allocate(count * sizeof(T)))) {}
  DeviceArray(DeviceArray&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  ~DeviceArray() {
    if (data_ != nullptr) device_release(data_);
  }
  T* get() const { return data_; }

 private:
  T* data_ = nullptr;
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
