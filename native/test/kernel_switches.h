// The debug switches of the CUDA kernels, as command-line flags of native_test and native_bench and for the time of a scope.
#pragma once

#include <string>

#include "cuda/runtime/kernel_options.h"

namespace lectern::test {

constexpr const char* kernel_switches_usage =
    "  --decode          the GEMV kernel of decode rows: registers, rings or tiles; without it a trial on the device chooses\n"
    "  --early-launches  on or off: whether kernels are launched before those in front of them have ended\n"
    "  --warpgroups      auto or off: whether wgmma kernels are tried\n";

/// Takes a flag with its value and sets it for the process; false for another flag, or a value that it does not have.
bool take_kernel_switch(const std::string& name, const std::string& value);

/// Names the GEMV kernel of operations that are made while it lives: "registers", "rings" or "tiles", or "trial" for the one that a trial finds.
class GemvKernelScope {
 public:
  explicit GemvKernelScope(const std::string& kernel);
  ~GemvKernelScope();
  GemvKernelScope(const GemvKernelScope&) = delete;
  GemvKernelScope& operator=(const GemvKernelScope&) = delete;

 private:
  cuda::KernelOptions before_;
};

}  // namespace lectern::test
