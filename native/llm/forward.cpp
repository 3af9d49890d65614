#include "llm/forward.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "error.h"

namespace lectern::llm {
namespace {

std::size_t floats(int rows, int columns) { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * sizeof(float); }

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::invalid_request, sentence); }

/// Bytes of the buffers.
struct Sizes {
  Sizes(const Config& config, const KvShape& kv, int rows, int logit_rows)
      // A whole text goes through one layer before the next: rows may attend to each other in both directions, and one layer's keys are enough.
      : x(floats(config.embeds() ? kv.positions : rows, config.embedding)),
        q(floats(config.embeds() ? kv.positions : rows, config.heads * config.head_size)),
        hidden(config.experts == 0 ? floats(rows, config.feed_forward) : config.shared_feed_forward > 0 ? floats(rows, config.shared_feed_forward) : 1),
        branch(config.has_branch_norms() ? floats(rows, config.embedding) : 1),
        out(config.embeds() ? floats(Forward::most_texts(kv), config.embedding) : floats(logit_rows, config.vocabulary)) {}

  std::size_t x, q, hidden, branch, out;
};

}  // namespace

std::size_t Forward::bytes(const Config& config, const KvShape& kv, int rows, int logit_rows) {
  const Sizes sizes(config, kv, rows, logit_rows);
  return sizes.x + sizes.q + sizes.hidden + sizes.branch + sizes.out;
}

Forward::Forward(const Config& config, const Weights& weights, Backend& backend, Ops& ops, KvCache& cache, int rows, int logit_rows)
    : config_(config),
      weights_(weights),
      backend_(backend),
      ops_(ops),
      cache_(cache),
      rows_(rows),
      logit_rows_(logit_rows),
      residual_(backend, Sizes(config, cache.shape(), rows, logit_rows).x),
      q_(backend, Sizes(config, cache.shape(), rows, logit_rows).q),
      hidden_(backend, Sizes(config, cache.shape(), rows, logit_rows).hidden),
      branch_(backend, Sizes(config, cache.shape(), rows, logit_rows).branch),
      out_(backend, Sizes(config, cache.shape(), rows, logit_rows).out) {
  const auto longest = static_cast<std::size_t>(config.embeds() ? cache.shape().positions : rows);
  for (std::vector<std::int32_t>* list : {&tokens_, &slots_, &positions_, &cells_, &first_, &visible_, &local_first_, &local_visible_}) list->resize(longest);
  chosen_.resize(static_cast<std::size_t>(logit_rows));
  const int width = config.embeds() ? config.embedding : config.vocabulary;
  result_.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(config.embeds() ? most_texts(cache.shape()) : logit_rows));
}

void Forward::check(std::int32_t token, std::int32_t slot, std::int32_t position) const {
  const KvShape& shape = cache_.shape();
  if (token < 0 || token >= config_.vocabulary) refuse("The token id " + std::to_string(token) + " is none of the model's " + std::to_string(config_.vocabulary) + ".");
  if (slot < 0 || slot >= shape.slots) refuse("There is no slot " + std::to_string(slot) + ".");
  if (position < 0 || position >= shape.positions) refuse("There is no position " + std::to_string(position) + " in a slot of " + std::to_string(shape.positions) + ".");
}

Batch Forward::batch(int rows, int decode_rows, const Cancel* cancel) const {
  return {rows, decode_rows, tokens_.data(), slots_.data(), positions_.data(), cells_.data(), first_.data(), visible_.data(), tap != nullptr, cancel,
          config_.local_window > 0 ? local_first_.data() : nullptr, config_.local_window > 0 ? local_visible_.data() : nullptr};
}

void Forward::show(int stage, int rows) {
  if (tap == nullptr) return;
  tapped_.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(config_.embedding));
  backend_.download(tapped_.data(), residual_.data(), floats(rows, config_.embedding));
  tap(tap_context, stage, tapped_.data(), rows);
}

const float* Forward::decode(const BatchToken* batch_tokens, int count) {
  run(batch_tokens, count);
  const auto wanted = static_cast<int>(std::count_if(batch_tokens, batch_tokens + count, [](const BatchToken& token) { return token.wants_logits; }));
  if (wanted > 0) backend_.download(result_.data(), out_.data(), floats(wanted, config_.vocabulary));
  return result_.data();
}

const float* Forward::logits(int row) {
  const std::ptrdiff_t before = static_cast<std::ptrdiff_t>(row) * config_.vocabulary;
  backend_.download(result_.data() + before, out_.floats() + before, floats(1, config_.vocabulary));
  return result_.data() + before;
}

PreparedRows Forward::finish_layer(const Layer& layer, int count, const float* q, float* x, const PreparedRows& attended, const Norm* next) {
  float* const hidden = hidden_.floats();
  if (config_.has_branch_norms()) {
    float* const branch = branch_.floats();
    ops_.project(layer.attention_output, count, q, branch, attended);
    ops_.add_normed(layer.attention_norm, count, config_.embedding, branch, x);
    const PreparedRows gated = ops_.gated(layer.gated, count, x, hidden);
    ops_.project(layer.down, count, hidden, branch, gated);
    ops_.add_normed(layer.output_norm, count, config_.embedding, branch, x);
    return {};
  }
  if (config_.experts > 0) {
    const bool is_shared = config_.shared_feed_forward > 0;
    const PreparedRows prepared = ops_.project_add(layer.attention_output, count, q, x, attended, is_shared ? &layer.gated.norm : nullptr);
    // Both branches read x as attention left it.
    if (is_shared) ops_.gated(layer.gated, count, x, hidden, prepared);
    ops_.experts(layer.experts, count, x);
    return is_shared ? ops_.project_add(layer.down, count, hidden, x, {}, next) : PreparedRows{};
  }
  const PreparedRows residual = ops_.project_add(layer.attention_output, count, q, x, attended, &layer.gated.norm);
  const PreparedRows gated = ops_.gated(layer.gated, count, x, hidden, residual);
  return ops_.project_add(layer.down, count, hidden, x, gated, next);
}

void Forward::run(const BatchToken* batch_tokens, int count, const Cancel* cancel) {
  if (config_.embeds()) throw Error(ErrorCode::invalid_state, "An embedding or rerank model cannot generate text.");
  if (count < 1 || count > rows_) refuse("A pass takes 1 to " + std::to_string(rows_) + " tokens, not " + std::to_string(count) + ".");
  int wanted = 0;
  int decode_rows = 0;
  for (int i = 0; i < count; i++) {
    const auto [token, slot, position, wants_logits, is_decode] = batch_tokens[i];
    check(token, slot, position);
    if (is_decode && decode_rows++ < i) refuse("Decode rows must come before prefill rows.");
    const auto at = static_cast<std::size_t>(i);
    tokens_[at] = token;
    slots_[at] = slot;
    positions_[at] = position;
    cells_[at] = position;
    first_[at] = config_.window > 0 ? std::max(0, position + 1 - config_.window) : 0;
    local_first_[at] = std::max(0, position + 1 - config_.local_window);
    visible_[at] = local_visible_[at] = position + 1;
    if (!wants_logits) continue;
    if (wanted == logit_rows_) refuse("A pass gives the logits of at most " + std::to_string(logit_rows_) + " tokens.");
    chosen_[static_cast<std::size_t>(wanted++)] = i;
  }

  float* const x = residual_.floats();
  float* const q = q_.floats();
  const Kv& kv = cache_.kv();
  const Rows all{0, count};
  ops_.begin(batch(count, decode_rows, nullptr), weights_.rope, weights_.second_rope);
  ops_.embed(weights_.token_table, all, x, config_.embedding_scale);
  show(0, count);
  PreparedRows residual;  // x, as the last op left it for the next
  for (int l = 0; l < config_.layers; l++) {
    // A prefill chunk takes seconds on a CPU.
    if (cancel != nullptr) cancel->check();
    const Layer& layer = weights_.layers[static_cast<std::size_t>(l)];
    ops_.project_attention(layer.attention, all, x, q, kv, l, residual);
    const PreparedRows attended = ops_.attend(config_.heads, all, q, kv, l, q, layer.reach);
    residual = finish_layer(layer, count, q, x, attended, l + 1 < config_.layers ? &weights_.layers[static_cast<std::size_t>(l) + 1].attention.norm : nullptr);
    show(l + 1, count);
  }
  if (wanted > 0) ops_.logits(weights_.output_norm, weights_.output, chosen_.data(), wanted, x, out_.floats());
  if (wanted > 0 && config_.logit_cap > 0) ops_.cap_values(config_.logit_cap, static_cast<std::size_t>(wanted) * static_cast<std::size_t>(config_.vocabulary), out_.floats());
  ops_.end();
  // Without logits no download waits for the pass, so wait here.
  if (wanted == 0) backend_.synchronise();
}

}  // namespace lectern::llm
