// Copies of host memory by several threads.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "cuda/runtime/parallel_copy.h"
#include "harness.h"

namespace lectern {
namespace {

using test::check;

LECTERN_TEST("upload: several threads copy every byte and no other") {
  for (const int threads : {0, 1, 3}) {
    cuda::ParallelCopy copy(threads);
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{4096}, std::size_t{16385}, std::size_t{100000}}) {
      std::vector<unsigned char> from(bytes), to(bytes + 2, 0xA5), expected(bytes + 2, 0xA5);
      std::iota(from.begin(), from.end(), static_cast<unsigned char>(threads));
      std::copy(from.begin(), from.end(), expected.begin() + 1);
      copy.copy(to.data() + 1, from.data(), bytes);
      check(to == expected, std::to_string(bytes) + " bytes, " + std::to_string(threads) + " threads");
    }
  }
}

}  // namespace
}  // namespace lectern
