// The twins of cuda/simt/async_copies.h. Bytes appear when somebody waits for them, and until then what lies there is no number.
#include "cuda/simt/async_copies.h"

#include <map>
#include <vector>

#include "cuda/emulation/faults.h"
#include "cuda/simt/warpgroups.h"

namespace lectern::cuda::emulation {

std::uint64_t own_copies = 0;
bool copies_come_wrongly = false;

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
  long long expected = 0;  // bytes that were said and not asked for
  std::uint64_t phase = 0;
  std::vector<Copy> coming;
};

/// Of the block that runs, by where they lie.
std::map<const CopyBarrier*, Barrier>& barriers() {
  static std::map<const CopyBarrier*, Barrier> all;
  static std::uint64_t block = 0;
  if (block != emulation::blocks_begun) all.clear();
  block = emulation::blocks_begun;
  return all;
}

Barrier& barrier_at(const CopyBarrier* at) {
  const auto found = barriers().find(at);
  if (found == barriers().end()) fault("a barrier of copies that was not made");
  return found->second;
}

/// The copies are there once the phase is over, and not before.
void end_phase(Barrier& barrier) {
  if (barrier.missing > 0 || barrier.expected != 0) return;
  for (const Copy& copy : barrier.coming) {
    if (copy.from == nullptr) std::memset(copy.to, 0, copy.bytes);
    else std::memcpy(copy.to, copy.from, copy.bytes);
    if (emulation::copies_come_wrongly) copy.to[0] ^= 1U;
  }
  barrier.coming.clear();
  barrier.missing = barrier.arrivals;
  ++barrier.phase;
}

void come(CopyBarrier* at, std::size_t bytes, const std::vector<Copy>& copies) {
  Barrier& barrier = barrier_at(at);
  ++emulation::own_copies;
  for (const Copy& copy : copies) {
    std::memset(copy.to, 0xFF, copy.bytes);
    barrier.coming.push_back(copy);
  }
  barrier.expected -= static_cast<long long>(bytes);
  end_phase(barrier);
}

void come_to(CopyBarrier* at, int bytes) {
  Barrier& barrier = barrier_at(at);
  if (--barrier.missing < 0) fault("more arrivals at a barrier of copies than it waits for");
  barrier.expected += bytes;
  end_phase(barrier);
}

}  // namespace

void init_barrier(CopyBarrier* barrier, int arrivals) {
  check_alignment(barrier, sizeof *barrier);
  Barrier made;
  made.arrivals = made.missing = arrivals;
  barriers()[barrier] = made;
}

void show_barriers() {}
void arrive_expecting(CopyBarrier* barrier, int bytes) { come_to(barrier, bytes); }
void arrive(CopyBarrier* barrier) { come_to(barrier, 0); }

void wait_for(const CopyBarrier* barrier, int phase) {
  const Barrier& waited = barrier_at(barrier);
  const std::uint64_t parity = static_cast<std::uint64_t>(phase) & 1;
  const std::function<bool()> over = [&waited, parity] { return (waited.phase & 1) != parity; };
  if (!over()) emulation::wait_until(over);
}

void copy_bytes(void* shared, const void* global, int bytes, CopyBarrier* barrier) {
  if (bytes <= 0 || bytes % 16 != 0) fault("a copy of bytes that are no sixteens");
  check_alignment(shared, 16);
  check_alignment(global, 16);
  const auto count = static_cast<std::size_t>(bytes);
  come(barrier, count, {{static_cast<std::uint8_t*>(shared), static_cast<const std::uint8_t*>(global), count}});
}

void copy_box(void* shared, const TileMap& map, int column, int row, CopyBarrier* barrier) {
  // Which chunks change places is a matter of the address on a device.
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

TileMap make_tile_map(const void* data, std::size_t row_bytes, int columns, int rows, int box_rows) {
  check_alignment(data, 16);
  if (row_bytes % 16 != 0 || box_rows > 256) fault("a map of tiles that the driver refuses");
  return {static_cast<const std::uint8_t*>(data), row_bytes, columns, rows, box_rows};
}

LineMap make_line_map(const void* data, std::size_t row_bytes, int rows, int bytes, int lines, int box_lines) {
  check_alignment(data, 16);
  if (row_bytes % 16 != 0 || (bytes != 16 && bytes != 32 && bytes != 64 && bytes != line_bytes) || box_lines < 1 || box_lines > 256) fault("a map of lines that the driver refuses");
  return {static_cast<const std::uint8_t*>(data), row_bytes, rows, bytes, lines, box_lines};
}

void copy_lines(void* shared, const LineMap& map, int line, int row, CopyBarrier* barrier) {
  const bool whole = map.bytes == line_bytes;
  if (shared_address(shared) % (whole ? matrix_alignment : line_bytes) != 0) fault("lines of a map to where no eight rows begin");
  auto* to = static_cast<std::uint8_t*>(shared);
  std::vector<Copy> copies;
  for (int l = line; l < line + map.box_lines; ++l) {
    for (int r = 0; r < lines_rows; ++r) {
      for (int chunk = 0; chunk < map.bytes / 16; ++chunk) {
        const bool there = l < map.lines && row + r < map.rows;
        const std::size_t from = static_cast<std::size_t>(row + r) * map.row_bytes + static_cast<std::size_t>(map.bytes * l + 16 * chunk);
        copies.push_back({to + 16 * (whole ? chunk ^ r : chunk), there ? map.data + from : nullptr, 16});
      }
      to += map.bytes;
    }
  }
  come(barrier, static_cast<std::size_t>(map.box_lines * lines_rows * map.bytes), copies);
}

void show_to_copies() {}

}  // namespace lectern::cuda_emulated
