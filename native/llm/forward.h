// The forward pass: a batch of tokens in, logits or an embedding out. One for every architecture and backend.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/ops.h"
#include "cancel.h"
#include "llm/config.h"
#include "llm/kv_cache.h"
#include "llm/weights.h"

namespace lectern::llm {

/// One token of a batch: a row of a pass.
struct BatchToken {
  std::int32_t token;
  std::int32_t slot;
  std::int32_t position;
  bool wants_logits;
  bool is_decode = false;  // a decode row; else a prefill row
};

/// A text to embed, or a pair to score.
struct Text {
  const std::int32_t* tokens;
  int count;
  int second = 0;  // where the second text of a pair begins; 0: it is no pair, or the model does not tell the two apart
};

/// Throws Error `invalid_model` for values that are not finite.
void check_embedding(std::span<const float> embedding);

/// Holds the buffers of the largest pass and allocates nothing in a pass. One thread at a time; the objects that it refers to must
/// outlive it.
class Forward {
 public:
  /// `rows` bounds a pass that generates; texts of embedding and rerank models may be as long as the KV cache's positions, and go through its
  /// layers `rows` at a time. Throws Error `out_of_memory`.
  Forward(const Config& config, const Weights& weights, Backend& backend, Ops& ops, KvCache& cache, int rows, int logit_rows);

  /// Of a model that generates. Appends each token's key and value to its slot and returns the logits of those that want them, in their order:
  /// (wanted, vocabulary), valid until the next pass. Tokens of one slot must follow one another, positions rising by one
  /// from the slot's first free position; decode rows come first. Throws Error `invalid_request` for a token, slot or position out of range,
  /// a decode row behind prefill rows, and for more tokens than a pass has rows.
  const float* decode(const BatchToken* batch_tokens, int count);

  /// As decode(), but the logits stay on the device: choose() and logits() read them there. A pass with prefill rows alone can be cancelled
  /// between layers: with `cancel` it throws Error `cancelled` then, and the contents of its own positions are undefined.
  void run(const BatchToken* batch_tokens, int count, const Cancel* cancel = nullptr);
  /// As Ops::chooses and Ops::choose_tokens, of the logits of the last run() or decode(); rows count those that wanted logits.
  bool chooses(const TokenRule& rule) const { return ops_.chooses(rule); }
  void choose(const TokenRule* rules, int count, TokenChoice* choices) { ops_.choose_tokens(rules, count, out_.floats(), choices); }
  /// Of the last run(): a row's logits (vocabulary) brought to the host, valid until the next pass.
  const float* logits(int row);
  /// The same once more: logits() or decode() has brought them.
  const float* fetched(int row) const { return result_.data() + static_cast<std::ptrdiff_t>(row) * config_.vocabulary; }

  /// Of an embedding or rerank model: what one text gives, Config::outputs() numbers. An embedding is as the model gives it, not of length 1; valid until the next pass. Throws as
  /// decode() does, `cancelled` in the midst of the pass, and `invalid_model` where a value is not finite.
  const float* embed(const std::int32_t* tokens, int count, const Cancel& cancel);

  /// The same of some texts that fit one pass, (count, outputs()), each as it would be alone, bit for bit;
  /// valid until the next pass. Values are not checked. Throws as decode() does, and `cancelled` in the midst of it.
  const float* embed(const Text* texts, int count, const Cancel& cancel);
  /// How many of them, from the first on, fit one pass.
  int fitting(const Text* texts, int count) const;
  /// Whether embed() takes it.
  bool takes(const Text& text) const;
  int outputs() const { return config_.outputs(); }
  /// The most texts of a pass.
  static int most_texts(const KvShape& kv);

  int rows() const { return rows_; }
  /// The most rows of a pass that may want logits.
  int logit_rows() const { return logit_rows_; }

  /// What one allocates on its device.
  static std::size_t bytes(const Config& config, const KvShape& kv, int rows, int logit_rows);

  /// Called with the hidden state (rows, embedding) after the embedding and after each layer; for tests. Host memory.
  void (*tap)(void* context, int stage, const float* hidden, int rows) = nullptr;
  void* tap_context = nullptr;

 private:
  void check(std::int32_t token, std::int32_t slot, std::int32_t position) const;
  void show(int stage, int rows);
  Batch batch(int rows, int decode_rows, const Cancel* cancel) const;
  /// What follows attention in a layer of a decoder: x += what attention and the feed-forward layer give. Returns x prepared for the norm `next`.
  PreparedRows finish_layer(const Layer& layer, int count, const float* q, float* x, const PreparedRows& attended, const Norm* next);
  /// The same with norms behind the sums.
  PreparedRows finish_post_norm_layer(const Layer& layer, Rows part, const float* q, const PreparedRows& attended);
  /// Fills the batch's numbers; gives its rows.
  int lay_out(const Text* texts, int count);
  void embed_tokens(const Text* texts, int count, Rows part);
  template <class Work>
  void each_part(int count, const Cancel& cancel, Work work);
  float* text_row(int row) const { return residual_.floats() + static_cast<std::ptrdiff_t>(row) * config_.embedding; }

  const Config& config_;
  const Weights& weights_;
  Backend& backend_;
  Ops& ops_;
  KvCache& cache_;
  int rows_;
  int logit_rows_;
  Memory residual_;       // (rows or positions, embedding)
  Memory q_;       // (rows or positions, heads * head_size)
  Memory hidden_;  // (rows, feed_forward)
  Memory branch_;  // (rows, embedding), of layers with norms of what they add
  Memory out_;     // (logit_rows, vocabulary) or (texts, embedding)
  std::vector<float> result_;
  std::vector<float> tapped_;
  std::vector<std::int32_t> tokens_, slots_, positions_, cells_, first_, visible_, local_first_, local_visible_, chosen_;
};

}  // namespace lectern::llm
