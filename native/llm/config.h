// The hyperparameters of a language model from its file; every number is validated before any size depends on it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/ops.h"
#include "gguf/model_file.h"

namespace lectern::llm {

enum class Architecture {
  llama, mistral3, smollm3, granite, granitemoe, qwen2, qwen3, qwen3moe, phi3, glm4, gemma2, gemma3, gpt_oss, bert, nomic_bert, jina_bert_v2, jina_bert_v3, modern_bert,
};

/// What tells an architecture from the others, beside the keys of its files.
struct ArchitectureTraits {
  enum class Experts { none, optional, required };

  Architecture architecture;
  std::string_view name;  // as files write it
  bool encoder = false;       // whole texts are put in, and a token attends to all of its text
  bool post_norms = false;    // BERT's kind of block: the norm behind each sum, not before each branch
  bool adjacent = false;      // Rope::adjacent
  bool head_norms = false;    // of queries and keys
  bool branch_norms = false;  // of what attention and the feed-forward layer add to the residual
  bool fused_gate = false;    // where a file has no `ffn_gate`, `ffn_up` holds gate and up
  bool gated = true;          // feed-forward layers have a gate
  Experts experts = Experts::none;
  Activation activation = Activation::silu;
};

const ArchitectureTraits& traits_of(Architecture architecture);

/// The architecture that Ollama's converter writes for gpt-oss.
inline constexpr std::string_view ollama_gpt_oss = "gptoss";

/// What a model's output is for: the next token, a vector of a text, or a score of a pair of texts.
enum class ModelKind { chat, embedding, rerank };

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
  double extension;        // yarn's mix of both frequencies; 1 as a rule
  double yarn_magnitude;   // yarn multiplies by 1 + yarn_magnitude * ln(factor)
};

/// Layers that differ from the others.
class LayerSet {
 public:
  LayerSet() = default;
  explicit LayerSet(std::vector<bool> members) : members_(std::move(members)) {}

  bool has(int layer) const { return static_cast<std::size_t>(layer) < members_.size() && members_[static_cast<std::size_t>(layer)]; }
  bool empty() const { return std::find(members_.begin(), members_.end(), true) == members_.end(); }

 private:
  std::vector<bool> members_;  // by layer
};

struct Config {
  Architecture architecture;
  ModelKind kind;
  bool of_ollama;  // gpt-oss with the names of Ollama's converter
  bool causal;  // a token attends to those before it; else to the whole text
  std::string name;  // general.name, or empty
  int context;       // positions it was trained for
  int window;        // positions up to its own that a token attends to in every layer; 0: all
  int local_window;  // the same of the layers `locals`; in an encoder half of it lies before the position, half behind; 0: there are none
  LayerSet locals;
  LayerSet second_ropes;  // layers with the rotation `second_rope`
  int vocabulary;    // tokens that there are
  int table_rows;    // of the token table: at least vocabulary, files may pad it
  int embedding;
  int layers;
  int heads;
  int kv_heads;
  int head_size;
  int feed_forward;  // of one expert where there are any
  int shared_feed_forward;  // of what every token passes beside its experts; 0: there is none
  int experts;       // 0: dense
  int experts_used;
  float epsilon;
  float embedding_scale;  // what token vectors are multiplied by
  float logit_scale;      // what logits are multiplied by
  float logit_cap;        // a logit s becomes cap * tanh(s / cap); 0: it stays
  float attention_cap;    // the same of attention scores
  Activation activation;  // of the gated feed-forward layer
  RopeConfig rope;  // not of encoders without a rotation: `rotated` is 0
  RopeConfig second_rope;
  Pooling pooling;  // of embeddings and pairs

  /// Whether whole texts are put in and nothing is generated.
  bool embeds() const { return kind != ModelKind::chat; }
  const ArchitectureTraits& traits() const { return traits_of(architecture); }
  bool is_encoder() const { return traits().encoder; }
  bool has_post_norms() const { return traits().post_norms; }
  bool has_head_norms() const { return traits().head_norms; }
  bool has_branch_norms() const { return traits().branch_norms; }
  /// The longest inner row of a feed-forward layer.
  int widest_feed_forward() const { return std::max(feed_forward, shared_feed_forward); }
  /// Numbers that a text gives: an embedding, or one score.
  int outputs() const { return kind == ModelKind::rerank ? 1 : embedding; }
};

/// The prefix of the file's keys is what it says in general.architecture. Throws Error `unsupported_format` naming an architecture or a feature that is not here, `invalid_model` naming the key.
Config read_config(const gguf::ModelFile& file);

/// The names of all architectures, as files write them, separated by commas.
std::string architecture_names();

/// The angle per position of each pair, with `rope_factors` (rope_freqs.weight; empty or rotated / 2 long) and the scaling.
std::vector<double> rope_frequencies(const RopeConfig& rope, const std::vector<float>& rope_factors);

/// What scaling multiplies rotated keys and queries with.
double rope_magnitude(const RopeConfig& rope);

}  // namespace lectern::llm
