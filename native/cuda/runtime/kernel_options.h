// Debug switches of the CUDA kernels, for measurements and for devices on which a kernel fails. They hold for the whole process. This header is C++17.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lectern::cuda {

/// How the products of decode rows (GEMV) read their weights: into registers, through a ring buffer in shared memory for each warp, or as tiles for the tensor
/// cores through one ring buffer for the whole thread block. The last two need compute capability 9.0.
enum class GemvKernel { registers, rings, tiles };

/// The kernel of this name ("registers", "rings" or "tiles"); none for other words.
std::optional<GemvKernel> gemv_kernel_named(std::string_view name);

struct KernelOptions {
  std::optional<GemvKernel> decode;  // none: a trial chooses
  bool early_launches = true;        // programmatic dependent launches, where the device has them
  bool warpgroups = true;            // wgmma kernels, where a trial finds them right
};

/// To be called, from any thread, before models are opened: the first kernel launch fixes for the process whether launches are early.
void set_kernel_options(const KernelOptions& options);
KernelOptions kernel_options();

/// The options as words, "decode tiles, early launches off"; empty for the defaults.
std::string describe(const KernelOptions& options);

}  // namespace lectern::cuda
