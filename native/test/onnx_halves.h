// What networks whose tensors are kept as halves are held to, against those of floats.
#pragma once

#include <string>
#include <vector>

#include "onnx_pack.h"

namespace lectern::test {

/// Of an op case: of each number, or of the root of the mean square of all, whichever is more. Of a network: of each output as a whole, the root of the sum of
/// squared differences to that of the sum of squares.
constexpr double halves_limit = 2e-2;

/// Why an op case says nothing about halves: its result changes by leaps, or its numbers do not fit them; null for all others.
const char* beyond_halves(const std::string& op_case);

/// What a network of the pack is held to where its random weights do not keep halves_limit, and why.
struct BeyondLimit {
  double limit;
  const char* reason;
};
/// Null for those that keep it.
const BeyondLimit* beyond_limit(const std::string& network);

/// The outputs of a pack's network, for a case, against those of floats, as a whole. Rows that a network chose by their scores (RT-DETR's queries, YOLO's boxes) are
/// compared with the rows of the same query, place or box, wherever they stand: scores that are near become equal, and change places or drop out. Empty where at
/// least eight of ten rows are there and all outputs are within `limit`, else what is not.
std::string difference_of_halves(const std::string& network, const std::vector<onnx::Output>& got, const PackCase& data, double limit);

}  // namespace lectern::test
