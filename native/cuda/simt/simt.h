// The language of the kernels: CUDA C++ under nvcc, and the emulation under a host compiler, where the threads of a block are fibers. C++17.
//
// LECTERN_CUDA_SPACE is the namespace of everything that is compiled both ways, so that one program can hold both.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__CUDACC__)

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define LECTERN_CUDA_SPACE cuda
#define LECTERN_SHARED __shared__
#define LECTERN_LAUNCH_BOUNDS(threads, blocks) __launch_bounds__(threads, blocks)
/// In front of a loop over registers, which have no addresses: it must be unrolled.
#define LECTERN_UNROLL _Pragma("unroll")
/// In front of a loop that must not be unrolled.
#define LECTERN_NO_UNROLL _Pragma("unroll 1")
#define LECTERN_TEXT(text) #text
/// Unrolled by so many iterations, a compile-time constant.
#define LECTERN_UNROLL_BY(turns) _Pragma(LECTERN_TEXT(unroll turns))

#else

#include <functional>
#include <vector>

#include "cuda/emulation/fibers.h"
#include "tensor/half.h"

#define LECTERN_CUDA_SPACE cuda_emulated
#define LECTERN_SHARED static
#define LECTERN_LAUNCH_BOUNDS(threads, blocks)
#define LECTERN_UNROLL
#define LECTERN_NO_UNROLL
#define LECTERN_UNROLL_BY(turns)
#define __global__ static
#define __device__
#define __host__
#define __forceinline__ inline

#endif

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Words that are loaded and stored together.
template <std::size_t count>
struct alignas(4 * count) Words {
  std::uint32_t w[count];
};

struct Grid {
  int x;
  int y = 1;
  int z = 1;
};

#if defined(__CUDACC__)

using Stream = cudaStream_t;
using EventHandle = cudaEvent_t;
using GraphHandle = cudaGraphExec_t;

__device__ __forceinline__ int thread_number() { return static_cast<int>(threadIdx.x); }
/// Reads the index again: values computed from it are not kept in registers from long before.
__device__ __forceinline__ int thread_number_again() {
  int number;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(number));
  return number;
}
__device__ __forceinline__ int thread_count() { return static_cast<int>(blockDim.x); }
__device__ __forceinline__ int block_x() { return static_cast<int>(blockIdx.x); }
__device__ __forceinline__ int block_y() { return static_cast<int>(blockIdx.y); }
__device__ __forceinline__ int block_z() { return static_cast<int>(blockIdx.z); }
__device__ __forceinline__ int grid_x() { return static_cast<int>(gridDim.x); }
__device__ __forceinline__ void synchronise_block() { __syncthreads(); }
__device__ __forceinline__ void synchronise_warp() { __syncwarp(); }
__device__ __forceinline__ float shuffle_xor(float value, int mask) { return __shfl_xor_sync(0xFFFFFFFFU, value, mask); }
__device__ __forceinline__ int shuffle_xor(int value, int mask) { return __shfl_xor_sync(0xFFFFFFFFU, value, mask); }
__device__ __forceinline__ float float_of_bits(std::uint32_t bits) { return __uint_as_float(bits); }
__device__ __forceinline__ std::uint32_t bits_of_float(float value) { return __float_as_uint(value); }
/// Prefetches `bytes` from an address on, both multiples of 16, to the L2 cache, without waiting. From Hopper on that is one instruction
/// with a size; for the older one, with an address alone, the manual does not define whether it fetches 128 bytes or 32.
__device__ __forceinline__ void prefetch(const void* address, int bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(address), "r"(bytes));
#else
  for (int at = 0; at < bytes; at += 128) asm volatile("prefetch.global.L2 [%0];" ::"l"(static_cast<const std::uint8_t*>(address) + at));
#endif
}
/// sum + the four products of signed bytes.
__device__ __forceinline__ int dot4(int a, int b, int sum) { return __dp4a(a, b, sum); }
/// The sum of four signed bytes.
__device__ __forceinline__ int add_bytes(std::uint32_t bytes) { return __dp4a(static_cast<int>(bytes), 0x01010101, 0); }
__device__ __forceinline__ float half_to_float(std::uint16_t bits) { return __half2float(__ushort_as_half(bits)); }
/// Rounded to nearest even; saturates at the largest f16.
__device__ __forceinline__ std::uint16_t float_to_half(float value) { return __half_as_ushort(__float2half_rn(fminf(fmaxf(value, -65504.0F), 65504.0F))); }
__device__ __forceinline__ int round_to_int(float value) { return __float2int_rn(value); }
/// Byte i of the result is the byte of b:a that nibble i of `selector` names (0..7).
__device__ __forceinline__ std::uint32_t permute_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t selector) { return __byte_perm(a, b, selector); }

/// In shared or global memory.
__device__ __forceinline__ void atomic_add(std::uint64_t* to, std::uint64_t value) { atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value)); }
__device__ __forceinline__ void atomic_max(std::uint64_t* to, std::uint64_t value) { atomicMax(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value)); }
/// Returns the value before the addition.
__device__ __forceinline__ int atomic_add(int* to, int value) { return atomicAdd(to, value); }

/// __threadfence(), called by one thread of a block after a barrier: global writes of the block are visible to a thread that reads the next atomic
/// operation of this thread; and the same in the other direction, before reading.
__device__ __forceinline__ void fence_device() { __threadfence(); }
/// 16 bytes that other blocks of this kernel wrote, past the L1 cache, which may hold older data.
__device__ __forceinline__ Words<4> load_coherent(const float* from) {
  Words<4> value;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(value.w[0]), "=r"(value.w[1]), "=r"(value.w[2]), "=r"(value.w[3]) : "l"(from) : "memory");
  return value;
}
__device__ __forceinline__ float load_coherent_one(const float* from) { return __ldcg(from); }
/// __threadfence_block(): the writes of a thread are visible in its block before those that follow; the same for reads.
__device__ __forceinline__ void fence_block() { __threadfence_block(); }

/// The L1 cache policy of a load, for the 32 bytes around it: not allocated; evicted first, for data whose remaining bytes are read
/// next; evicted last, for data that is read again after others. `in_shared` is a load from shared memory.
enum class CachePolicy { no_allocate, evict_first, evict_last, in_shared };

#define LECTERN_LOAD(policy)                                                                                                            \
  if constexpr (sizeof(T) == 16) {                                                                                                      \
    asm("ld.global.nc.L1::" policy ".v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(value.w[0]), "=r"(value.w[1]), "=r"(value.w[2]), "=r"(value.w[3]) : "l"(from)); \
  } else if constexpr (sizeof(T) == 8) {                                                                                                \
    asm("ld.global.nc.L1::" policy ".v2.u32 {%0, %1}, [%2];" : "=r"(value.w[0]), "=r"(value.w[1]) : "l"(from));                         \
  } else if constexpr (sizeof(T) == 4) {                                                                                                \
    asm("ld.global.nc.L1::" policy ".u32 %0, [%1];" : "=r"(value.w[0]) : "l"(from));                                                    \
  } else {                                                                                                                              \
    static_assert(sizeof(T) == 2, "a width that there is");                                                                             \
    asm("ld.global.nc.L1::" policy ".u16 %0, [%1];" : "=h"(value) : "l"(from));                                                         \
  }

/// Loads constant data from global memory, or from shared memory where the policy says so. `from` is aligned to the size.
template <class T, CachePolicy kept>
__device__ __forceinline__ T load_constant(const std::uint8_t* from) {
  T value;
  if constexpr (kept == CachePolicy::in_shared) {
    value = *reinterpret_cast<const T*>(from);
  } else if constexpr (kept == CachePolicy::no_allocate) {
    LECTERN_LOAD("no_allocate")
  } else if constexpr (kept == CachePolicy::evict_first) {
    LECTERN_LOAD("evict_first")
  } else {
    LECTERN_LOAD("evict_last")
  }
  return value;
}

#undef LECTERN_LOAD

/// An address of shared memory in one register, for loops.
using SharedAddress = std::uint32_t;
__device__ __forceinline__ SharedAddress shared_address_of(const void* at) { return static_cast<SharedAddress>(__cvta_generic_to_shared(at)); }

/// volatile: the load stays behind the wait for its data.
template <class T, CachePolicy kept>
__device__ __forceinline__ T load_constant(SharedAddress from) {
  static_assert(kept == CachePolicy::in_shared, "an address of shared memory");
  T value;
  if constexpr (sizeof(T) == 16) asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(value.w[0]), "=r"(value.w[1]), "=r"(value.w[2]), "=r"(value.w[3]) : "r"(from));
  else if constexpr (sizeof(T) == 8) asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(value.w[0]), "=r"(value.w[1]) : "r"(from));
  else if constexpr (sizeof(T) == 4) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value.w[0]) : "r"(from));
  else asm volatile("ld.shared.u16 %0, [%1];" : "=h"(value) : "r"(from));
  return value;
}

/// The dynamic shared memory of the block, aligned to 128 bytes.
__device__ __forceinline__ std::uint8_t* dynamic_shared() {
  extern __shared__ __align__(128) std::uint8_t dynamic_shared_bytes[];
  return dynamic_shared_bytes;
}

/// griddepcontrol.wait, for kernels of launch_dependent(): waits until the previous kernels have ended and their writes are visible. All threads call it before they read or
/// write data of other kernels.
__device__ __forceinline__ void wait_for_previous_kernels() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// griddepcontrol.launch_dependents: when all blocks have called it, the blocks of the next kernel start as soon as there is room, if launch_dependent() queued it.
__device__ __forceinline__ void allow_dependent_launch() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Raises the limit of a kernel's dynamic shared memory, for all threads and models and for good: a limit that one launch lowered would fail
/// the launch of another, or a recorded one.
void allow_shared(const void* kernel, std::size_t bytes);

/// Launches `grid` blocks of `threads`, each with `shared_bytes` of dynamic shared memory.
template <class... Parameters, class... Arguments>
void launch_shared(Stream stream, void (*kernel)(Parameters...), Grid grid, int threads, std::size_t shared_bytes, Arguments... arguments) {
  // More than 48 KB, static shared memory included, needs a raised limit. What the device does not have fails the launch, which
  // check_launches() reports.
  if (shared_bytes > 32U << 10) allow_shared(reinterpret_cast<const void*>(kernel), shared_bytes);
  kernel<<<dim3(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), static_cast<unsigned>(grid.z)), static_cast<unsigned>(threads), shared_bytes, stream>>>(arguments...);
}

/// Whether dependent launches are used: compute capability 9.0 and newer, compiled for it, and KernelOptions::early_launches.
bool dependent_launches_enabled();

/// Programmatic dependent launch of a kernel that calls wait_for_previous_kernels(): what it does before that overlaps with the end of the previous kernel.
template <class... Parameters, class... Arguments>
void launch_dependent(Stream stream, void (*kernel)(Parameters...), Grid grid, int threads, std::size_t shared_bytes, Arguments... arguments) {
  if (!dependent_launches_enabled()) return launch_shared(stream, kernel, grid, threads, shared_bytes, arguments...);
  if (shared_bytes > 32U << 10) allow_shared(reinterpret_cast<const void*>(kernel), shared_bytes);
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), static_cast<unsigned>(grid.z));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

/// Launches `grid` blocks of `threads`.
template <class... Parameters, class... Arguments>
void launch(Stream stream, void (*kernel)(Parameters...), Grid grid, int threads, Arguments... arguments) {
  launch_shared(stream, kernel, grid, threads, 0, arguments...);
}

#else

/// 0: work is done when it is queued. 1: copies, which are done when they are waited for and not before.
struct Stream {
  int number = 0;
};
/// An event: how many of the queued copies must be done.
using EventHandle = std::uint64_t;
using GraphHandle = std::vector<std::function<void()>>;

inline int thread_number() { return static_cast<int>(cuda::emulation::thread_index.x); }
inline int thread_number_again() { return thread_number(); }
inline int thread_count() { return static_cast<int>(cuda::emulation::block_size.x); }
inline int block_x() { return static_cast<int>(cuda::emulation::block_index.x); }
inline int block_y() { return static_cast<int>(cuda::emulation::block_index.y); }
inline int block_z() { return static_cast<int>(cuda::emulation::block_index.z); }
inline int grid_x() { return static_cast<int>(cuda::emulation::grid_size.x); }
inline void synchronise_block() { cuda::emulation::block_barrier(); }
inline void synchronise_warp() { cuda::emulation::warp_barrier(); }
float shuffle_xor(float value, int mask);
int shuffle_xor(int value, int mask);
// Fibers are switched at barriers alone.
inline void atomic_add(std::uint64_t* to, std::uint64_t value) { *to += value; }
inline void atomic_max(std::uint64_t* to, std::uint64_t value) {
  if (value > *to) *to = value;
}
inline int atomic_add(int* to, int value) {
  *to += value;
  return *to - value;
}
/// Throws std::logic_error for an address that the device would refuse.
void check_alignment(const void* address, std::size_t bytes);
/// Ends the process if a dependent kernel reads what previous kernels write before it has waited for them.
void check_written();

inline void fence_device() {}
inline void fence_block() {}
inline Words<4> load_coherent(const float* from) {
  check_written();
  check_alignment(from, 16);
  Words<4> value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
inline float load_coherent_one(const float* from) {
  check_written();
  return *from;
}
inline float float_of_bits(std::uint32_t bits) { return float_from_bits(bits); }
inline std::uint32_t bits_of_float(float value) { return bits_of(value); }
/// Throws std::logic_error for an address or a size that the device would refuse, and for memory that is not allocated on the device.
void prefetch(const void* address, int bytes);
int dot4(int a, int b, int sum);
int add_bytes(std::uint32_t bytes);
float half_to_float(std::uint16_t bits);
std::uint16_t float_to_half(float value);
inline int round_to_int(float value) { return static_cast<int>(std::nearbyint(value)); }
std::uint32_t permute_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t selector);

/// Where the launches of this thread go while a stream is recorded; otherwise null.
extern constinit thread_local GraphHandle* recorded;

enum class CachePolicy { no_allocate, evict_first, evict_last, in_shared };

template <class T, CachePolicy>
T load_constant(const std::uint8_t* from) {
  check_alignment(from, sizeof(T));
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

using SharedAddress = const std::uint8_t*;
inline SharedAddress shared_address_of(const void* at) { return static_cast<SharedAddress>(at); }

inline std::uint8_t* dynamic_shared() { return cuda::emulation::shared_memory(); }
// The emulation runs one kernel after the other.
inline void wait_for_previous_kernels() { cuda::emulation::wait_for_previous_kernels(); }
inline void allow_dependent_launch() {}

template <class... Parameters, class... Arguments>
void launch_by(void (*run_grid)(cuda::emulation::Index, int, const std::function<void()>&, std::size_t), void (*kernel)(Parameters...), Grid grid, int threads, std::size_t shared_bytes, Arguments... arguments) {
  const auto run = [=] { run_grid({static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), static_cast<unsigned>(grid.z)}, threads, [&] { kernel(arguments...); }, shared_bytes); };
  if (recorded != nullptr) recorded->push_back(run);
  else run();
}

template <class... Parameters, class... Arguments>
void launch_shared(Stream, void (*kernel)(Parameters...), Grid grid, int threads, std::size_t shared_bytes, Arguments... arguments) {
  launch_by(cuda::emulation::run_grid, kernel, grid, threads, shared_bytes, arguments...);
}

template <class... Parameters, class... Arguments>
void launch_dependent(Stream, void (*kernel)(Parameters...), Grid grid, int threads, std::size_t shared_bytes, Arguments... arguments) {
  launch_by(cuda::emulation::run_dependent_grid, kernel, grid, threads, shared_bytes, arguments...);
}

template <class... Parameters, class... Arguments>
void launch(Stream stream, void (*kernel)(Parameters...), Grid grid, int threads, Arguments... arguments) {
  launch_shared(stream, kernel, grid, threads, 0, arguments...);
}

#endif

/// For data that is read once: the load does not evict other data from the L1 cache.
template <class T>
__device__ __forceinline__ T load_once(const std::uint8_t* from) {
  return load_constant<T, CachePolicy::no_allocate>(from);
}

/// The sum over the lanes of a warp, as a tree, the same in every lane.
__device__ __forceinline__ float warp_sum(float value) {
  for (int mask = 16; mask > 0; mask >>= 1) value += shuffle_xor(value, mask);
  return value;
}

__device__ __forceinline__ float warp_max(float value) {
  for (int mask = 16; mask > 0; mask >>= 1) value = fmaxf(value, shuffle_xor(value, mask));
  return value;
}

/// The sum over a block of at most 1,024 threads, a multiple of 32, for all threads. `shared` holds 32 floats.
__device__ __forceinline__ float block_sum(float value, float* shared) {
  value = warp_sum(value);
  synchronise_block();
  if (thread_number() % 32 == 0) shared[thread_number() / 32] = value;
  synchronise_block();
  const int warps = thread_count() / 32;
  return warp_sum(thread_number() % 32 < warps ? shared[thread_number() % 32] : 0.0F);
}

__device__ __forceinline__ float block_max(float value, float* shared) {
  value = warp_max(value);
  synchronise_block();
  if (thread_number() % 32 == 0) shared[thread_number() / 32] = value;
  synchronise_block();
  const int warps = thread_count() / 32;
  return warp_max(thread_number() % 32 < warps ? shared[thread_number() % 32] : -INFINITY);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
