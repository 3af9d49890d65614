#include "cuda/runtime/kernel_options.h"

#include <mutex>

namespace lectern::cuda {
namespace {

constexpr std::string_view gemv_kernel_names[] = {"registers", "rings", "tiles"};

struct CurrentOptions {
  std::mutex mutex;
  KernelOptions options;
};

CurrentOptions& current() {
  static CurrentOptions current;
  return current;
}

}  // namespace

std::optional<GemvKernel> gemv_kernel_named(std::string_view name) {
  for (const GemvKernel kernel : {GemvKernel::registers, GemvKernel::rings, GemvKernel::tiles}) {
    if (name == gemv_kernel_names[static_cast<int>(kernel)]) return kernel;
  }
  return std::nullopt;
}

void set_kernel_options(const KernelOptions& options) {
  const std::lock_guard<std::mutex> lock(current().mutex);
  current().options = options;
}

KernelOptions kernel_options() {
  const std::lock_guard<std::mutex> lock(current().mutex);
  return current().options;
}

std::string describe(const KernelOptions& options) {
  std::string words;
  const auto add = [&words](const std::string& word) { words += (words.empty() ? "" : ", ") + word; };
  if (options.decode.has_value()) add("decode " + std::string(gemv_kernel_names[static_cast<int>(*options.decode)]));
  if (!options.early_launches) add("early launches off");
  if (!options.warpgroups) add("warpgroups off");
  return words;
}

}  // namespace lectern::cuda
