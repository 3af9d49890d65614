// What kernels say to the tensor cores of a Hopper chip (sm_90a), where four warps multiply together, straight from shared memory and
// while they do something else; the emulation has a twin of each (emulation/warpgroups.cpp). C++17.
//
// All 128 threads of a warpgroup, four warps of which the first's number is a multiple of four, call these together:
//   begin_products(); one or more multiply_group(); end_products(); later wait_for_products().
// Between end and wait the sums are nobody's to look at, and the matrices must stay as they are.
//
// Matrices lie in shared memory as mma_gemm.cuh has them: rows of 128 bytes (64 elements), 16-byte chunk c of row r where chunk c ^ (r % 8)
// would be, the first row where 1,024 bytes begin. That is the manual's layout of 128-byte swizzle, elements of k side by side. With
// t the thread of the warpgroup, w = t / 32, g = t % 32 / 4: sums[o][0..3] of t are, of columns 8 o + 2 (t % 4) and the next, rows
// 16 w + g and 16 w + g + 8. A left side may be held in registers: of each warp's 16 rows as tensor_cores.h has them. A right side may be turned: rows are steps of
// k then and 64 of its outputs lie side by side.
#pragma once

#include "cuda/simt/tensor_cores.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

constexpr int warpgroup_threads = 128;
constexpr int warpgroup_rows = 64;
/// What matrices begin at a multiple of: the swizzle is one of the address.
constexpr int matrix_alignment = 1024;
/// Elements of k that one product takes.
constexpr int product_columns = 16;

/// Where a matrix lies, as the tensor cores are told.
using MatrixPlace = std::uint64_t;

/// Of a matrix that begins at shared address `address`: bits 0-13 the address in 16 bytes; 16-29 the distance of what follows in k,
/// which this layout does not have; 32-45 from eight rows to the next eight, 1,024 bytes; 62-63 the swizzle of 128 bytes.
__host__ __device__ constexpr MatrixPlace place_at(Word address) {
  return static_cast<MatrixPlace>((address & 0x3FFFFU) >> 4) | MatrixPlace{1} << 16 | MatrixPlace{1024 >> 4} << 32 | MatrixPlace{1} << 62;
}

/// Of a turned matrix, of halves: rows of 128 bytes are 64 outputs of one step of k, eight of them 1,024 bytes as above; 16-29 here the distance of the next 64 outputs.
__host__ __device__ constexpr MatrixPlace turned_place_at(Word address, int next_outputs) {
  return static_cast<MatrixPlace>((address & 0x3FFFFU) >> 4) | static_cast<MatrixPlace>(next_outputs >> 4) << 16 | MatrixPlace{1024 >> 4} << 32 | MatrixPlace{1} << 62;
}

/// How a right side lies: k side by side, or its outputs.
enum class Side { straight, turned };

/// The same rows, `products` times product_columns further in k, within the 128 bytes.
__host__ __device__ constexpr MatrixPlace further(MatrixPlace place, int products) { return place + static_cast<MatrixPlace>(products * product_columns * 2 / 16); }

#if defined(__CUDACC__)

/// Of shared memory, as place_at() wants it.
__device__ __forceinline__ Word shared_address(const void* at) { return static_cast<Word>(__cvta_generic_to_shared(at)); }

// Where they are not there, nothing that uses them is compiled; the host only reads what is.
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define LECTERN_HAS_GROUPS 1

/// What this thread wrote to shared memory, by copy_beside() and waited for too, is what the products of all read after a barrier.
__device__ __forceinline__ void show_to_products() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

/// By all threads of a warpgroup: from here on each has `count` registers, a multiple of 8; more of them must have been given up by others. Of a kernel
/// whose launch bounds say how many a thread begins with.
template <int count>
__device__ __forceinline__ void give_up_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
}
template <int count>
__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
}

/// In front of products, where the sums were touched by something else.
__device__ __forceinline__ void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

/// Ends a group of products.
__device__ __forceinline__ void end_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

/// Until all groups but the last `later` are done.
template <int later>
__device__ __forceinline__ void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(later) : "memory");
}

/// The compiler moves nothing that touches the sums over this.
template <std::size_t blocks>
__device__ __forceinline__ void hold_sums(float (&sums)[blocks][4]) {
  LECTERN_UNROLL
  for (std::size_t o = 0; o < blocks; ++o) asm volatile("" : "+f"(sums[o][0]), "+f"(sums[o][1]), "+f"(sums[o][2]), "+f"(sums[o][3])::"memory");
}

/// Nor anything that touches what a thread holds of a left side.
template <std::size_t steps>
__device__ __forceinline__ void hold_words(Word (&words)[steps][4]) {
  LECTERN_UNROLL
  for (std::size_t k = 0; k < steps; ++k) asm volatile("" : "+r"(words[k][0]), "+r"(words[k][1]), "+r"(words[k][2]), "+r"(words[k][3])::"memory");
}

#define LECTERN_SUM(o) "+f"(sums[o][0]), "+f"(sums[o][1]), "+f"(sums[o][2]), "+f"(sums[o][3])
#define LECTERN_SUMS_8(o) LECTERN_SUM(o), LECTERN_SUM(o + 1), LECTERN_SUM(o + 2), LECTERN_SUM(o + 3), LECTERN_SUM(o + 4), LECTERN_SUM(o + 5), LECTERN_SUM(o + 6), LECTERN_SUM(o + 7)
#define LECTERN_NAMES_0 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define LECTERN_NAMES_1 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define LECTERN_NAMES_2 "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define LECTERN_NAMES_3 "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define LECTERN_MULTIPLY_GROUP(outputs, type, names, a, b, ...) \
  asm volatile("wgmma.mma_async.sync.aligned.m64n" #outputs "k16.f32." type "." type " {" names "}, " a ", " b ", 1, 1, 1, 0, 0;" : __VA_ARGS__ : "l"(left), "l"(right))

/// sums += a b^T: a (64 rows, 16) at `left`, b (8 blocks, 16) at `right`; halves where `halves`, else bf16.
template <bool halves, std::size_t blocks>
__device__ __forceinline__ void multiply_group(float (&sums)[blocks][4], MatrixPlace left, MatrixPlace right) {
  static_assert(blocks == 8 || blocks == 16 || blocks == 32, "64, 128 or 256 outputs");
  if constexpr (blocks == 8) {
    if constexpr (halves) LECTERN_MULTIPLY_GROUP(64, "f16", LECTERN_NAMES_0, "%32", "%33", LECTERN_SUMS_8(0));
    else LECTERN_MULTIPLY_GROUP(64, "bf16", LECTERN_NAMES_0, "%32", "%33", LECTERN_SUMS_8(0));
  }
  if constexpr (blocks == 16) {
    if constexpr (halves) LECTERN_MULTIPLY_GROUP(128, "f16", LECTERN_NAMES_0 ", " LECTERN_NAMES_1, "%64", "%65", LECTERN_SUMS_8(0), LECTERN_SUMS_8(8));
    else LECTERN_MULTIPLY_GROUP(128, "bf16", LECTERN_NAMES_0 ", " LECTERN_NAMES_1, "%64", "%65", LECTERN_SUMS_8(0), LECTERN_SUMS_8(8));
  }
  if constexpr (blocks == 32) {
    if constexpr (halves) LECTERN_MULTIPLY_GROUP(256, "f16", LECTERN_NAMES_0 ", " LECTERN_NAMES_1 ", " LECTERN_NAMES_2 ", " LECTERN_NAMES_3, "%128", "%129", LECTERN_SUMS_8(0), LECTERN_SUMS_8(8), LECTERN_SUMS_8(16), LECTERN_SUMS_8(24));
    else LECTERN_MULTIPLY_GROUP(256, "bf16", LECTERN_NAMES_0 ", " LECTERN_NAMES_1 ", " LECTERN_NAMES_2 ", " LECTERN_NAMES_3, "%128", "%129", LECTERN_SUMS_8(0), LECTERN_SUMS_8(8), LECTERN_SUMS_8(16), LECTERN_SUMS_8(24));
  }
}

#define LECTERN_MULTIPLY_HELD(outputs, names, a, b, adds, turned, ...)                                                                                          \
  asm volatile("{\n.reg .pred adds;\nsetp.ne.b32 adds, " #adds ", 0;\n" \
               "wgmma.mma_async.sync.aligned.m64n" #outputs "k16.f32.f16.f16 {" names "}, {" a "}, " b ", adds, 1, 1, " #turned ";\n}" : __VA_ARGS__ \
               : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "l"(right))
#define LECTERN_MULTIPLY_HELD_8(adds, turned) LECTERN_MULTIPLY_HELD(64, LECTERN_NAMES_0, "%32, %33, %34, %35", "%36", adds, turned, LECTERN_SUMS_8(0))
#define LECTERN_MULTIPLY_HELD_16(adds, turned) \
  LECTERN_MULTIPLY_HELD(128, LECTERN_NAMES_0 ", " LECTERN_NAMES_1, "%64, %65, %66, %67", "%68", adds, turned, LECTERN_SUMS_8(0), LECTERN_SUMS_8(8))

/// The same of halves with a left side in registers, which stay as they are until the products are waited for. Where not `adds`: sums = a b^T.
template <bool adds, Side side, std::size_t blocks>
__device__ __forceinline__ void multiply_held(float (&sums)[blocks][4], const Word (&left)[4], MatrixPlace right) {
  static_assert(blocks == 8 || blocks == 16, "64 or 128 outputs");
  if constexpr (blocks == 8) {
    if constexpr (side == Side::turned && adds) LECTERN_MULTIPLY_HELD_8(1, 1);
    else if constexpr (side == Side::turned) LECTERN_MULTIPLY_HELD_8(0, 1);
    else if constexpr (adds) LECTERN_MULTIPLY_HELD_8(1, 0);
    else LECTERN_MULTIPLY_HELD_8(0, 0);
  } else {
    if constexpr (side == Side::turned && adds) LECTERN_MULTIPLY_HELD_16(1, 1);
    else if constexpr (side == Side::turned) LECTERN_MULTIPLY_HELD_16(0, 1);
    else if constexpr (adds) LECTERN_MULTIPLY_HELD_16(1, 0);
    else LECTERN_MULTIPLY_HELD_16(0, 0);
  }
}

#undef LECTERN_MULTIPLY_HELD
#undef LECTERN_MULTIPLY_HELD_8
#undef LECTERN_MULTIPLY_HELD_16
#undef LECTERN_SUM
#undef LECTERN_SUMS_8
#undef LECTERN_NAMES_0
#undef LECTERN_NAMES_1
#undef LECTERN_NAMES_2
#undef LECTERN_NAMES_3
#undef LECTERN_MULTIPLY_GROUP

#endif

#else

#define LECTERN_HAS_GROUPS 1

Word shared_address(const void* at);
void show_to_products();
template <int>
void give_up_registers() {}
template <int>
void take_registers() {}
void begin_products();
void end_products();
void wait_for_products(int later);
template <int later>
void wait_for_products() {
  wait_for_products(later);
}
template <std::size_t blocks>
void hold_sums(float (&)[blocks][4]) {}
template <std::size_t steps>
void hold_words(Word (&)[steps][4]) {}
void multiply_group(bool halves, float (*sums)[4], int blocks, MatrixPlace left, MatrixPlace right);
template <bool halves, std::size_t blocks>
void multiply_group(float (&sums)[blocks][4], MatrixPlace left, MatrixPlace right) {
  multiply_group(halves, sums, static_cast<int>(blocks), left, right);
}
void multiply_held(bool adds, Side side, float (*sums)[4], int blocks, const Word (&left)[4], MatrixPlace right);
template <bool adds, Side side, std::size_t blocks>
void multiply_held(float (&sums)[blocks][4], const Word (&left)[4], MatrixPlace right) {
  multiply_held(adds, side, sums, static_cast<int>(blocks), left, right);
}

#endif

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
