// The published shapes through all code that launches kernels, on an emulation that checks grids and runs none: launches that a device would refuse
// show here, for models that no host can hold.
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench_shape.h"
#include "cuda/emulation/backend.h"
#include "cuda/emulation/faults.h"
#include "cuda/emulation/fibers.h"
#include "cuda/ops/launchers.h"
#include "cuda_places.h"
#include "harness.h"
#include "layered_model.h"

namespace lectern {
namespace {

using test::BenchShape;
using test::check;
using test::LayeredModel;
namespace emulation = cuda::emulation;

struct ChecksOnly {
  ChecksOnly() { emulation::checks_only = true; }
  ~ChecksOnly() { emulation::checks_only = false; }
};

/// The kind of layer that has more bits, and the tables.
void walk(const BenchShape& shape, int device) {
  const std::unique_ptr<Backend> backend = cuda_emulated::make_backend(device);
  const int pass = shape.encoder ? backend->text_rows() : backend->pass_rows();
  const test::LayeredOptions options{pass, 8193, shape.encoder ? 1 : 4, 1};
  const std::size_t told = LayeredModel::bytes(*backend, shape, options);
  const std::size_t before = emulation::living_device_bytes();
  LayeredModel model(*backend, shape, options);
  const std::size_t taken = emulation::living_device_bytes() - before;
  check(taken <= told + (std::size_t{16} << 10), shape.name + ": " + std::to_string(taken) + " bytes are taken, " + std::to_string(told) + " were told");
  if (shape.encoder) {
    for (const int length : {1, 16, 512, pass}) model.embed(pass / length > 256 ? 256 : pass / length, length);
    return;
  }
  for (int slots = 1; slots <= 4; slots++) {
    for (const int position : {0, 8192}) model.decode(slots, position);
  }
  for (const int rows : {1, 33, 65, 128, 512, pass}) model.prompt(rows, rows == pass ? 8192 - pass : 0, true);
}

LECTERN_TEST("real shapes: every kernel launch of the published models is valid on a device, and their memory is as predicted") {
  if (!test::tests_emulation()) return;
  const ChecksOnly now;
  for (const BenchShape& shape : test::bench_shapes(false)) {
    walk(shape, 0);
    // Weights of decode through ring buffers. Trials need numbers, and there are none: prefill runs without wgmma.
    walk(shape, 1);
  }
  emulation::remarks.clear();
}

LECTERN_TEST("real shapes: a matrix may have more outputs than the y axis of a grid, and more columns than a block unpacks") {
  if (!test::tests_emulation()) return;
  const ChecksOnly now;
  bool taken = true;
  try {
    cuda_emulated::launch_unpack_rows<DType::q8_0>({}, nullptr, 0, 131072, 16384, nullptr);
  } catch (const std::logic_error&) {
    taken = false;
  }
  check(taken, "a device takes the grid");
}

LECTERN_TEST("real shapes: the emulation refuses what a device refuses") {
  if (!test::tests_emulation()) return;
  const auto refused = [](emulation::Index grid, int threads, std::size_t shared) {
    try {
      emulation::run_grid(grid, threads, [] {}, shared);
    } catch (const std::logic_error&) {
      return true;
    }
    return false;
  };
  check(!refused({70000, 1, 1}, 32, 0) && !refused({1, 65535, 1}, 32, 227U << 10), "what it takes");
  check(refused({1, 65536, 1}, 32, 0) && refused({1, 1, 65536}, 32, 0), "too many blocks along an axis");
  check(refused({0, 1, 1}, 32, 0) && refused({1, 0, 1}, 32, 0), "no blocks");
  check(refused({1, 1, 1}, 1025, 0) && refused({1, 1, 1}, 0, 0), "too many threads, or none");
  check(refused({1, 1, 1}, 32, (227U << 10) + 1), "too much shared memory");
}

}  // namespace
}  // namespace lectern
