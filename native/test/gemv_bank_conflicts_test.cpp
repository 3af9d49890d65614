// Bank conflicts of the loads of weights from shared memory: they cost time alone, so no other test shows them.
#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "cuda/kernels/gemv/weight_stages.cuh"
#include "cuda/kernels/gemv/mma_epilogue.cuh"
#include "harness.h"
#include "tensor/dtype.h"

namespace lectern {
namespace {

using test::check;
using namespace LECTERN_CUDA_SPACE;

constexpr int banks = 32;

/// The most words of one bank that lanes read at once, `bytes` each, counting as many lanes as form one transaction.
int most_words(const int (&at)[32], int bytes) {
  int most = 0;
  const int together = std::min(32, line_bytes / bytes);
  for (int first = 0; first < 32; first += together) {
    std::map<int, std::set<int>> words;
    for (int lane = first; lane < first + together; lane++) {
      for (int word = at[lane] / 4; word < (at[lane] + std::max(bytes, 4)) / 4; word++) words[word % banks].insert(word);
    }
    for (const auto& [bank, some] : words) most = std::max(most, static_cast<int>(some.size()));
  }
  return most;
}

struct EachPlane {
  template <DType type>
  void run() {
    constexpr PlaneShape shape = plane_shape_of<type>;
    constexpr StageLayout layout = stage_layout(shape);
    const int bytes[plane_count] = {shape.low, shape.second, shape.high, shape.scale, shape.head};
    int QuantBlockAddresses<int>::*const planes[plane_count] = {&QuantBlockAddresses<int>::low, &QuantBlockAddresses<int>::second, &QuantBlockAddresses<int>::high, &QuantBlockAddresses<int>::scale, &QuantBlockAddresses<int>::head};
    for (int plane = 0; plane < plane_count; plane++) {
      // Shorter lines, which only heads have, are contiguous.
      if (layout.planes[plane].line != line_bytes) continue;
      for (int first = 0; first < stage_quant_blocks; first += 4) {
        int at[32];
        for (int lane = 0; lane < 32; lane++) at[lane] = quant_block_offsets<type>(lane_row(lane), first + lane % 4).*planes[plane];
        check(most_words(at, bytes[plane]) == 1, std::string(info_of(type).name) + ": plane " + std::to_string(plane) + " from quant block " + std::to_string(first) + " on");
      }
    }
  }
};

LECTERN_TEST("cuda: decode rows: lanes that load weights together have no bank conflicts") {
  EachPlane each;
  for (const DTypeInfo& type : dtype_table) {
    if (type.block_elements > 1 && device_type(type.dtype) == type.dtype) dispatch_quantised(type.dtype, each);
  }
}

LECTERN_TEST("cuda: decode rows: the lanes of a warp have four quant blocks of each of eight rows") {
  std::set<int> rows;
  for (int lane = 0; lane < 32; lane++) {
    check(lane_row(lane) == lane_row(lane / 4 * 4), "lanes of one row are consecutive");
    rows.insert(lane_row(lane));
  }
  check(rows.size() == map_box_rows && *rows.begin() == 0 && *rows.rbegin() == map_box_rows - 1, "all eight");
}

}  // namespace
}  // namespace lectern
