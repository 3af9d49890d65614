// Emulates cuda/simt/async_copies.h. Copied bytes appear when a thread waits for them; until then the destination holds NaNs.
#include "cuda/simt/async_copies.h"

#include <map>
#include <vector>

#include "cuda/emulation/faults.h"
#include "cuda/simt/warpgroups.h"

namespace lectern::cuda::emulation {

std::uint64_t bulk_copy_count = 0;
bool bulk_copies_are_wrong = false;

}  // namespace lectern::cuda::emulation

namespace lectern::cuda_emulated {
namespace {

namespace emulation = cuda::emulation;
using emulation::fault;

struct Copy {
  std::uint8_t* to;
  const std::uint8_t* from;  // null: zeros
  std::size_t bytes;
};

struct Barrier {
  int arrivals = 0;
  int missing = 0;         // of this phase
  long long expected = 0;  // bytes that were announced and not copied yet
  std::uint64_t phase = 0;
  std::vector<Copy> coming;
};

/// Of the running block, by address.
std::map<const Mbarrier*, Barrier>& barriers() {
  static std::map<const Mbarrier*, Barrier> all;
  static std::uint64_t block = 0;
  if (block != emulation::blocks_begun) all.clear();
  block = emulation::blocks_begun;
  return all;
}

Barrier& barrier_at(const Mbarrier* at) {
  const auto found = barriers().find(at);
  if (found == barriers().end()) fault("a barrier of copies that was not made");
  return found->second;
}

/// The data of the copies appear when the phase completes, and not before.
void end_phase(Barrier& barrier) {
  if (barrier.missing > 0 || barrier.expected != 0) return;
  for (const Copy& copy : barrier.coming) {
    if (copy.from == nullptr) std::memset(copy.to, 0, copy.bytes);
    else std::memcpy(copy.to, copy.from, copy.bytes);
    if (emulation::bulk_copies_are_wrong) copy.to[0] ^= 1U;
  }
  barrier.coming.clear();
  barrier.missing = barrier.arrivals;
  ++barrier.phase;
}

void come(Mbarrier* at, std::size_t bytes, const std::vector<Copy>& copies) {
  Barrier& barrier = barrier_at(at);
  ++emulation::bulk_copy_count;
  for (const Copy& copy : copies) {
    std::memset(copy.to, 0xFF, copy.bytes);
    barrier.coming.push_back(copy);
  }
  barrier.expected -= static_cast<long long>(bytes);
  end_phase(barrier);
}

void come_to(Mbarrier* at, int bytes) {
  Barrier& barrier = barrier_at(at);
  if (--barrier.missing < 0) fault("more arrivals at a barrier of copies than it waits for");
  barrier.expected += bytes;
  end_phase(barrier);
}

}  // namespace

void mbarrier_init(Mbarrier* barrier, int arrivals) {
  check_alignment(barrier, sizeof *barrier);
  Barrier made;
  made.arrivals = made.missing = arrivals;
  barriers()[barrier] = made;
}

void fence_mbarrier_init() {}
void mbarrier_arrive_expect(Mbarrier* barrier, int bytes) { come_to(barrier, bytes); }
void mbarrier_arrive(Mbarrier* barrier) { come_to(barrier, 0); }

void mbarrier_wait(const Mbarrier* barrier, int phase) {
  const Barrier& waited = barrier_at(barrier);
  const std::uint64_t parity = static_cast<std::uint64_t>(phase) & 1;
  const std::function<bool()> over = [&waited, parity] { return (waited.phase & 1) != parity; };
  if (!over()) emulation::wait_until(over);
}

void bulk_copy(void* shared, const void* global, int bytes, Mbarrier* barrier) {
  if (bytes <= 0 || bytes % 16 != 0) fault("a copy of bytes that are no sixteens");
  check_alignment(shared, 16);
  check_alignment(global, 16);
  const auto count = static_cast<std::size_t>(bytes);
  come(barrier, count, {{static_cast<std::uint8_t*>(shared), static_cast<const std::uint8_t*>(global), count}});
}

void bulk_copy_2d(void* shared, const TensorMap2d& map, int column, int row, Mbarrier* barrier) {
  // On a device the address determines the swizzle.
  if (shared_address(shared) % matrix_alignment != 0) fault("a box of a map to where no eight rows begin");
  auto* const to = static_cast<std::uint8_t*>(shared);
  std::vector<Copy> copies;
  for (int r = 0; r < map.box_rows; ++r) {
    for (int chunk = 0; chunk < 8; ++chunk) {
      const int from_row = row + r;
      const int from = column + 8 * chunk;
      std::uint8_t* const place = to + 128 * r + ((chunk ^ (r & 7)) << 4);
      const int there = from_row < map.rows ? map.columns - from : 0;
      const std::size_t bytes = there >= 8 ? 16 : there > 0 ? 2 * static_cast<std::size_t>(there) : 0;
      if (bytes > 0) copies.push_back({place, map.data + static_cast<std::size_t>(from_row) * map.row_bytes + 2 * static_cast<std::size_t>(from), bytes});
      if (bytes < 16) copies.push_back({place + bytes, nullptr, 16 - bytes});
    }
  }
  come(barrier, static_cast<std::size_t>(map.box_rows) * 128, copies);
}

TensorMap2d make_tensor_map_2d(const void* data, std::size_t row_bytes, int columns, int rows, int box_rows) {
  check_alignment(data, 16);
  if (row_bytes % 16 != 0 || box_rows > 256) fault("a map of tiles that the driver refuses");
  return {static_cast<const std::uint8_t*>(data), row_bytes, columns, rows, box_rows};
}

TensorMap3d make_tensor_map_3d(const void* data, std::size_t row_bytes, int rows, int bytes, int lines, int box_lines) {
  check_alignment(data, 16);
  if (row_bytes % 16 != 0 || (bytes != 16 && bytes != 32 && bytes != 64 && bytes != line_bytes) || box_lines < 1 || box_lines > 256) fault("a map of lines that the driver refuses");
  return {static_cast<const std::uint8_t*>(data), row_bytes, rows, bytes, lines, box_lines};
}

void bulk_copy_3d(void* shared, const TensorMap3d& map, int line, int row, Mbarrier* barrier) {
  const bool whole = map.bytes == line_bytes;
  if (shared_address(shared) % (whole ? matrix_alignment : line_bytes) != 0) fault("lines of a map to where no eight rows begin");
  auto* to = static_cast<std::uint8_t*>(shared);
  std::vector<Copy> copies;
  for (int l = line; l < line + map.box_lines; ++l) {
    for (int r = 0; r < map_box_rows; ++r) {
      for (int chunk = 0; chunk < map.bytes / 16; ++chunk) {
        const bool there = l < map.lines && row + r < map.rows;
        const std::size_t from = static_cast<std::size_t>(row + r) * map.row_bytes + static_cast<std::size_t>(map.bytes * l + 16 * chunk);
        copies.push_back({to + 16 * (whole ? chunk ^ r : chunk), there ? map.data + from : nullptr, 16});
      }
      to += map.bytes;
    }
  }
  come(barrier, static_cast<std::size_t>(map.box_lines * map_box_rows * map.bytes), copies);
}

void fence_proxy_async_global() {}

}  // namespace lectern::cuda_emulated
