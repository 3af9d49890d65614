// Asynchronous bulk copies to shared memory (TMA, compute capability 9.0 and newer) and their mbarriers: one thread issues a copy of thousands of bytes, an mbarrier in
// shared memory counts the bytes as they arrive, and consumers wait for it. The emulation implements each function (emulation/async_copies.cpp). C++17.
//
// The phases of an mbarrier begin with 0. A phase is complete when as many threads have arrived as mbarrier_init() specified and all expected bytes have arrived;
// then the next phase begins. mbarrier_wait(barrier, phase) compares phase % 2: no thread may be two phases behind.
#pragma once

#include "cuda/simt/simt.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// In shared memory.
using Mbarrier = std::uint64_t;

/// The tensor map of rows of 16-bit elements, which are copied in boxes of 64 columns: 16-byte chunk c of row r is stored at chunk c ^ (r % 8) (128-byte swizzle),
/// so that the destination must be aligned to 1,024 bytes. Elements outside become zeros.
struct TensorMap2d {
#if defined(__CUDACC__)
  alignas(64) unsigned char opaque[128];  // the driver's CUtensorMap
#else
  const std::uint8_t* data = nullptr;
  std::size_t row_bytes = 0;
  int columns = 0;
  int rows = 0;
  int box_rows = 0;
#endif
};

/// `data`, `row_bytes`: multiples of 16; box_rows: 256 at most. Throws Error `device_lost` where the driver refuses.
TensorMap2d make_tensor_map_2d(const void* data, std::size_t row_bytes, int columns, int rows, int box_rows);

constexpr int line_bytes = 128;
constexpr int map_box_rows = 8;

/// The tensor map of rows of bytes, divided into lines: a box is some lines of eight rows, the first line of all rows, then the second. In lines of 128 bytes 16-byte chunk c of row r is stored at
/// chunk c ^ r (128-byte swizzle), so that the destination must be aligned to 1,024 bytes; shorter lines of 16, 32 or 64 bytes are contiguous, row after row. Bytes outside become zeros.
struct TensorMap3d {
#if defined(__CUDACC__)
  alignas(64) unsigned char opaque[128];  // the driver's CUtensorMap
#else
  const std::uint8_t* data = nullptr;
  std::size_t row_bytes = 0;
  int rows = 0;
  int bytes = 0;  // of a line
  int lines = 0;
  int box_lines = 0;
#endif
};

/// `data`, `row_bytes`: multiples of 16; lines of `bytes`, `lines` per row, `box_lines` copied at a time. All bytes of the last line of a row must be readable.
/// Throws Error `device_lost` where the driver refuses.
TensorMap3d make_tensor_map_3d(const void* data, std::size_t row_bytes, int rows, int bytes, int lines, int box_lines);

#if defined(__CUDACC__)

/// For a kernel parameter whose address is used: a tensor map is passed by its address.
#define LECTERN_GRID_CONSTANT __grid_constant__

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

__device__ __forceinline__ std::uint32_t barrier_address(const void* at) { return shared_address_of(at); }

/// Called by one thread, which then calls fence_mbarrier_init(); a barrier of the block has to follow before any use.
__device__ __forceinline__ void mbarrier_init(Mbarrier* barrier, int arrivals) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier_address(barrier)), "r"(arrivals) : "memory"); }
__device__ __forceinline__ void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  // Also visible to copies that the same thread issues.
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Arrives, and adds to the bytes that this phase waits for.
__device__ __forceinline__ void mbarrier_arrive_expect(Mbarrier* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier_address(barrier)), "r"(bytes) : "memory");
}
/// After this, shared memory that the thread has read may be overwritten by threads that wait.
__device__ __forceinline__ void mbarrier_arrive_at(SharedAddress barrier) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory"); }
__device__ __forceinline__ void mbarrier_arrive(Mbarrier* barrier) { mbarrier_arrive_at(shared_address_of(barrier)); }

/// Waits until the phase is complete.
__device__ __forceinline__ void mbarrier_wait_at(SharedAddress barrier, int phase) {
  asm volatile(
      "{\n"
      ".reg .pred there;\n"
      "AGAIN:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 there, [%0], %1;\n"
      "@there bra DONE;\n"
      "bra AGAIN;\n"
      "DONE:\n"
      "}\n" ::"r"(barrier),
      "r"(phase & 1)
      : "memory");
}
__device__ __forceinline__ void mbarrier_wait(const Mbarrier* barrier, int phase) { mbarrier_wait_at(shared_address_of(barrier), phase); }

/// Copies contiguous bytes; addresses and size are multiples of 16.
__device__ __forceinline__ void bulk_copy(void* shared, const void* global, int bytes, Mbarrier* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(barrier_address(shared)), "l"(global), "r"(bytes), "r"(barrier_address(barrier)) : "memory");
}

/// Copies the box that begins at `column` and `row`; all of its bytes count, zeros, too.
__device__ __forceinline__ void bulk_copy_2d(void* shared, const TensorMap2d& map, int column, int row, Mbarrier* barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(barrier_address(shared)), "l"(&map), "r"(column), "r"(row),
               "r"(barrier_address(barrier))
               : "memory");
}

/// Copies the box that begins at `line` and `row`; all of its bytes count, zeros, too.
__device__ __forceinline__ void bulk_copy_3d(void* shared, const TensorMap3d& map, int line, int row, Mbarrier* barrier) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(barrier_address(shared)), "l"(&map), "r"(0), "r"(row), "r"(line),
               "r"(barrier_address(barrier))
               : "memory");
}

/// Fetches the tensor map itself for later copies.
__device__ __forceinline__ void prefetch_tensor_map(const TensorMap3d& map) { asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory"); }

/// Called by a thread that has synchronised with the writes of other kernels, before it issues copies of that data.
__device__ __forceinline__ void fence_proxy_async_global() { asm volatile("fence.proxy.async.global;" ::: "memory"); }

#endif

#else

#define LECTERN_GRID_CONSTANT

void mbarrier_init(Mbarrier* barrier, int arrivals);
void fence_mbarrier_init();
void mbarrier_arrive_expect(Mbarrier* barrier, int bytes);
void mbarrier_arrive(Mbarrier* barrier);
void mbarrier_wait(const Mbarrier* barrier, int phase);
inline void mbarrier_arrive_at(SharedAddress barrier) { mbarrier_arrive(const_cast<Mbarrier*>(reinterpret_cast<const Mbarrier*>(barrier))); }
inline void mbarrier_wait_at(SharedAddress barrier, int phase) { mbarrier_wait(reinterpret_cast<const Mbarrier*>(barrier), phase); }
void bulk_copy(void* shared, const void* global, int bytes, Mbarrier* barrier);
void bulk_copy_2d(void* shared, const TensorMap2d& map, int column, int row, Mbarrier* barrier);
void bulk_copy_3d(void* shared, const TensorMap3d& map, int line, int row, Mbarrier* barrier);
inline void prefetch_tensor_map(const TensorMap3d&) {}
void fence_proxy_async_global();

#endif

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
