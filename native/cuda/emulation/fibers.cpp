#include "cuda/emulation/fibers.h"

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "cuda/emulation/mapped.h"

namespace lectern::cuda::emulation {

Index thread_index;
Index block_index;
Index block_size;
Index grid_size;
std::uint64_t blocks_begun = 0;
std::uint64_t barriers_passed = 0;
bool checks_only = false;

namespace {

/// The limits of every device: more blocks on the first axis than are ever used, 65,535 on the others, and no empty axis.
void check_grid(Index grid, int threads) {
  constexpr unsigned most = 65535;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) throw std::logic_error("A grid without blocks: a device refuses it.");
  if (grid.x > INT32_MAX || grid.y > most || grid.z > most) throw std::logic_error("A grid of more blocks along an axis than a device takes.");
  if (threads < 1 || threads > 1024) throw std::logic_error("A block of more threads than a device takes.");
}

constexpr std::size_t stack_bytes = std::size_t{128} << 10;
bool reversed = false;
bool apart = false;
bool early = false;

enum class State { ready, at_block_barrier, at_warp_barrier, waits, done };

struct Fiber {
  ucontext_t context{};
  jmp_buf place{};
  bool begun = false;
  std::unique_ptr<char[]> stack = std::make_unique<char[]>(stack_bytes);
  State state = State::ready;
  unsigned given = 0;
  const std::function<bool()>* there = nullptr;  // of a fiber that waits
  bool waited = false;                           // for the previous kernels
};

struct Block {
  std::vector<Fiber> fibers;
  std::vector<const void*> shown;  // as fibers
  ucontext_t beginning{};
  jmp_buf scheduler{};
  int running = 0;
  const std::function<void()>* body = nullptr;
};

Block block;
std::mutex one_grid;  // Held by the grid that runs, whatever its thread: all data shared here belong to it.

// The most shared memory of a block on any device.
constexpr std::size_t max_shared_bytes = 227U << 10;
constexpr std::size_t shared_alignment = 128;
constexpr unsigned char guard = 0xA5;
// Behind this there is no memory: an access there ends the process. The memory of a block ends here.
unsigned char* const shared_end = end_of_mapped(max_shared_bytes);
unsigned char* shared_begin = shared_end;

// A fiber starts by its context, which sets up the stack; afterwards longjmp is enough, and makes no system call.
void leave() { _longjmp(block.scheduler, 1); }

// At the end of its body it waits for the next block.
void enter() {
  for (;;) {
    (*block.body)();
    Fiber& fiber = block.fibers[static_cast<std::size_t>(block.running)];
    fiber.state = State::done;
    if (_setjmp(fiber.place) == 0) leave();
  }
}

void wait(State state) {
  if (apart) throw std::logic_error("A thread that was said to wait for no other does.");
  Fiber& fiber = block.fibers[static_cast<std::size_t>(block.running)];
  fiber.state = state;
  if (_setjmp(fiber.place) == 0) leave();
}

void go_on(Fiber& fiber) {
  if (_setjmp(block.scheduler) != 0) return;
  if (fiber.begun) _longjmp(fiber.place, 1);
  fiber.begun = true;
  swapcontext(&block.beginning, &fiber.context);
}

/// Thrown where fibers wait for ever.
[[noreturn]] void give_up(const char* why) {
  for (Fiber& fiber : block.fibers) fiber.begun = false;
  throw std::logic_error(why);
}

/// Releases [first, last) when every fiber there that still runs waits at `barrier`. All lanes of a warp must be there: no device defines what lanes that have ended give to
/// others.
bool release(std::size_t first, std::size_t last, State barrier) {
  bool any = false;
  bool ended = false;
  for (std::size_t i = first; i < last; ++i) {
    const State state = block.fibers[i].state;
    if (state == State::done) {
      ended = true;
      continue;
    }
    if (state != barrier) return false;
    any = true;
  }
  if (any && ended && barrier == State::at_warp_barrier) give_up("Lanes of a warp wait for lanes that have ended.");
  for (std::size_t i = first; any && i < last; ++i) {
    if (block.fibers[i].state == barrier) block.fibers[i].state = State::ready;
  }
  return any;
}

/// True when a fiber may continue.
bool release_barriers(std::size_t threads) {
  bool any = false;
  for (std::size_t warp = 0; warp < threads; warp += warp_size) {
    any = release(warp, std::min(threads, warp + warp_size), State::at_warp_barrier) || any;
  }
  for (std::size_t i = 0; i < threads; ++i) {
    Fiber& fiber = block.fibers[i];
    if (fiber.state != State::waits || !(*fiber.there)()) continue;
    fiber.state = State::ready;
    any = true;
  }
  if (any) return true;
  ++barriers_passed;
  return release(0, threads, State::at_block_barrier);
}

/// A device does not guarantee an order of blocks either.
template <class Run>
void each_block(Index grid, const Run& run) {
  const auto turned = [](unsigned turn, unsigned count) { return reversed ? count - 1 - turn : turn; };
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        block_index = {turned(x, grid.x), turned(y, grid.y), turned(z, grid.z)};
        run();
      }
    }
  }
}

void run_block(std::size_t threads) {
  ++blocks_begun;
  for (std::size_t i = 0; i < threads; ++i) {
    Fiber& fiber = block.fibers[i];
    fiber.state = State::ready;
    fiber.waited = !early;
    if (fiber.begun) continue;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = stack_bytes;
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, enter, 0);
  }
  do {
    for (std::size_t turn = 0; turn < threads; ++turn) {
      const std::size_t i = reversed ? threads - 1 - turn : turn;
      if (block.fibers[i].state != State::ready) continue;
      block.running = static_cast<int>(i);
      thread_index = {static_cast<unsigned>(i), 0, 0};
      go_on(block.fibers[i]);
    }
  } while (release_barriers(threads));
  const bool all_done = std::all_of(block.fibers.begin(), block.fibers.begin() + static_cast<std::ptrdiff_t>(threads), [](const Fiber& fiber) { return fiber.state == State::done; });
  if (!all_done) give_up("Threads of a block wait at barriers that others never reach.");
  const bool all_waited = std::all_of(block.fibers.begin(), block.fibers.begin() + static_cast<std::ptrdiff_t>(threads), [](const Fiber& fiber) { return fiber.waited; });
  if (!all_waited) throw std::logic_error("A thread of a kernel that begins early ended and had not waited for the kernels before.");
}

}  // namespace

void set_reverse(bool reverse) { reversed = reverse; }

void block_barrier() { wait(State::at_block_barrier); }

unsigned exchange(unsigned bits, int from) {
  const auto own = static_cast<std::size_t>(block.running);
  block.fibers[own].given = bits;
  wait(State::at_warp_barrier);
  const std::size_t source = own / warp_size * warp_size + static_cast<std::size_t>(from);
  const unsigned taken = block.fibers[source].given;
  // No lane may give the next value before all have read this one.
  wait(State::at_warp_barrier);
  return taken;
}

const void* const* show(const void* own) {
  const auto lane = static_cast<std::size_t>(block.running);
  block.shown[lane] = own;
  wait(State::at_warp_barrier);
  return block.shown.data() + lane / warp_size * warp_size;
}

void warp_barrier() { wait(State::at_warp_barrier); }

void wait_until(const std::function<bool()>& there) {
  block.fibers[static_cast<std::size_t>(block.running)].there = &there;
  wait(State::waits);
}

void wait_for_previous_kernels() { block.fibers[static_cast<std::size_t>(block.running)].waited = true; }

bool previous_kernels_are_done() { return apart || block.fibers[static_cast<std::size_t>(block.running)].waited; }

unsigned char* shared_memory() { return shared_begin; }

namespace {

/// Called while one_grid is held.
void run_blocks(Index grid, int threads, const std::function<void()>& body, std::size_t shared_bytes) {
  check_grid(grid, threads);
  if (shared_bytes > max_shared_bytes) throw std::logic_error("A block asks for more shared memory than there is.");
  if (checks_only) return;
  if (block.fibers.size() < static_cast<std::size_t>(threads)) {
    std::vector<Fiber> fibers(static_cast<std::size_t>(threads));
    block.fibers = std::move(fibers);
    block.shown.resize(static_cast<std::size_t>(threads));
  }
  block.body = &body;
  grid_size = grid;
  block_size = {static_cast<unsigned>(threads), 1, 1};
  shared_begin = shared_end - (shared_bytes + shared_alignment - 1) / shared_alignment * shared_alignment;
  unsigned char* const own_end = shared_begin + shared_bytes;
  std::fill(own_end, shared_end, guard);
  each_block(grid, [&] {
    std::fill(shared_begin, own_end, static_cast<unsigned char>(0xFF));
    run_block(static_cast<std::size_t>(threads));
  });
  if (std::any_of(own_end, shared_end, [](unsigned char byte) { return byte != guard; })) throw std::logic_error("A block wrote beside its shared memory.");
}

}  // namespace

void run_grid(Index grid, int threads, const std::function<void()>& body, std::size_t shared_bytes) {
  const std::lock_guard lock(one_grid);
  run_blocks(grid, threads, body, shared_bytes);
}

void run_dependent_grid(Index grid, int threads, const std::function<void()>& body, std::size_t shared_bytes) {
  const std::lock_guard lock(one_grid);
  struct Early {
    Early() { early = true; }
    ~Early() { early = false; }
  };
  const Early now;
  run_blocks(grid, threads, body, shared_bytes);
}

void run_apart(Index grid, int threads, const std::function<void()>& body) {
  const std::lock_guard lock(one_grid);
  check_grid(grid, threads);
  if (checks_only) return;
  struct Apart {
    Apart() { apart = true; }
    ~Apart() { apart = false; }
  };
  const Apart now;
  grid_size = grid;
  block_size = {static_cast<unsigned>(threads), 1, 1};
  each_block(grid, [&] {
    ++blocks_begun;
    for (int turn = 0; turn < threads; ++turn) {
      thread_index = {static_cast<unsigned>(reversed ? threads - 1 - turn : turn), 0, 0};
      body();
    }
  });
}

}  // namespace lectern::cuda::emulation
