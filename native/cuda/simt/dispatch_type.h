// Dispatch from a weight type at run time to a template argument.
#pragma once

#include "cuda/simt/simt.h"
#include "tensor/dtype.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Calls `work.template run<type>()` for the type.
template <class Work>
void dispatch_type(DType type, Work&& work) {
  switch (type) {
    case DType::f32: return work.template run<DType::f32>();
    case DType::f16: return work.template run<DType::f16>();
    case DType::bf16: return work.template run<DType::bf16>();
    case DType::q4_0: return work.template run<DType::q4_0>();
    case DType::q4_1: return work.template run<DType::q4_1>();
    case DType::q5_0: return work.template run<DType::q5_0>();
    case DType::q5_1: return work.template run<DType::q5_1>();
    case DType::q8_0: return work.template run<DType::q8_0>();
    case DType::q2_k: return work.template run<DType::q2_k>();
    case DType::q3_k: return work.template run<DType::q3_k>();
    case DType::q4_k: return work.template run<DType::q4_k>();
    case DType::q5_k: return work.template run<DType::q5_k>();
    case DType::q6_k: return work.template run<DType::q6_k>();
    case DType::iq4_nl: return work.template run<DType::iq4_nl>();
    case DType::iq4_xs: return work.template run<DType::iq4_xs>();
    case DType::tq1_0: return work.template run<DType::tq1_0>();
    case DType::tq2_0: return work.template run<DType::tq2_0>();
    case DType::mxfp4: return work.template run<DType::mxfp4>();
    case DType::iq2_s: return work.template run<DType::iq2_s>();
    default: return;  // no type of the device (device_type of bit_planes.cuh)
  }
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
