// The sizes of what DeviceOps allocates, and its products as functions of the weight type.
#pragma once

#include <algorithm>

#include "backend/ops.h"
#include "cuda/kernels/layout/quantise.cuh"
#include "cuda/ops/launchers.h"
#include "cuda/ops/prefill_attention.cuh"
#include "cuda/ops/repacked_weights.cuh"
#include "cuda/runtime/runtime.h"
#include "cuda/runtime/staged_copy.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

struct RunPlainGemm {
  Stream stream;
  const PlainGemmParams& product;
  template <DType type>
  void run() const {
    launch_plain_gemm<type>(stream, product);
  }
};

struct RunLookUp {
  Stream stream;
  const Matrix& table;
  int rows;
  const int* numbers;
  const float* extra;
  bool adds;
  float* x;
  template <DType type>
  void run() const {
    launch_look_up<type>(stream, table, rows, numbers, extra, adds, x);
  }
};

/// The sizes of the scratch arrays, in elements.
struct Sizes {
  explicit Sizes(const OpsShape& shape)
      : op_rows(static_cast<std::size_t>(std::max(shape.part_rows, shape.logit_rows))),
        expert_rows(shape.experts > 0 ? static_cast<std::size_t>(shape.part_rows) * static_cast<std::size_t>(shape.experts_used) : 0),
        // Other rows are packed (prefill_ops.cuh) or read as they are (decode_ops.cuh).
        in_rows(shape.experts > 0 ? std::max(op_rows, expert_rows) : static_cast<std::size_t>(shape.logit_rows)),
        inputs(in_rows * static_cast<std::size_t>(shape.columns)),
        blocks(in_rows * static_cast<std::size_t>(shape.columns / 32 + 1)),
        expert_outputs(expert_rows * static_cast<std::size_t>(shape.outputs)),
        outputs(std::max(op_rows, expert_rows) * static_cast<std::size_t>(shape.outputs)),
        kv(op_rows * static_cast<std::size_t>(shape.kv.heads) * static_cast<std::size_t>(shape.kv.head_size)),
        angles(static_cast<std::size_t>(shape.rows) * static_cast<std::size_t>(shape.rotated / 2)),
        second_angles(shape.local_layers ? angles : 0),
        scores(static_cast<std::size_t>(shape.experts) * static_cast<std::size_t>(shape.part_rows)),
        staging(std::max(upload_bytes(), static_cast<std::size_t>(shape.columns) * sizeof(float))) {}

  std::size_t bytes(const OpsShape& shape) const {
    const std::size_t numbers = 2 * static_cast<std::size_t>(shape.logit_rows) + expert_rows;
    return sizeof(float) * (inputs + expert_outputs + outputs + 2 * kv + 2 * angles + 2 * second_angles + scores + expert_rows) + sizeof(QuantisedBlock) * blocks + sizeof(int) * numbers + staged_bytes(shape) + UploadRing::bytes(staging) + 18 * 256;
  }

  /// Of a pass: six numbers for each row, the RoPE frequencies, the tiles of its prefill rows; eight numbers and two rotations with local layers.
  static std::size_t staged_bytes(const OpsShape& shape) {
    const std::size_t more = shape.local_layers ? 1 : 0;
    return (6 + 2 * more) * StagedCopy::filled(static_cast<std::size_t>(shape.rows) * sizeof(int)) + (1 + more) * StagedCopy::filled(static_cast<std::size_t>(shape.rotated / 2) * sizeof(double)) +
           PrefillAttention::staged_bytes(shape);
  }

  std::size_t op_rows, expert_rows, in_rows, inputs, blocks, expert_outputs, outputs, kv, angles, second_angles, scores;
  std::size_t staging;  // bytes of a file that are repacked at a time; at least a row
};

inline bool device_supports(Op op, DType dtype) {
  return op != Op::attention || dtype == DType::f16 || dtype == DType::f32 || dtype == DType::q8_0;
}

inline std::size_t cache_bytes(const KvShape& shape) {
  const auto elements = std::size_t{2} * static_cast<std::size_t>(shape.layers) * static_cast<std::size_t>(shape.slots) * static_cast<std::size_t>(shape.positions) *
                        static_cast<std::size_t>(shape.heads) * static_cast<std::size_t>(shape.head_size);
  if (shape.dtype == DType::q8_0) return elements + elements / 32 * 2;
  return elements * (shape.dtype == DType::f32 ? 4 : 2);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
