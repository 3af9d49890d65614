// wgmma, the tensor-core instructions of Hopper (sm_90a): four warps multiply together, asynchronously, with operands in
// shared memory; the emulation implements them (emulation/warpgroups.cpp). C++17.
//
// All 128 threads of a warpgroup (four warps, the number of the first a multiple of four) call together:
//   wgmma_fence(); one or more wgmma(); wgmma_commit(); later wgmma_wait().
// Between commit and wait the accumulators must not be accessed, and the operands must not change.
//
// Operands lie in shared memory as in mma_gemm.cuh: rows of 128 bytes (64 elements), 16-byte chunk c of row r at chunk c ^ (r % 8),
// the first row aligned to 1,024 bytes. That is the manual's K-major layout with 128-byte swizzle. With
// t the thread of the warpgroup, w = t / 32, g = t % 32 / 4: sums[o][0..3] of t are columns 8 o + 2 (t % 4) and the next of rows
// 16 w + g and 16 w + g + 8. The A operand may be in registers: fragments of the 16 rows of each warp as in tensor_cores.h. The B operand may be MN-major: rows are then steps of
// k, each with 64 contiguous outputs.
#pragma once

#include "cuda/simt/tensor_cores.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

constexpr int warpgroup_threads = 128;
constexpr int warpgroup_rows = 64;
/// The alignment of operands: the swizzle is one of the address.
constexpr int matrix_alignment = 1024;
/// The K extent of one wgmma.
constexpr int wgmma_k = 16;

/// A matrix descriptor, as wgmma takes it.
using MatrixDescriptor = std::uint64_t;

/// The descriptor of a K-major matrix at shared address `address`: bits 0-13 the address in 16 bytes; 16-29 the leading dimension offset,
/// which this layout does not use; 32-45 the stride of eight rows, 1,024 bytes; 62-63 the swizzle of 128 bytes.
__host__ __device__ constexpr MatrixDescriptor matrix_descriptor(Word address) {
  return static_cast<MatrixDescriptor>((address & 0x3FFFFU) >> 4) | MatrixDescriptor{1} << 16 | MatrixDescriptor{1024 >> 4} << 32 | MatrixDescriptor{1} << 62;
}

/// The descriptor of an MN-major f16 matrix: a row of 128 bytes has 64 outputs of one step of k, eight rows are 1,024 bytes as above; bits 16-29 are the distance of the next 64 outputs.
__host__ __device__ constexpr MatrixDescriptor transposed_matrix_descriptor(Word address, int next_outputs) {
  return static_cast<MatrixDescriptor>((address & 0x3FFFFU) >> 4) | static_cast<MatrixDescriptor>(next_outputs >> 4) << 16 | MatrixDescriptor{1024 >> 4} << 32 | MatrixDescriptor{1} << 62;
}

/// The major dimension of a B operand.
enum class Major { k, mn };

/// The descriptor `products` times wgmma_k further in k, within the 128 bytes.
__host__ __device__ constexpr MatrixDescriptor advance_descriptor(MatrixDescriptor place, int products) { return place + static_cast<MatrixDescriptor>(products * wgmma_k * 2 / 16); }

#if defined(__CUDACC__)

/// An address of shared memory for matrix_descriptor().
__device__ __forceinline__ Word shared_address(const void* at) { return static_cast<Word>(__cvta_generic_to_shared(at)); }

// On other architectures no kernel body is compiled that uses them; the host needs the declarations alone.
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define LECTERN_HAS_WGMMA 1

/// Makes shared memory that this thread wrote (by cp.async, too, after its wait) visible to wgmma of all threads after a barrier.
__device__ __forceinline__ void fence_proxy_async_shared() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

/// setmaxnreg, called by all threads of a warpgroup: each has `count` registers from now on, a multiple of 8; other warpgroups must have released what one acquires. For kernels
/// with launch bounds, which fix the number at the start.
template <int count>
__device__ __forceinline__ void release_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
}
template <int count>
__device__ __forceinline__ void acquire_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
}

/// wgmma.fence: before products whose accumulators were accessed by other instructions.
__device__ __forceinline__ void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

/// wgmma.commit_group.
__device__ __forceinline__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

/// Waits for all groups but the last `later`.
template <int later>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(later) : "memory");
}

/// The compiler moves no access to the accumulators across this.
template <std::size_t blocks>
__device__ __forceinline__ void fence_accumulators(float (&sums)[blocks][4]) {
  LECTERN_UNROLL
  for (std::size_t o = 0; o < blocks; ++o) asm volatile("" : "+f"(sums[o][0]), "+f"(sums[o][1]), "+f"(sums[o][2]), "+f"(sums[o][3])::"memory");
}

/// The same for the registers of an A fragment.
template <std::size_t steps>
__device__ __forceinline__ void fence_fragments(Word (&words)[steps][4]) {
  LECTERN_UNROLL
  for (std::size_t k = 0; k < steps; ++k) asm volatile("" : "+r"(words[k][0]), "+r"(words[k][1]), "+r"(words[k][2]), "+r"(words[k][3])::"memory");
}

#define LECTERN_SUM(o) "+f"(sums[o][0]), "+f"(sums[o][1]), "+f"(sums[o][2]), "+f"(sums[o][3])
#define LECTERN_SUMS_8(o) LECTERN_SUM(o), LECTERN_SUM(o + 1), LECTERN_SUM(o + 2), LECTERN_SUM(o + 3), LECTERN_SUM(o + 4), LECTERN_SUM(o + 5), LECTERN_SUM(o + 6), LECTERN_SUM(o + 7)
#define LECTERN_NAMES_0 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define LECTERN_NAMES_1 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define LECTERN_NAMES_2 "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define LECTERN_NAMES_3 "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define LECTERN_WGMMA(outputs, type, names, a, b, ...) \
  asm volatile("wgmma.mma_async.sync.aligned.m64n" #outputs "k16.f32." type "." type " {" names "}, " a ", " b ", 1, 1, 1, 0, 0;" : __VA_ARGS__ : "l"(left), "l"(right))

/// sums += a b^T: a (64 rows, 16) at `left`, b (8 blocks, 16) at `right`; f16 where `halves`, else bf16.
template <bool halves, std::size_t blocks>
__device__ __forceinline__ void wgmma(float (&sums)[blocks][4], MatrixDescriptor left, MatrixDescriptor right) {
  static_assert(blocks == 8 || blocks == 16 || blocks == 32, "64, 128 or 256 outputs");
  if constexpr (blocks == 8) {
    if constexpr (halves) LECTERN_WGMMA(64, "f16", LECTERN_NAMES_0, "%32", "%33", LECTERN_SUMS_8(0));
    else LECTERN_WGMMA(64, "bf16", LECTERN_NAMES_0, "%32", "%33", LECTERN_SUMS_8(0));
  }
  if constexpr (blocks == 16) {
    if constexpr (halves) LECTERN_WGMMA(128, "f16", LECTERN_NAMES_0 ", " LECTERN_NAMES_1, "%64", "%65", LECTERN_SUMS_8(0), LECTERN_SUMS_8(8));
    else LECTERN_WGMMA(128, "bf16", LECTERN_NAMES_0 ", " LECTERN_NAMES_1, "%64", "%65", LECTERN_SUMS_8(0), LECTERN_SUMS_8(8));
  }
  if constexpr (blocks == 32) {
    if constexpr (halves) LECTERN_WGMMA(256, "f16", LECTERN_NAMES_0 ", " LECTERN_NAMES_1 ", " LECTERN_NAMES_2 ", " LECTERN_NAMES_3, "%128", "%129", LECTERN_SUMS_8(0), LECTERN_SUMS_8(8), LECTERN_SUMS_8(16), LECTERN_SUMS_8(24));
    else LECTERN_WGMMA(256, "bf16", LECTERN_NAMES_0 ", " LECTERN_NAMES_1 ", " LECTERN_NAMES_2 ", " LECTERN_NAMES_3, "%128", "%129", LECTERN_SUMS_8(0), LECTERN_SUMS_8(8), LECTERN_SUMS_8(16), LECTERN_SUMS_8(24));
  }
}

#define LECTERN_WGMMA_REGISTER_A(outputs, names, a, b, adds, turned, ...)                                                                                          \
  asm volatile("{\n.reg .pred adds;\nsetp.ne.b32 adds, " #adds ", 0;\n" \
               "wgmma.mma_async.sync.aligned.m64n" #outputs "k16.f32.f16.f16 {" names "}, {" a "}, " b ", adds, 1, 1, " #turned ";\n}" : __VA_ARGS__ \
               : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "l"(right))
#define LECTERN_WGMMA_REGISTER_A_8(adds, turned) LECTERN_WGMMA_REGISTER_A(64, LECTERN_NAMES_0, "%32, %33, %34, %35", "%36", adds, turned, LECTERN_SUMS_8(0))
#define LECTERN_WGMMA_REGISTER_A_16(adds, turned) \
  LECTERN_WGMMA_REGISTER_A(128, LECTERN_NAMES_0 ", " LECTERN_NAMES_1, "%64, %65, %66, %67", "%68", adds, turned, LECTERN_SUMS_8(0), LECTERN_SUMS_8(8))

/// The same in f16 with the A fragment in registers, which must not change until the wait. Where not `adds`: sums = a b^T.
template <bool adds, Major major, std::size_t blocks>
__device__ __forceinline__ void wgmma_register_a(float (&sums)[blocks][4], const Word (&left)[4], MatrixDescriptor right) {
  static_assert(blocks == 8 || blocks == 16, "64 or 128 outputs");
  if constexpr (blocks == 8) {
    if constexpr (major == Major::mn && adds) LECTERN_WGMMA_REGISTER_A_8(1, 1);
    else if constexpr (major == Major::mn) LECTERN_WGMMA_REGISTER_A_8(0, 1);
    else if constexpr (adds) LECTERN_WGMMA_REGISTER_A_8(1, 0);
    else LECTERN_WGMMA_REGISTER_A_8(0, 0);
  } else {
    if constexpr (major == Major::mn && adds) LECTERN_WGMMA_REGISTER_A_16(1, 1);
    else if constexpr (major == Major::mn) LECTERN_WGMMA_REGISTER_A_16(0, 1);
    else if constexpr (adds) LECTERN_WGMMA_REGISTER_A_16(1, 0);
    else LECTERN_WGMMA_REGISTER_A_16(0, 0);
  }
}

#undef LECTERN_WGMMA_REGISTER_A
#undef LECTERN_WGMMA_REGISTER_A_8
#undef LECTERN_WGMMA_REGISTER_A_16
#undef LECTERN_SUM
#undef LECTERN_SUMS_8
#undef LECTERN_NAMES_0
#undef LECTERN_NAMES_1
#undef LECTERN_NAMES_2
#undef LECTERN_NAMES_3
#undef LECTERN_WGMMA

#endif

#else

#define LECTERN_HAS_WGMMA 1

Word shared_address(const void* at);
void fence_proxy_async_shared();
template <int>
void release_registers() {}
template <int>
void acquire_registers() {}
void wgmma_fence();
void wgmma_commit();
void wgmma_wait(int later);
template <int later>
void wgmma_wait() {
  wgmma_wait(later);
}
template <std::size_t blocks>
void fence_accumulators(float (&)[blocks][4]) {}
template <std::size_t steps>
void fence_fragments(Word (&)[steps][4]) {}
void wgmma(bool halves, float (*sums)[4], int blocks, MatrixDescriptor left, MatrixDescriptor right);
template <bool halves, std::size_t blocks>
void wgmma(float (&sums)[blocks][4], MatrixDescriptor left, MatrixDescriptor right) {
  wgmma(halves, sums, static_cast<int>(blocks), left, right);
}
void wgmma_register_a(bool adds, Major major, float (*sums)[4], int blocks, const Word (&left)[4], MatrixDescriptor right);
template <bool adds, Major major, std::size_t blocks>
void wgmma_register_a(float (&sums)[blocks][4], const Word (&left)[4], MatrixDescriptor right) {
  wgmma_register_a(adds, major, sums, static_cast<int>(blocks), left, right);
}

#endif

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
