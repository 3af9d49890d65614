// native_test: every test of the native half, without Node.
#include <cstdio>
#include <string>
#include <vector>

#include "harness.h"
#include "kernel_switches.h"
#include "options.h"

namespace {

using lectern::DeviceKind;
using lectern::test::options;
using lectern::test::Share;

constexpr const char* usage =
    "usage: native_test [--filter TEXT]... [--share K/N] [--llm-pack DIR]... [--device cpu|cuda|emulated] [--precision f16x3|f16|f32] [--plain] [--require-cuda] [--tokenizer-pack DIR] [--onnx-pack DIR]...\n"
    "                   [--decode registers|rings|tiles] [--early-launches on|off] [--warpgroups auto|off]\n"
    "  --filter          runs the tests whose title contains TEXT; may be given several times\n"
    "  --share           runs the K-th of N shares of the tests: N processes run them all\n"
    "  --llm-pack        checks language models against DIR/models and DIR/expected; may be given several times\n"
    "  --device          where they run: cpu (the usual), cuda, or the kernels of cuda emulated on the host\n"
    "  --precision       of networks there; f16x3 (the usual) is held to 1e-3 of the processor's, f16 to 2e-2, f32 to the processor's own tolerance\n"
    "  --plain           runs them through the plain twin of the CPU's operations instead\n"
    "  --require-cuda    a test that finds no CUDA fails instead of being skipped\n"
    "  --tokenizer-pack  checks tokenizers against DIR/*.json and the vocabularies they name\n"
    "  --onnx-pack       checks networks against DIR/index.json, DIR/ops and DIR/nets; may be given several times\n"
    "debug switches of the CUDA kernels:\n";

/// Options without a value; false for another.
bool take_switch(const std::string& name) {
  if (name == "--plain") return options().plain = true;
  if (name == "--require-cuda") return options().require_cuda = true;
  return false;
}

/// Options with a value; false for another, or for a value that is none of its own.
bool take_value(const std::string& name, const std::string& value, std::vector<std::string>& filters, Share& share) {
  if (name == "--filter") {
    filters.push_back(value);
  } else if (name == "--share") {
    char end = 0;
    if (std::sscanf(value.c_str(), "%d/%d%c", &share.index, &share.count, &end) != 2 || share.index < 1 || share.index > share.count) return false;
    --share.index;
  } else if (name == "--llm-pack") {
    options().llm_packs.push_back(value);
  } else if (name == "--tokenizer-pack") {
    options().tokenizer_pack = value;
  } else if (name == "--onnx-pack") {
    options().onnx_packs.push_back(value);
  } else if (name == "--device" && (value == "cpu" || value == "cuda" || value == "emulated")) {
    options().device = value == "cpu" ? DeviceKind::cpu : DeviceKind::cuda;
    options().emulated = value == "emulated";
  } else if (name == "--precision" && (value == "f16x3" || value == "f16" || value == "f32")) {
    options().precision = value == "f16x3" ? lectern::Precision::f16x3 : value == "f16" ? lectern::Precision::f16 : lectern::Precision::f32;
  } else {
    return lectern::test::take_kernel_switch(name, value);
  }
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> filters;
  Share share;
  for (int i = 1; i < count; ++i) {
    if (take_switch(arguments[i])) continue;
    if (i + 1 < count && take_value(arguments[i], arguments[i + 1], filters, share)) {
      ++i;
      continue;
    }
    std::fprintf(stderr, "%s%s", usage, lectern::test::kernel_switches_usage);
    return 2;
  }
  return lectern::test::run(filters, share);
}
