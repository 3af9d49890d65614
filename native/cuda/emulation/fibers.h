// A block of threads on one host thread: fibers that stop at barriers. Kernels access it through simt.h. Host threads run one grid at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace lectern::cuda::emulation {

struct Index {
  unsigned x = 0, y = 0, z = 0;
};

/// Of the running fiber.
extern Index thread_index;
extern Index block_index;
extern Index block_size;
extern Index grid_size;

inline constexpr int warp_size = 32;

/// Runs `body` once for each thread of each block, one block after the other. Throws std::logic_error for a deadlock
/// (a barrier that not all threads reach), for a write beside the `shared_bytes` of a block, and for a grid that no device accepts.
void run_grid(Index grid, int threads, const std::function<void()>& body, std::size_t shared_bytes = 0);

/// The same for a dependent launch. Throws std::logic_error also where a thread has ended without waiting for the previous kernels: the end
/// of this kernel would then not mean theirs, and the next one relies on that.
void run_dependent_grid(Index grid, int threads, const std::function<void()>& body, std::size_t shared_bytes);
/// Called by a thread of such a kernel.
void wait_for_previous_kernels();
/// Whether this thread has waited for the previous kernels.
bool previous_kernels_are_done();

/// As run_grid(), for threads that do not wait for each other and need no fibers: a barrier is an error.
void run_apart(Index grid, int threads, const std::function<void()>& body);

/// Grids are checked and not run, and memory has no contents: a model that is too large for the host can go through all code that launches kernels. Meanwhile the
/// device has as many multiprocessors as a large one.
extern bool checks_only;

/// Of the running block, aligned to 128 bytes; NaNs where nothing was written.
unsigned char* shared_memory();

/// The order in which the threads of a block run, and the blocks of a grid: a missing barrier shows in one order and hides in the other.
void set_reverse(bool reverse);

void block_barrier();
/// Gives `bits` to the lanes of the warp and takes what lane `from` gave. All lanes that still run must call it.
unsigned exchange(unsigned bits, int from);
/// Shows `own` to the lanes of the warp; the values of all lanes are valid until warp_barrier(), which all must call before the next.
const void* const* show(const void* own);
void warp_barrier();
/// Waits for `there`, which other threads of the block must bring about.
void wait_until(const std::function<bool()>& there);
/// Blocks started so far, the running one included.
extern std::uint64_t blocks_begun;
/// Barriers passed so far, of all blocks.
extern std::uint64_t barriers_passed;

}  // namespace lectern::cuda::emulation
