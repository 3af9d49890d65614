// Emulates cuda/simt/warpgroups.h. Products are computed when they are issued and appear when they are waited for: until then the accumulators
// are NaNs, and the operands must not change. A product after shared memory was written without a fence and a barrier is a fault.
#include "cuda/simt/warpgroups.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "cuda/emulation/faults.h"
#include "tensor/half.h"

namespace lectern::cuda::emulation {

bool wgmma_is_wrong = false;
std::uint64_t wgmma_count = 0;
thread_local std::string remarks;

}  // namespace lectern::cuda::emulation

namespace lectern::cuda_emulated {
namespace {

namespace emulation = cuda::emulation;
using emulation::fault;

/// Dynamic shared memory begins here: at an address where operands may not begin.
constexpr Word shared_begin = 128;

/// 16 elements of one row, found as the tensor cores find them: by the bits of the descriptor and of the addresses alone.
struct Sixteen {
  std::array<std::uint16_t, 16> bits;
};

/// The element at an address, whose bits 4-6 are exchanged by its bits 7-9.
std::uint16_t element_at(Word address) {
  address ^= (address >> 7 & 7U) << 4;
  std::uint16_t bits;
  std::memcpy(&bits, emulation::shared_memory() + address - shared_begin, 2);
  return bits;
}

/// Row `row` of a matrix, or output `row` of an MN-major one.
Sixteen read(MatrixDescriptor place, Major major, int row) {
  if (place >> 62 != 1 || (place >> 49 & 7U) != 0) fault("a matrix that is not in the layout of 128-byte swizzle");
  const Word begin = static_cast<Word>(place & 0x3FFFU) << 4;
  const Word next = static_cast<Word>(place >> 16 & 0x3FFFU) << 4;
  const Word eight_rows = static_cast<Word>(place >> 32 & 0x3FFFU) << 4;
  const auto r = static_cast<Word>(row);
  Sixteen found;
  for (Word k = 0; k < 16; ++k) {
    found.bits[k] = major == Major::k ? element_at(begin + r / 8 * eight_rows + r % 8 * 128 + 2 * k) : element_at(begin + r / 64 * next + r % 64 * 2 + k / 8 * eight_rows + k % 8 * 128);
  }
  return found;
}

/// The products that a thread has issued and not waited for.
struct Asked {
  MatrixDescriptor left;
  const Word* held;  // the A fragment in four registers instead of `left`, or null
  MatrixDescriptor right;
  Major major;
  int blocks;
  std::vector<Sixteen> seen;   // the two rows of the thread in A, then two of B for each block
  std::array<Word, 4> words;   // of `held`
};
struct Group {
  std::vector<Asked> asked;
  std::vector<float (*)[4]> sums;
};
struct Products {
  std::uint64_t block = 0;
  bool begun = false;
  std::vector<Group> groups{{}};
  /// The later values of accumulators that may not be read yet.
  std::map<float (*)[4], std::vector<float>> made;
};

Products& own_products() {
  static std::array<Products, 1024> all;
  Products& own = all[static_cast<std::size_t>(thread_number())];
  if (own.block != emulation::blocks_begun) own = {emulation::blocks_begun, false, {{}}, {}};
  return own;
}

/// The barrier count at which a thread last wrote without a fence.
struct Unshown {
  std::uint64_t block = 0;
  bool any = false;
  std::uint64_t since = 0;
};
std::array<Unshown, 1024> unshown;
/// The number of threads of the running block in that state.
std::map<std::uint64_t, int> unshown_threads;
std::uint64_t unshown_block = 0;

Unshown& own_unshown() {
  if (unshown_block != emulation::blocks_begun) unshown_threads.clear();
  unshown_block = emulation::blocks_begun;
  Unshown& own = unshown[static_cast<std::size_t>(thread_number())];
  if (own.block != emulation::blocks_begun) own = {emulation::blocks_begun, false, 0};
  return own;
}

/// The operands of a thread's accumulators, from shared memory.
std::vector<Sixteen> read_all(const Asked& asked) {
  const int lane = thread_number() % 32;
  const int row = thread_number() % warpgroup_threads / 32 * 16 + lane / 4;
  std::vector<Sixteen> all;
  if (asked.held == nullptr) all = {read(asked.left, Major::k, row), read(asked.left, Major::k, row + 8)};
  for (int o = 0; o < asked.blocks; ++o) {
    for (int i = 0; i < 2; ++i) all.push_back(read(asked.right, asked.major, 8 * o + 2 * (lane % 4) + i));
  }
  return all;
}

/// The two rows of the thread in the fragments of its warp.
std::array<Sixteen, 2> held_rows(const Word* held) {
  const void* const* lanes = emulation::show(held);
  const int first = thread_number() % 32 / 4 * 4;
  std::array<Sixteen, 2> rows;
  for (int row = 0; row < 2; ++row) {
    for (int k = 0; k < 16; ++k) {
      const Word word = static_cast<const Word*>(lanes[first + k % 8 / 2])[row + 2 * (k / 8)];
      rows[static_cast<std::size_t>(row)].bits[static_cast<std::size_t>(k)] = static_cast<std::uint16_t>(word >> (16 * (k % 2)));
    }
  }
  emulation::warp_barrier();
  return rows;
}

std::array<float, 16> floats(const Sixteen& row, bool halves) {
  static const std::vector<float> of_half = [] {
    std::vector<float> all;
    for (unsigned half = 0; half < 65536; ++half) all.push_back(float_from_f16(static_cast<std::uint16_t>(half)));
    return all;
  }();
  std::array<float, 16> values;
  for (std::size_t k = 0; k < 16; ++k) values[k] = halves ? of_half[row.bits[k]] : float_of_bits(static_cast<Word>(row.bits[k]) << 16);
  return values;
}

}  // namespace

Word shared_address(const void* at) { return static_cast<Word>(static_cast<const unsigned char*>(at) - emulation::shared_memory()) + shared_begin; }

void wrote_to_shared() {
  Unshown& own = own_unshown();
  if (own.any) return;
  own.any = true;
  own.since = emulation::barriers_passed;
  ++unshown_threads[own.since];
}

void fence_proxy_async_shared() {
  Unshown& own = own_unshown();
  if (!own.any) return;
  own.any = false;
  const auto threads = unshown_threads.find(own.since);
  if (--threads->second == 0) unshown_threads.erase(threads);
}

void wgmma_fence() { own_products().begun = true; }

namespace {

/// sums (+)= A times B of `asked`.
void ask(Asked asked, const std::array<Sixteen, 2>& left, bool halves, bool adds, float (*sums)[4]) {
  Products& own = own_products();
  ++emulation::wgmma_count;
  if (!own.begun) fault("products that were not begun");
  static_cast<void>(own_unshown());
  if (!unshown_threads.empty() && unshown_threads.begin()->first < emulation::barriers_passed) fault("products after a barrier before which a thread has not shown what it wrote");
  std::vector<float>& made = own.made[sums];
  if (made.empty()) made.assign(sums[0], sums[0] + 4 * asked.blocks);
  const std::array<float, 16> rows[2] = {floats(left[0], halves), floats(left[1], halves)};
  const std::size_t outputs = asked.seen.size() - static_cast<std::size_t>(2 * asked.blocks);
  for (int o = 0; o < asked.blocks; ++o) {
    for (int i = 0; i < 4; ++i) {
      const std::array<float, 16> output = floats(asked.seen[outputs + static_cast<std::size_t>(2 * o + i % 2)], halves);
      float& sum = made[static_cast<std::size_t>(4 * o + i)];
      if (!adds) sum = 0.0F;
      for (std::size_t k = 0; k < 16; ++k) sum += rows[i / 2][k] * output[k];
      if (emulation::wgmma_is_wrong && o == 0 && i == 0) sum += 1.0F;
      sums[o][i] = std::numeric_limits<float>::quiet_NaN();
    }
  }
  Group& group = own.groups.back();
  group.asked.push_back(std::move(asked));
  group.sums.push_back(sums);
}

}  // namespace

void wgmma(bool halves, float (*sums)[4], int blocks, MatrixDescriptor left, MatrixDescriptor right) {
  Asked asked{left, nullptr, right, Major::k, blocks, {}, {}};
  asked.seen = read_all(asked);
  const std::array<Sixteen, 2> rows{asked.seen[0], asked.seen[1]};
  ask(std::move(asked), rows, halves, true, sums);
}

void wgmma_register_a(bool adds, Major major, float (*sums)[4], int blocks, const Word (&left)[4], MatrixDescriptor right) {
  Asked asked{0, left, right, major, blocks, {}, {left[0], left[1], left[2], left[3]}};
  asked.seen = read_all(asked);
  ask(std::move(asked), held_rows(left), true, adds, sums);
}

void wgmma_commit() { own_products().groups.emplace_back(); }

void wgmma_wait(int later) {
  Products& own = own_products();
  // The last group is open: its products are not committed yet.
  while (own.groups.size() > static_cast<std::size_t>(later) + 1) {
    for (const Asked& asked : own.groups.front().asked) {
      const std::vector<Sixteen> now = read_all(asked);
      if (std::memcmp(now.data(), asked.seen.data(), now.size() * sizeof(Sixteen)) != 0) fault("a matrix changed before its product was waited for");
      if (asked.held != nullptr && std::memcmp(asked.held, asked.words.data(), sizeof asked.words) != 0) fault("what a thread holds of a matrix changed before its product was waited for");
    }
    own.groups.erase(own.groups.begin());
  }
  for (auto made = own.made.begin(); made != own.made.end();) {
    const bool pending = std::any_of(own.groups.begin(), own.groups.end(), [&](const Group& group) { return std::find(group.sums.begin(), group.sums.end(), made->first) != group.sums.end(); });
    if (pending) {
      ++made;
      continue;
    }
    std::memcpy(made->first, made->second.data(), made->second.size() * sizeof(float));
    made = own.made.erase(made);
    // What a thread writes from now on needs a new fence.
    own.begun = false;
  }
}

}  // namespace lectern::cuda_emulated
