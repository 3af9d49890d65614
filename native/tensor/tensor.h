// A view of a tensor's bytes: type, shape and address.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tensor/dtype.h"

namespace lectern {

/// dims[0] runs fastest: of a matrix it is the length of a row (input features), dims[1] the number of rows (outputs).
struct Tensor {
  std::string_view name;
  DType dtype;
  std::array<std::int64_t, 4> dims;  // 1 where the tensor has fewer
  int rank;                          // 1..4
  const std::byte* data;             // rows one after the other, of any alignment
  std::size_t bytes;

  std::int64_t elements() const { return dims[0] * dims[1] * dims[2] * dims[3]; }
  std::int64_t row_length() const { return dims[0]; }
  std::int64_t rows() const { return dims[1] * dims[2] * dims[3]; }
};

}  // namespace lectern
