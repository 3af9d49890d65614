// A model's weights on its backend, by their GGUF names.
#pragma once

#include <vector>

#include "backend/ops.h"
#include "gguf/model_file.h"
#include "llm/config.h"
#include "llm/rank_head.h"
#include "llm/weight_loader.h"

namespace lectern::llm {

/// `attention`, `attention_output`, and `gated` or `up` with `down`, or `experts`, or both of the last where every token also passes a shared layer; with norms behind the sums `attention_norm` and `output_norm`.
struct Layer {
  AttentionWeights attention;
  Linear attention_output;
  GatedWeights gated;
  Linear up;
  Linear down;
  ExpertWeights experts;
  Norm attention_norm;  // behind the sum (post norms); else of what attention adds, weight null where it has no norm
  Norm output_norm;     // the same of the feed-forward layer
  AttentionReach reach;
};

struct Weights {
  Matrix token_table;
  Matrix position_table;  // encoders; data is null where there are no learned positions
  const float* type_row;         // encoders; null where there is none
  const float* second_type_row;  // rerank encoders: of the second text of a pair; null where the table has one row
  Norm embedding_norm;    // encoders
  std::vector<Layer> layers;
  Norm output_norm;  // weight null with post norms
  Matrix output;     // models that generate; the token table's values again where the file has no other
  RankHead rank_head;  // rerank models
  std::vector<double> rope_frequencies, second_rope_frequencies;
  Rope rope, second_rope;  // point into them
};

/// Checks every tensor's type and shape, then places it; matrices' pages of the file are given back once placed. Queries,
/// keys and values may lie in one matrix `attn_qkv`, in this order.
/// Throws Error `invalid_model` naming a tensor that is missing or of the wrong shape, `unsupported_format` naming one
/// whose type the placement does not take or that has no place in the architecture, and what the placement throws.
/// `positions`: of a slot, by which files with two lists of RoPE factors choose one.
Weights load_weights(const gguf::ModelFile& file, const Config& config, int positions, WeightLoader& placement);

}  // namespace lectern::llm
