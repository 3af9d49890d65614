// What the command line of native_test asks for beside the choice of tests.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "backend/precision.h"

namespace lectern::test {

struct Options {
  /// Folders with models/*.gguf and expected/*.json; empty: the one beside the checkout, if it is there.
  std::vector<std::string> llm_packs;
  /// A folder with *.json and the vocabularies that they name; empty: the one beside the checkout, if it is there.
  std::string tokenizer_pack;
  /// Folders with index.json, ops and nets; empty: the one beside the checkout, if it is there.
  std::vector<std::string> onnx_packs;
  /// The packs' models run on this.
  DeviceKind device = DeviceKind::cpu;
  /// The CUDA kernels run on the host's emulation instead of a device.
  bool emulated = false;
  /// A test that wants CUDA and has none fails instead of saying that it was skipped.
  bool require_cuda = false;
  /// Of networks on a device.
  Precision precision = Precision::f16x3;
  /// The packs' models run through the plain twin of the operations, all of them.
  bool plain = false;
};

inline Options& options() {
  static Options chosen;
  return chosen;
}

/// The packs that the command line names, or `../shared/conformance/llm` seen from the root of the checkout.
inline std::vector<std::filesystem::path> llm_packs() {
  const std::vector<std::string>& named = options().llm_packs;
  if (!named.empty()) return {named.begin(), named.end()};
  return {std::filesystem::path(LECTERN_SOURCE_DIRECTORY) / "../shared/conformance/llm"};
}

/// The same for networks: `../shared/conformance/onnx`.
inline std::vector<std::filesystem::path> onnx_packs() {
  const std::vector<std::string>& named = options().onnx_packs;
  if (!named.empty()) return {named.begin(), named.end()};
  return {std::filesystem::path(LECTERN_SOURCE_DIRECTORY) / "../shared/conformance/onnx"};
}

}  // namespace lectern::test
