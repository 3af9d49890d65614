// Memory and streams of a device for the operations: the CUDA runtime, or host memory in the emulation. C++17.
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
/// How many thread blocks of the largest kind run at a time.
int multiprocessors(int device);
/// The most shared memory of a thread block.
std::size_t max_shared_bytes(int device);

/// Whether the instructions of warpgroups.h run on the device, were compiled, and kernel_options() allows them.
bool has_warpgroups(int device);

/// From how many rows on a matrix is unpacked before it is multiplied by wgmma.
int min_dense_rows();
/// How many of its elements are unpacked at a time at most.
std::size_t max_unpacked_elements();

/// The GEMV kernel that kernel_options() names for the device; none where a trial shall choose. Always registers where the copies of async_copies.h do not run
/// (before compute capability 9.0) or were not compiled.
std::optional<cuda::GemvKernel> fixed_gemv_kernel(int device);

/// The results of such trials, for the whole process: each model has a backend of its own, and its output may not depend on when it was loaded.
struct TriedGemvKernels {
  std::mutex mutex;  // held during a trial, too
  std::map<int, cuda::GemvKernel> of_device;
};
TriedGemvKernels& tried_gemv_kernels();

/// Adds a sentence to those of cuda::take_remarks().
void remark(const std::string& sentence);

/// A second stream of the device, for copies that overlap with the work; close_stream() closes it.
Stream open_copy_stream();

/// Aligned to 256 bytes, not cleared. Throws Error `out_of_memory` with the requested and the free bytes.
void* device_allocate(std::size_t bytes);
void device_release(void* memory) noexcept;
/// From now on no device memory and no pinned memory is released: that would wait for a kernel that never ends.
void never_release_memory() noexcept;

/// Host memory that the device can access. Throws Error `out_of_memory`.
void* pinned_allocate(std::size_t bytes);
void pinned_release(void* memory) noexcept;

/// Each runs after the earlier work of the stream; the host memory may be reused when it returns. copy_to_device() and copy_to_host() wait for all
/// of that work: data that is sent in every pass uses staged_copy.h.
void copy_to_device(Stream stream, void* to, const void* from, std::size_t bytes);
/// The same from pinned memory, which must not change until the copy is done.
void copy_from_pinned(Stream stream, void* to, const void* from, std::size_t bytes);
void copy_to_host(Stream stream, void* to, const void* from, std::size_t bytes);
void copy_on_device(Stream stream, void* to, const void* from, std::size_t bytes);
void clear(Stream stream, void* memory, std::size_t bytes);
/// Throws Error `device_lost`.
void synchronise(Stream stream);
/// Whether the kernels queued so far were launched. Throws Error `device_lost`.
void check_launches();
/// Clears the last error, which the runtime keeps, after it was handled.
void forget_error() noexcept;

/// A point in a stream that the host and other streams can wait for. Before the first record() there is nothing to wait for. Each throws Error `device_lost`.
class Event {
 public:
  Event();
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// The point when the work queued so far is done.
  void record(Stream stream);
  /// The host waits.
  void wait() const;
  /// Waits at most `seconds`; false if the point was not reached.
  bool completes_within(int seconds) const;
  /// Later work of this stream waits for the event.
  void hold(Stream stream) const;

 private:
  EventHandle event_;
};

/// A CUDA graph: work that was recorded on a stream, to be launched as one. Kernels alone; their arguments are fixed.
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

/// Records kernels instead of running them, until end_recording(), whose result goes to a Graph. Each throws Error
/// `device_lost`, end_recording() also `out_of_memory`.
void begin_recording(Stream stream);
GraphHandle end_recording(Stream stream);

/// Threads that read a model file in addition to the one that queues the copies, and how many bytes they read at a time.
int upload_readers();
std::size_t upload_bytes();

/// Owns pinned memory.
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

/// Owns device memory.
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
