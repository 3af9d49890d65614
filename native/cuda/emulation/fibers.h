// A block of threads on one thread of the host: fibers that stop at barriers. What kernels see of it is in simt.h. Threads of the host take turns, a grid each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace lectern::cuda::emulation {

struct Index {
  unsigned x = 0, y = 0, z = 0;
};

/// Of the fiber that runs.
extern Index thread_index;
extern Index block_index;
extern Index block_size;
extern Index grid_size;

inline constexpr int warp_size = 32;

/// Runs `body` once for each thread of each block, blocks one after the other. Throws std::logic_error when threads wait for each
/// other for ever: a barrier that not all of them reach, when a block wrote beside its `shared_bytes`, and for a grid that no device takes.
void run_grid(Index grid, int threads, const std::function<void()>& body, std::size_t shared_bytes = 0);

/// The same of a kernel that may begin while those before it run. Throws std::logic_error also where a thread has ended that did not wait for them: that this kernel is done
/// would not mean then that they are, and the next counts on it.
void run_early_grid(Index grid, int threads, const std::function<void()>& body, std::size_t shared_bytes);
/// By a thread of one.
void wait_for_kernels_before();
/// Whether the kernels before the one that runs are done for this thread.
bool kernels_before_are_done();

/// The same as run_grid() for threads that never wait for each other, which need no fibers: a barrier is an error.
void run_apart(Index grid, int threads, const std::function<void()>& body);

/// Grids are looked at and not run, and memory holds nothing: models too large for a host go through all that queues their kernels. Meanwhile the
/// device has as many multiprocessors as a large one.
extern bool checks_only;

/// Of the block that runs, aligned to 128 bytes; what was not written there is no number.
unsigned char* shared_memory();

/// The order in which threads of a block take turns, and blocks of a grid: a missing barrier shows in one order and hides in the other.
void set_reverse(bool reverse);

void block_barrier();
/// Gives `bits` to the lanes of the warp and takes what lane `from` gave. All lanes that still run must call it.
unsigned exchange(unsigned bits, int from);
/// Shows `own` to the lanes of the warp; what each lane shows, valid until warp_barrier(), which all must call before the next.
const void* const* show(const void* own);
void warp_barrier();
/// Until `there` says so, which other threads of the block must bring about.
void wait_until(const std::function<bool()>& there);
/// Blocks that began so far, the one that runs included.
extern std::uint64_t blocks_begun;
/// Barriers of all blocks that were passed so far.
extern std::uint64_t barriers_passed;

}  // namespace lectern::cuda::emulation
