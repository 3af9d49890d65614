// Token sampling on the device, so that only token ids are copied to the host: the jobs and their memory. C++17.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/ops.h"
#include "cuda/kernels/sampling/sampling_jobs.cuh"
#include "cuda/runtime/runtime.h"
#include "cuda/runtime/staged_copy.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

class TokenSampling {
 public:
  /// For rows of OpsShape::vocabulary logits, none where that is 0. Throws Error `out_of_memory`.
  TokenSampling(const OpsShape& shape, Stream stream);

  /// The device memory of one.
  static std::size_t bytes(const OpsShape& shape);

  /// As Ops::chooses.
  bool takes(const TokenRule& rule) const;
  /// As Ops::choose_tokens.
  void choose(const TokenRule* rules, int count, const float* logits, TokenChoice* choices);

 private:
  ChoiceJob job_of(const TokenRule& rule, int row, const float* logits);
  void launch_all(const ChoiceSpace& space, int jobs, bool searches_counts, bool searches_masses, bool sums) const;

  Stream stream_;
  int vocabulary_;
  int tiles_;
  StagedCopy staged_;
  DeviceArray<float> changed_;  // (rows, vocabulary)
  DeviceArray<RowExtreme> extremes_;
  DeviceArray<TileSum> sums_;
  DeviceArray<Search> searches_;
  DeviceArray<std::uint64_t> histograms_;
  DeviceArray<TokenChoice> results_;
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
