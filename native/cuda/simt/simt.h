// What kernels are written in: CUDA C++ under nvcc, and under a host compiler the emulation, where a block's threads are fibers. C++17.
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
/// In front of a loop over registers, which have no addresses: it must be written out.
#define LECTERN_UNROLL _Pragma("unroll")
/// In front of one that is not worth the registers.
#define LECTERN_NO_UNROLL _Pragma("unroll 1")
#define LECTERN_TEXT(text) #text
/// So many turns at a time: a number that the compiler knows.
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
/// The same read anew: what is made of it is not kept in registers from long before.
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
/// Asks for `bytes` from an address on, both multiples of 16, for the second-level cache, and does not wait for them. From Hopper on that is one instruction,
/// which says how many they are; of the one before, by the address alone, the manual does not say whether 128 bytes come or 32.
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
/// To nearest even; what is too large becomes the largest half.
__device__ __forceinline__ std::uint16_t float_to_half(float value) { return __half_as_ushort(__float2half_rn(fminf(fmaxf(value, -65504.0F), 65504.0F))); }
__device__ __forceinline__ int round_to_int(float value) { return __float2int_rn(value); }
/// Byte i of the result is the byte of b:a that nibble i of `selector` names (0..7).
__device__ __forceinline__ std::uint32_t permute_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t selector) { return __byte_perm(a, b, selector); }

/// Of the block's shared memory or the device's.
__device__ __forceinline__ void atomic_add(std::uint64_t* to, std::uint64_t value) { atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value)); }
__device__ __forceinline__ void atomic_max(std::uint64_t* to, std::uint64_t value) { atomicMax(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value)); }
/// The sum, as atomic_add(); what stood there before.
__device__ __forceinline__ int atomic_add(int* to, int value) { return atomicAdd(to, value); }

/// By one thread of a block, after a barrier: what the block wrote to the device's memory is there for whoever finds what this thread writes next by an atomic
/// operation; and the other way round, before what others wrote is read.
__device__ __forceinline__ void order_memory() { __threadfence(); }
/// 16 bytes that other blocks of this kernel wrote: not from the first-level cache, which may have older ones.
__device__ __forceinline__ Words<4> load_of_others(const float* from) {
  Words<4> value;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(value.w[0]), "=r"(value.w[1]), "=r"(value.w[2]), "=r"(value.w[3]) : "l"(from) : "memory");
  return value;
}
__device__ __forceinline__ float load_one_of_others(const float* from) { return __ldcg(from); }
/// What a thread wrote before, its block's threads find before what it writes afterwards; and the other way round, of what they read.
__device__ __forceinline__ void order_shared() { __threadfence_block(); }

/// What the first-level cache does with the 32 bytes around what is read: nothing; gives them up first, for when the rest of them is asked for
/// next; keeps them, for when it is asked for after others. What lies in shared memory is none of its business.
enum class Kept { not_at_all, briefly, longer, in_shared };

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

/// From memory that nobody writes meanwhile: global, but where it is said to be shared. `from` is aligned to the size.
template <class T, Kept kept>
__device__ __forceinline__ T load_constant(const std::uint8_t* from) {
  T value;
  if constexpr (kept == Kept::in_shared) {
    value = *reinterpret_cast<const T*>(from);
  } else if constexpr (kept == Kept::not_at_all) {
    LECTERN_LOAD("no_allocate")
  } else if constexpr (kept == Kept::briefly) {
    LECTERN_LOAD("evict_first")
  } else {
    LECTERN_LOAD("evict_last")
  }
  return value;
}

#undef LECTERN_LOAD

/// An address of the block's shared memory in one register, for loops that walk it.
using SharedPlace = std::uint32_t;
__device__ __forceinline__ SharedPlace shared_place(const void* at) { return static_cast<SharedPlace>(__cvta_generic_to_shared(at)); }

/// What is read stays behind what was waited for.
template <class T, Kept kept>
__device__ __forceinline__ T load_constant(SharedPlace from) {
  static_assert(kept == Kept::in_shared, "an address of shared memory");
  T value;
  if constexpr (sizeof(T) == 16) asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(value.w[0]), "=r"(value.w[1]), "=r"(value.w[2]), "=r"(value.w[3]) : "r"(from));
  else if constexpr (sizeof(T) == 8) asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(value.w[0]), "=r"(value.w[1]) : "r"(from));
  else if constexpr (sizeof(T) == 4) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value.w[0]) : "r"(from));
  else asm volatile("ld.shared.u16 %0, [%1];" : "=h"(value) : "r"(from));
  return value;
}

/// What launch_shared() gave the block, aligned to 128 bytes.
__device__ __forceinline__ std::uint8_t* dynamic_shared() {
  extern __shared__ __align__(128) std::uint8_t dynamic_shared_bytes[];
  return dynamic_shared_bytes;
}

/// Of a kernel that launch_early() queued: until those before it are done and what they wrote is there. All its threads call it before they read or
/// write what others do.
__device__ __forceinline__ void wait_for_kernels_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// Where all blocks have come here, those of the next kernel begin as soon as there is room, if launch_early() queued it.
__device__ __forceinline__ void let_next_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Lets a kernel's blocks ask for so much memory, of all threads and models from now on: a limit that one launch lowered again would fail
/// another's launch, or a recorded one.
void allow_shared(const void* kernel, std::size_t bytes);

/// Queues a kernel of `grid` blocks of `threads`, each with `shared_bytes` beside what its LECTERN_SHARED takes.
template <class... Parameters, class... Arguments>
void launch_shared(Stream stream, void (*kernel)(Parameters...), Grid grid, int threads, std::size_t shared_bytes, Arguments... arguments) {
  // More than 48 KB, with what its LECTERN_SHARED takes, has to be asked for. What the device does not have fails the launch, which
  // check_launches() tells.
  if (shared_bytes > 32U << 10) allow_shared(reinterpret_cast<const void*>(kernel), shared_bytes);
  kernel<<<dim3(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), static_cast<unsigned>(grid.z)), static_cast<unsigned>(threads), shared_bytes, stream>>>(arguments...);
}

/// Whether kernels may begin before those before them are done (on chips that have it, where it was compiled and LECTERN_EARLY_LAUNCHES is not "off").
bool begins_early();

/// The same of a kernel that calls wait_for_kernels_before(): what it does until then may run beside the end of the kernel before it.
template <class... Parameters, class... Arguments>
void launch_early(Stream stream, void (*kernel)(Parameters...), Grid grid, int threads, std::size_t shared_bytes, Arguments... arguments) {
  if (!begins_early()) return launch_shared(stream, kernel, grid, threads, shared_bytes, arguments...);
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

/// Queues a kernel of `grid` blocks of `threads`.
template <class... Parameters, class... Arguments>
void launch(Stream stream, void (*kernel)(Parameters...), Grid grid, int threads, Arguments... arguments) {
  launch_shared(stream, kernel, grid, threads, 0, arguments...);
}

#else

/// 0: what is queued is done at once. 1: of copies, which are done when somebody waits for them and not before.
struct Stream {
  int number = 0;
};
/// Of an event: how many of the copies that were queued must be done.
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
// Fibers take turns at barriers alone.
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
/// Ends the process in a kernel that begins early and has not waited yet for those that write what is read.
void check_written();

inline void order_memory() {}
inline void order_shared() {}
inline Words<4> load_of_others(const float* from) {
  check_written();
  check_alignment(from, 16);
  Words<4> value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
inline float load_one_of_others(const float* from) {
  check_written();
  return *from;
}
inline float float_of_bits(std::uint32_t bits) { return float_from_bits(bits); }
inline std::uint32_t bits_of_float(float value) { return bits_of(value); }
/// Throws std::logic_error for an address or a size that the device would refuse, and for memory that is none of its.
void prefetch(const void* address, int bytes);
int dot4(int a, int b, int sum);
int add_bytes(std::uint32_t bytes);
float half_to_float(std::uint16_t bits);
std::uint16_t float_to_half(float value);
inline int round_to_int(float value) { return static_cast<int>(std::nearbyint(value)); }
std::uint32_t permute_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t selector);

/// Where this thread's launches go while a stream is recorded; else null.
extern constinit thread_local GraphHandle* recorded;

enum class Kept { not_at_all, briefly, longer, in_shared };

template <class T, Kept>
T load_constant(const std::uint8_t* from) {
  check_alignment(from, sizeof(T));
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

using SharedPlace = const std::uint8_t*;
inline SharedPlace shared_place(const void* at) { return static_cast<SharedPlace>(at); }

inline std::uint8_t* dynamic_shared() { return cuda::emulation::shared_memory(); }
// One kernel after the other.
inline void wait_for_kernels_before() { cuda::emulation::wait_for_kernels_before(); }
inline void let_next_begin() {}

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
void launch_early(Stream, void (*kernel)(Parameters...), Grid grid, int threads, std::size_t shared_bytes, Arguments... arguments) {
  launch_by(cuda::emulation::run_early_grid, kernel, grid, threads, shared_bytes, arguments...);
}

template <class... Parameters, class... Arguments>
void launch(Stream stream, void (*kernel)(Parameters...), Grid grid, int threads, Arguments... arguments) {
  launch_shared(stream, kernel, grid, threads, 0, arguments...);
}

#endif

/// The same where nobody reads it again soon: it shall not displace what the first-level cache holds.
template <class T>
__device__ __forceinline__ T load_once(const std::uint8_t* from) {
  return load_constant<T, Kept::not_at_all>(from);
}

/// Over the lanes of a warp, in the order of a tree: the same in every lane.
__device__ __forceinline__ float warp_sum(float value) {
  for (int mask = 16; mask > 0; mask >>= 1) value += shuffle_xor(value, mask);
  return value;
}

__device__ __forceinline__ float warp_max(float value) {
  for (int mask = 16; mask > 0; mask >>= 1) value = fmaxf(value, shuffle_xor(value, mask));
  return value;
}

/// Over a block of at most 1,024 threads, a multiple of 32; all threads get it. `shared` holds 32 floats.
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
