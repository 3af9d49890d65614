// Implements runtime.h by the CUDA runtime.
#include "cuda/runtime/runtime.h"

#include <cuda.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

#include "cuda/simt/async_copies.h"
#include "cuda/runtime/backend.h"
#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel_options.h"
#include "error.h"

namespace lectern::cuda {

Stream open_stream(int device) {
  check(cudaSetDevice(device), "cudaSetDevice");
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  return stream;
}

Stream open_copy_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  return stream;
}

void allow_shared(const void* kernel, std::size_t bytes) {
  static std::mutex mutex;
  static std::unordered_map<const void*, std::size_t> allowed;
  const std::lock_guard<std::mutex> lock(mutex);
  std::size_t& most = allowed[kernel];
  if (bytes <= most) return;
  // If it fails, the launch fails, too, and reports it.
  if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)) == cudaSuccess) most = bytes;
}

namespace {

__global__ void empty_kernel() {}

/// Whether the kernels that run on this device were compiled for compute capability 9.0 or newer. Kernels of a build for older architectures alone run on newer devices, too, without an
/// error, but there dependent launches would not wait for each other and the ring kernels would be empty.
bool compiled_for_hopper() {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, empty_kernel), "cudaFuncGetAttributes");
  return attributes.ptxVersion >= 90;
}

}  // namespace

bool dependent_launches_enabled() {
  static const bool early = kernel_options().early_launches && compiled_for_hopper();
  return early;
}

void close_stream(Stream stream) noexcept { cudaStreamDestroy(stream); }

Device describe(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  check(cudaSetDevice(device), "cudaSetDevice");
  check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  return {DeviceKind::cuda, properties.name, total_bytes, free_bytes};
}

int multiprocessors(int device) {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  return count;
}

std::size_t max_shared_bytes(int device) {
  int bytes = 0;
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(bytes);
}

namespace {

// One list for the process, as its devices are.
std::mutex remarks_mutex;
std::string remarks;

}  // namespace

void remark(const std::string& sentence) {
  const std::lock_guard<std::mutex> lock(remarks_mutex);
  remarks += (remarks.empty() ? "" : " ") + sentence;
}

std::string take_remarks() {
  const std::lock_guard<std::mutex> lock(remarks_mutex);
  return std::exchange(remarks, {});
}

namespace {

/// The parameters of a tensor map: `rank` extents and box sizes, and `rank - 1` strides in bytes, without that of single elements.
struct BoxedArray {
  CUtensorMapDataType element;
  cuuint32_t rank;
  const cuuint64_t* extents;
  const cuuint64_t* strides;
  const cuuint32_t* box;
  CUtensorMapSwizzle swizzle;
};

template <class Map>
Map make_map(const void* data, const BoxedArray& array) {
  // The function of the driver is found by name, so that the program is not linked against the driver.
  static const auto encode = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result), "cudaGetDriverEntryPoint");
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
  }();
  if (encode == nullptr) throw Error(ErrorCode::device_lost, "The GPU's driver does not support tensor maps.");
  const cuuint32_t steps[] = {1, 1, 1};
  Map map{};
  static_assert(sizeof map == sizeof(CUtensorMap), "the driver's size");
  // Lines of 128 bytes are fetched to the L2 cache one at a time: the neighbouring line is needed eight lines later, and fetching both together costs a decode pass 4 %.
  const CUresult status = encode(reinterpret_cast<CUtensorMap*>(&map), array.element, array.rank, const_cast<void*>(data), array.extents, array.strides, array.box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                 array.swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS) throw Error(ErrorCode::device_lost, "cuTensorMapEncodeTiled: error " + std::to_string(static_cast<int>(status)));
  return map;
}

}  // namespace

TensorMap2d make_tensor_map_2d(const void* data, std::size_t row_bytes, int columns, int rows, int box_rows) {
  const cuuint64_t extents[] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
  const cuuint64_t strides[] = {row_bytes};
  const cuuint32_t box[] = {64, static_cast<cuuint32_t>(box_rows)};
  // The map serves f16, too: it only copies elements, and writes zeros for those outside of the tensor.
  return make_map<TensorMap2d>(data, {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, extents, strides, box, CU_TENSOR_MAP_SWIZZLE_128B});
}

TensorMap3d make_tensor_map_3d(const void* data, std::size_t row_bytes, int rows, int bytes, int lines, int box_lines) {
  const cuuint64_t extents[] = {static_cast<cuuint64_t>(bytes), static_cast<cuuint64_t>(rows), static_cast<cuuint64_t>(lines)};
  const cuuint64_t strides[] = {row_bytes, static_cast<cuuint64_t>(bytes)};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(bytes), map_box_rows, static_cast<cuuint32_t>(box_lines)};
  return make_map<TensorMap3d>(data, {CU_TENSOR_MAP_DATA_TYPE_UINT8, 3, extents, strides, box, bytes == line_bytes ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE});
}

int min_dense_rows() {
  // Below about 130 rows, unpacking all weights first costs more than it gains over the kernel that unpacks tile by tile.
  return 192;
}

// About a quarter of the largest pair of matrices of a 70B model: unpacking larger parts at a time is no faster.
std::size_t max_unpacked_elements() { return std::size_t{128} << 20; }

bool has_warpgroups(int device) {
#if defined(LECTERN_WARPGROUPS)
  if (!kernel_options().warpgroups) return false;
  int major = 0;
  int minor = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "cudaDeviceGetAttribute");
  // Only 9.0 has wgmma; later architectures have other instructions in its place.
  return major == 9 && minor == 0;
#else
  static_cast<void>(device);
  return false;
#endif
}

std::optional<GemvKernel> fixed_gemv_kernel(int device) {
  check(cudaSetDevice(device), "cudaSetDevice");
  if (!compiled_for_hopper()) return GemvKernel::registers;
  return kernel_options().decode;
}

TriedGemvKernels& tried_gemv_kernels() {
  static TriedGemvKernels tried;
  return tried;
}

void* device_allocate(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes == 0 ? 1 : bytes);
  if (status == cudaErrorMemoryAllocation) {
    forget_error();
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
    throw Error(ErrorCode::out_of_memory, "The GPU has no memory for " + std::to_string(bytes) + " bytes more: " + std::to_string(free_bytes) + " are free.");
  }
  check(status, "cudaMalloc");
  return memory;
}

namespace {

std::atomic<bool> memory_stays = false;

}  // namespace

void device_release(void* memory) noexcept {
  if (!memory_stays) cudaFree(memory);
}
void never_release_memory() noexcept { memory_stays = true; }

void* pinned_allocate(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t status = cudaHostAlloc(&memory, bytes, cudaHostAllocDefault);
  if (status == cudaErrorMemoryAllocation) forget_error();
  check(status, "cudaHostAlloc");
  return memory;
}

void pinned_release(void* memory) noexcept {
  if (!memory_stays) cudaFreeHost(memory);
}

Event::Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreate"); }
Event::~Event() { cudaEventDestroy(event_); }
void Event::record(Stream stream) { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }
void Event::wait() const { check(cudaEventSynchronize(event_), "cudaEventSynchronize"); }
bool Event::completes_within(int seconds) const {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  for (;;) {
    const cudaError_t status = cudaEventQuery(event_);
    if (status != cudaErrorNotReady) {
      check(status, "cudaEventQuery");
      return true;
    }
    forget_error();
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}
void Event::hold(Stream stream) const { check(cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent"); }

Graph::~Graph() { cudaGraphExecDestroy(handle_); }
void Graph::launch(Stream stream) const { check(cudaGraphLaunch(handle_, stream), "cudaGraphLaunch"); }

void begin_recording(Stream stream) { check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture"); }

GraphHandle end_recording(Stream stream) {
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  cudaGraphExec_t executable = nullptr;
  const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  check(status, "cudaGraphInstantiate");
  return executable;
}

// Four threads read 40 GB/s from the page cache of a server, which is the rate of the PCIe bus.
int upload_readers() { return static_cast<int>(std::clamp(std::thread::hardware_concurrency() / 2, 1U, 8U)) - 1; }
std::size_t upload_bytes() { return std::size_t{16} << 20; }

void copy_to_device(Stream stream, void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpy to the device");
  // A driver that accesses pageable host memory (HMM, ATS) may still be reading when the call returns.
  synchronise(stream);
}

void copy_from_pinned(Stream stream, void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpy to the device");
}

void copy_to_host(Stream stream, void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream), "cudaMemcpy to the host");
  synchronise(stream);
}

void copy_on_device(Stream stream, void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream), "cudaMemcpy on the device");
}

void clear(Stream stream, void* memory, std::size_t bytes) { check(cudaMemsetAsync(memory, 0, bytes, stream), "cudaMemset"); }

void synchronise(Stream stream) { check(cudaStreamSynchronize(stream), "cudaStreamSynchronize"); }

void check_launches() { check(cudaGetLastError(), "launching a kernel"); }

void forget_error() noexcept { cudaGetLastError(); }

}  // namespace lectern::cuda
