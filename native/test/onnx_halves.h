// What networks of less precision are held to, against the processor's floats.
#pragma once

#include <string>
#include <vector>

#include "onnx_pack.h"

namespace lectern::test {

/// What numbers of an op case may be off where tensors are halves: of each number, or of the root of the mean square of all, whichever is more. Nothing of the
/// others: they keep the case's own tolerance.
void widen(PackCase& data, Precision precision);

/// Why an op case says nothing about halves: its result changes by leaps, or its numbers do not fit them; null for all others.
const char* beyond_halves(const std::string& op_case);

/// What a network of the pack is held to, relative: the root of the sum of squared differences to that of the sum of squares, of each output as a whole.
struct Limit {
  double relative;
  const char* reason;  // null, or why it is more than the usual one of the precision
};
/// Of f16x3 and f16. The declared limit is 2e-2: f16x3 is held to a twentieth of it, f16 to more where random weights make too much of 11 bits.
Limit limit_of(Precision precision, const std::string& network);

/// The outputs of a pack's network, for a case, against those of floats: f32 at the case's own tolerance, the others as a whole. Rows that a network chose by their
/// scores (RT-DETR's queries, YOLO's boxes) are compared with the rows of the same query, place or box, wherever they stand: scores that are near become equal, and
/// change places or drop out. Empty where at least eight of ten rows are there and all outputs are within the limit, else what is not. Throws what the network throws.
std::string difference_of(onnx::Network& network, Precision precision, const std::string& name, const PackCase& data);

}  // namespace lectern::test
