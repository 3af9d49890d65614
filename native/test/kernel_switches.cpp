#include "kernel_switches.h"

#include "cuda/emulation/faults.h"

namespace lectern::test {

bool take_kernel_switch(const std::string& name, const std::string& value) {
  cuda::KernelOptions options = cuda::kernel_options();
  if (name == "--decode") {
    options.decode = cuda::gemv_kernel_named(value);
    if (!options.decode.has_value()) return false;
  } else if (name == "--early-launches" && (value == "on" || value == "off")) {
    options.early_launches = value == "on";
  } else if (name == "--warpgroups" && (value == "auto" || value == "off")) {
    options.warpgroups = value == "auto";
  } else {
    return false;
  }
  cuda::set_kernel_options(options);
  return true;
}

GemvKernelScope::GemvKernelScope(const std::string& kernel) : before_(cuda::kernel_options()) {
  cuda::KernelOptions options = before_;
  options.decode = cuda::gemv_kernel_named(kernel);
  cuda::emulation::tries_gemv_kernels = kernel == "trial";
  cuda::set_kernel_options(options);
}

GemvKernelScope::~GemvKernelScope() {
  cuda::emulation::tries_gemv_kernels = false;
  cuda::set_kernel_options(before_);
}

}  // namespace lectern::test
