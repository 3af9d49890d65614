// A conformance pack of networks as tests read it: op cases and whole networks with the outputs that another runtime gave.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "json.h"
#include "onnx/array.h"
#include "onnx/network.h"

namespace lectern::test {

/// The packs there are; a check fails where one is named on the command line and is not there.
std::vector<std::filesystem::path> found_onnx_packs();

/// What a relative tolerance is relative to.
enum class Scale {
  number,  // each number of an output
  size,    // the number or the root of the mean square of all, whichever is more
};

struct Tolerance {
  double relative, absolute;
  Scale scale = Scale::number;
};

struct PackCase {
  std::vector<std::pair<std::string, onnx::Array>> inputs;
  std::vector<onnx::Array> outputs;
  std::vector<Tolerance> tolerances;  // as outputs
};

/// entry: of the index's `cases`.
PackCase read_op_case(const std::filesystem::path& pack, const Json& entry);
/// entry: of a network's `cases`.
PackCase read_net_case(const std::filesystem::path& folder, const Json& entry);
/// Sorted.
std::vector<std::filesystem::path> net_folders(const std::filesystem::path& pack);

/// Throws what the network throws.
std::vector<onnx::Output> outputs_of(onnx::Network& network, const PackCase& data);
/// Empty where all outputs are right, else what is not. Throws what the network throws.
std::string run_case(onnx::Network& network, const PackCase& data);

}  // namespace lectern::test
