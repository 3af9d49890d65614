// The hyperparameters of a language model from its file; every number is validated before any size depends on it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backend/ops.h"
#include "gguf/model_file.h"

namespace lectern::llm {

enum class Architecture { llama, qwen2, qwen3, bert };

enum class RopeScaling { none, linear, yarn };

struct RopeConfig {
  double base;
  int rotated;
  bool adjacent;
  RopeScaling scaling;
  double factor;
  double original_context;
  double attention_factor;
  double beta_fast;
  double beta_slow;
  double extension;  // yarn's mix of both frequencies; 1 as a rule
};

struct Config {
  Architecture architecture;
  std::string name;  // general.name, or empty
  int context;       // positions it was trained for
  int window;        // positions up to its own that a token attends to; 0: all
  int vocabulary;    // tokens that there are
  int table_rows;    // of the token table: at least vocabulary, files may pad it
  int embedding;
  int layers;
  int heads;
  int kv_heads;
  int head_size;
  int feed_forward;  // of one expert where there are any
  int experts;       // 0: dense
  int experts_used;
  float epsilon;
  RopeConfig rope;  // not of bert
  Pooling pooling;  // bert only

  bool embeds() const { return architecture == Architecture::bert; }
};

/// Throws Error `unsupported_format` naming an architecture or a feature that is not here, `invalid_model` naming the key.
Config read_config(const gguf::ModelFile& file);

/// The angle per position of each pair, with `rope_factors` (rope_freqs.weight; empty or rotated / 2 long) and the scaling.
std::vector<double> rope_frequencies(const RopeConfig& rope, const std::vector<float>& rope_factors);

/// What scaling multiplies rotated keys and queries with.
double rope_magnitude(const RopeConfig& rope);

}  // namespace lectern::llm
