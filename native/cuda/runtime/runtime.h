// Memory and queues of a device, as the operations use them: the CUDA runtime, or the emulation's host memory. C++17.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "backend/device.h"
#include "cuda/runtime/device_limits.h"
#include "cuda/simt/simt.h"

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

/// Whether the instructions of warpgroups.h run on the device, were compiled, and kernel_options() allows them.
bool has_warpgroups(int device);

/// From how many rows on a matrix is unpacked before it is multiplied by warpgroups.
int unpacked_from();
/// And so many of its elements at a time at most.
std::size_t most_unpacked_elements();

/// The GEMV kernel that kernel_options() names for the device; none where a trial shall choose. Always registers where the copies of async_copies.h do not run
/// (before compute capability 9.0) or were not compiled.
std::optional<cuda::GemvKernel> fixed_gemv_kernel(int device);

/// The results of such trials, for the whole process: each model has a backend of its own, and its output may not depend on when it was loaded.
struct TriedGemvKernels {
  std::mutex mutex;  // held during a trial, too
  std::map<int, cuda::GemvKernel> of_device;
};
TriedGemvKernels& tried_gemv_kernels();

/// Keeps a sentence for cuda::take_remarks().
void remark(const std::string& sentence);

/// A second one of the device, for copies that run beside the work; close_stream() ends it.
Stream open_copy_stream();

/// Aligned to 256 bytes, not cleared. Throws Error `out_of_memory` with the need and what is free, in bytes.
void* device_allocate(std::size_t bytes);
void device_release(void* memory) noexcept;
/// From now on nothing is released, of the device's memory and of pinned memory: that would wait for a kernel that never ends.
void leave_memory() noexcept;

/// Memory of the host that the device reads by itself. Throws Error `out_of_memory`.
void* pinned_allocate(std::size_t bytes);
void pinned_release(void* memory) noexcept;

/// Each is done after what came before; the host's memory may be reused when it returns. copy_to_device() and copy_to_host() wait for all
/// of it: what is told again and again goes by staged_copy.h.
void copy_to_device(Stream stream, void* to, const void* from, std::size_t bytes);
/// The same from pinned memory, which must stay as it is until the copy is done.
void copy_from_pinned(Stream stream, void* to, const void* from, std::size_t bytes);
void copy_to_host(Stream stream, void* to, const void* from, std::size_t bytes);
void copy_on_device(Stream stream, void* to, const void* from, std::size_t bytes);
void clear(Stream stream, void* memory, std::size_t bytes);
/// Throws Error `device_lost`.
void synchronise(Stream stream);
/// Whether the kernels queued so far could be started. Throws Error `device_lost`.
void check_launches();
/// The runtime remembers the last error: one that was dealt with must not be met again.
void forget_error() noexcept;

/// A moment of a stream that the host and other streams can wait for. Before the first record() nobody waits. Each throws Error `device_lost`.
class Event {
 public:
  Event();
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// The moment when what is queued so far is done.
  void record(Stream stream);
  /// The host waits.
  void wait() const;
  /// The same for `seconds` at most; false where the moment has not come by then.
  bool comes_within(int seconds) const;
  /// What is queued on this stream from now on waits.
  void hold(Stream stream) const;

 private:
  EventHandle event_;
};

/// What was queued on a stream while it was recorded, to be queued again as one. Kernels alone; their arguments stay as they were.
class Graph {
 public:
  explicit Graph(GraphHandle handle) : handle_(std::move(handle)) {}
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Throws Error `device_lost`.
  void launch(Stream stream) const;

 private:
  GraphHandle handle_;
};

/// From here on kernels that are queued are kept and not run, until end_recording(), whose result goes to a Graph. Each throws Error
/// `device_lost`, end_recording() also `out_of_memory`.
void begin_recording(Stream stream);
GraphHandle end_recording(Stream stream);

/// Threads that read a model's file beside the one that queues the copies, and how much they read at a time.
int upload_readers();
std::size_t upload_bytes();

/// Pinned memory that goes with its owner.
class PinnedArray {
 public:
  PinnedArray() = default;
  explicit PinnedArray(std::size_t bytes) : data_(pinned_allocate(bytes)) {}
  PinnedArray(PinnedArray&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  PinnedArray& operator=(PinnedArray&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  ~PinnedArray() {
    if (data_ != nullptr) pinned_release(data_);
  }
  void* get() const { return data_; }

 private:
  void* data_ = nullptr;
};

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
