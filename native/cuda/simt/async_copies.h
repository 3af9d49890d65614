// Copies to shared memory that the device makes by itself from compute capability 9.0 on: one thread asks for thousands of bytes, a barrier of
// shared memory counts them as they come, and whoever wants them waits there. The emulation has a twin of each (emulation/async_copies.cpp). C++17.
//
// A barrier has phases, of which the first is 0: a phase is over when as many arrived as init_barrier() said and all bytes that were expected came;
// then the next begins with as many. wait_for(barrier, phase) with phase % 2 alone: no thread may be two phases behind.
#pragma once

#include "cuda/simt/simt.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// In shared memory.
using CopyBarrier = std::uint64_t;

/// Rows of 16-bit elements of which a box is copied at a time: 64 columns of some rows, 16-byte chunk c of row r to where chunk c ^ (r % 8) would be,
/// so that the copy's place must be a multiple of 1,024. What lies outside becomes zeros.
struct TileMap {
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
TileMap make_tile_map(const void* data, std::size_t row_bytes, int columns, int rows, int box_rows);

constexpr int line_bytes = 128;
constexpr int lines_rows = 8;

/// Rows of bytes, in lines: a box is some lines of eight rows, all rows' first line, then all rows' second. Of lines of 128 bytes the 16-byte chunk c of row r lies where chunk
/// c ^ r would be, so that the copy's place must be a multiple of 1,024; shorter lines, of 16, 32 or 64 bytes, lie as they are, one row behind the other. What lies outside becomes zeros.
struct LineMap {
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

/// `data`, `row_bytes`: multiples of 16; lines of `bytes`, `lines` of a row, `box_lines` copied at a time. All bytes of a row's last line must be there to be read, whatever they are.
/// Throws Error `device_lost` where the driver refuses.
LineMap make_line_map(const void* data, std::size_t row_bytes, int rows, int bytes, int lines, int box_lines);

#if defined(__CUDACC__)

/// Of a kernel's parameter that stays where the launch put it: a TileMap is read by its address.
#define LECTERN_IN_PLACE __grid_constant__

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

__device__ __forceinline__ std::uint32_t barrier_address(const void* at) { return shared_place(at); }

/// By one thread; show_barriers() by the same and then a barrier of the block before anybody uses them.
__device__ __forceinline__ void init_barrier(CopyBarrier* barrier, int arrivals) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier_address(barrier)), "r"(arrivals) : "memory"); }
__device__ __forceinline__ void show_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  // Also to the copies, which the same thread may ask for at once.
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Arrives, and says how many bytes this phase waits for beside.
__device__ __forceinline__ void arrive_expecting(CopyBarrier* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier_address(barrier)), "r"(bytes) : "memory");
}
/// What the thread read of shared memory before may be written again by whoever waits.
__device__ __forceinline__ void arrive_at(SharedPlace barrier) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory"); }
__device__ __forceinline__ void arrive(CopyBarrier* barrier) { arrive_at(shared_place(barrier)); }

/// Until the phase is over, and what it waited for is there.
__device__ __forceinline__ void wait_at(SharedPlace barrier, int phase) {
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
__device__ __forceinline__ void wait_for(const CopyBarrier* barrier, int phase) { wait_at(shared_place(barrier), phase); }

/// `bytes` that follow one another; addresses and size are multiples of 16.
__device__ __forceinline__ void copy_bytes(void* shared, const void* global, int bytes, CopyBarrier* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(barrier_address(shared)), "l"(global), "r"(bytes), "r"(barrier_address(barrier)) : "memory");
}

/// A box of a map from `column` and `row` on; all of its bytes count, also those of zeros.
__device__ __forceinline__ void copy_box(void* shared, const TileMap& map, int column, int row, CopyBarrier* barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(barrier_address(shared)), "l"(&map), "r"(column), "r"(row),
               "r"(barrier_address(barrier))
               : "memory");
}

/// A box of a map from `line` and `row` on; all of its bytes count, also those of zeros.
__device__ __forceinline__ void copy_lines(void* shared, const LineMap& map, int line, int row, CopyBarrier* barrier) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(barrier_address(shared)), "l"(&map), "r"(0), "r"(row), "r"(line),
               "r"(barrier_address(barrier))
               : "memory");
}

/// Fetches the map itself, for copies that come.
__device__ __forceinline__ void prefetch_map(const LineMap& map) { asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory"); }

/// By a thread that knows what other kernels wrote, before it asks for copies of that.
__device__ __forceinline__ void show_to_copies() { asm volatile("fence.proxy.async.global;" ::: "memory"); }

#endif

#else

#define LECTERN_IN_PLACE

void init_barrier(CopyBarrier* barrier, int arrivals);
void show_barriers();
void arrive_expecting(CopyBarrier* barrier, int bytes);
void arrive(CopyBarrier* barrier);
void wait_for(const CopyBarrier* barrier, int phase);
inline void arrive_at(SharedPlace barrier) { arrive(const_cast<CopyBarrier*>(reinterpret_cast<const CopyBarrier*>(barrier))); }
inline void wait_at(SharedPlace barrier, int phase) { wait_for(reinterpret_cast<const CopyBarrier*>(barrier), phase); }
void copy_bytes(void* shared, const void* global, int bytes, CopyBarrier* barrier);
void copy_box(void* shared, const TileMap& map, int column, int row, CopyBarrier* barrier);
void copy_lines(void* shared, const LineMap& map, int line, int row, CopyBarrier* barrier);
inline void prefetch_map(const LineMap&) {}
void show_to_copies();

#endif

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
