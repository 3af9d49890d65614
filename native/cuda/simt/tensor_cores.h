// mma.sync, ldmatrix, cp.async and related instructions, one function each; the
// emulation implements them (emulation/tensor_cores.cpp) by the fragment layouts of the PTX manual. C++17.
//
// All lanes of a warp call them together. With lane = 4 g + t (g 0..7, t 0..3), a register with two 16-bit or four 8-bit
// elements of a row, lowest bits first:
//   16-bit, m16n8k16: a[0] (g, 2t..), a[1] (g + 8, 2t..), a[2] (g, 2t + 8..), a[3] (g + 8, 2t + 8..); b[0] (k 2t.., n g), b[1] (k 2t + 8.., n g)
//   8-bit,  m16n8k32: a[0] (g, 4t..), a[1] (g + 8, 4t..), a[2] (g, 4t + 16..), a[3] (g + 8, 4t + 16..); b[0] (k 4t.., n g), b[1] (k 4t + 16.., n g)
//   tf32,   m16n8k8:  a[0] (g, t), a[1] (g + 8, t), a[2] (g, t + 4), a[3] (g + 8, t + 4); b[0] (k t, n g), b[1] (k t + 4, n g)
//   accumulators:     c[0] (g, 2t), c[1] (g, 2t + 1), c[2] (g + 8, 2t), c[3] (g + 8, 2t + 1)
// All architectures from sm_80 on have them.
#pragma once

#include "cuda/simt/simt.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

using Word = std::uint32_t;

#if defined(__CUDACC__)

/// c += a b, f16.
__device__ __forceinline__ void mma_f16(float (&c)[4], const Word (&a)[4], const Word (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// c += a b, bf16.
__device__ __forceinline__ void mma_bf16(float (&c)[4], const Word (&a)[4], const Word (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// c += a b, tf32: floats with 10 bits of mantissa.
__device__ __forceinline__ void mma_tf32(float (&c)[4], const Word (&a)[4], const Word (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// c += a b, int8.
__device__ __forceinline__ void mma_s8(int (&c)[4], const Word (&a)[4], const Word (&b)[2]) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// ldmatrix: four 8 x 8 matrices of 16-bit elements. Lanes 8 i .. 8 i + 7 give the addresses of the rows of matrix i (16 bytes each, aligned to 16); each
/// lane gets row lane / 4 of each matrix i, elements 2 (lane % 4) and the next.
__device__ __forceinline__ void ldmatrix(Word (&r)[4], const void* row) {
  const auto at = static_cast<Word>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}

/// The transposed matrices: rows 2 (lane % 4) and the next, element lane / 4.
__device__ __forceinline__ void ldmatrix_transposed(Word (&r)[4], const void* row) {
  const auto at = static_cast<Word>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}

/// cp.async: 16 bytes from global to shared memory, both aligned to 16; zeros where not `wanted`.
__device__ __forceinline__ void cp_async_16(void* shared, const void* global, bool wanted) {
  const auto at = static_cast<Word>(__cvta_generic_to_shared(shared));
  const int bytes = wanted ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(global), "r"(bytes) : "memory");
}

/// The same with 4 bytes, both aligned to 4.
__device__ __forceinline__ void cp_async_4(void* shared, const void* global, bool wanted) {
  const auto at = static_cast<Word>(__cvta_generic_to_shared(shared));
  const int bytes = wanted ? 4 : 0;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(global), "r"(bytes) : "memory");
}

/// Ends a group of copies of this thread.
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits for all groups of this thread but the last `later`. Other threads see the data after a barrier.
template <int later>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(later) : "memory");
}

/// Two floats as bf16, rounded to nearest even, the first in the low half.
__device__ __forceinline__ Word pack_bf16(float low, float high) {
  Word word;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
}

/// Two floats as f16, rounded to nearest even; too large values become infinite.
__device__ __forceinline__ Word pack_f16(float low, float high) {
  Word word;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
}

/// a - b, two f16 each.
__device__ __forceinline__ Word subtract_f16x2(Word a, Word b) {
  Word word;
  asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(word) : "r"(a), "r"(b));
  return word;
}

/// The bits of the float, rounded to the 10 bits of mantissa of tf32.
__device__ __forceinline__ Word round_tf32(float value) {
  Word word;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(word) : "f"(value));
  return word;
}


/// 2^x, to 2 units in the last place.
__device__ __forceinline__ float fast_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// 1 / x, to a unit in the last place; subnormal arguments and results become zero.
__device__ __forceinline__ float fast_reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// The larger value; NaN if one of them is NaN.
__device__ __forceinline__ float max_or_nan(float a, float b) {
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
  return larger;
}

/// 16 bytes, aligned.
__device__ __forceinline__ void store_words(void* to, const Word (&words)[4]) { *static_cast<uint4*>(to) = make_uint4(words[0], words[1], words[2], words[3]); }

#else

void mma_f16(float (&c)[4], const Word (&a)[4], const Word (&b)[2]);
void mma_bf16(float (&c)[4], const Word (&a)[4], const Word (&b)[2]);
void mma_tf32(float (&c)[4], const Word (&a)[4], const Word (&b)[2]);
void mma_s8(int (&c)[4], const Word (&a)[4], const Word (&b)[2]);
void ldmatrix(Word (&r)[4], const void* row);
void ldmatrix_transposed(Word (&r)[4], const void* row);
void cp_async_16(void* shared, const void* global, bool wanted);
void cp_async_4(void* shared, const void* global, bool wanted);
void cp_async_commit();
void cp_async_wait(int later);
template <int later>
void cp_async_wait() {
  cp_async_wait(later);
}
Word pack_bf16(float low, float high);
Word pack_f16(float low, float high);
Word subtract_f16x2(Word a, Word b);
Word round_tf32(float value);
/// Marks shared memory that this thread wrote, which wgmma does not see yet.
void wrote_to_shared();
inline void store_words(void* to, const Word (&words)[4]) {
  std::memcpy(to, words, sizeof words);
  wrote_to_shared();
}
inline float fast_exp2(float x) { return std::exp2(x); }
inline float max_or_nan(float a, float b) { return a != a || b != b ? NAN : std::fmax(a, b); }
inline float fast_reciprocal(float x) {
  constexpr float least = 1.17549435e-38F;  // the smallest normal float: the device flushes smaller arguments and results to zero
  const float y = 1.0F / (std::fabs(x) < least ? std::copysign(0.0F, x) : x);
  return std::fabs(y) < least ? std::copysign(0.0F, y) : y;
}

#endif

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
