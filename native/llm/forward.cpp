#include "llm/forward.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "error.h"

namespace lectern::llm {
namespace {

std::size_t floats(int rows, int columns) { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * sizeof(float); }

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::invalid_request, sentence); }

/// The most texts in one pass.
constexpr int most_texts = 256;
/// Each text of a pass begins at a multiple of this many cells, so that tiles of cells divide it as they do when it is alone.
constexpr int text_cells = 64;

int texts_of(const KvShape& kv) { return std::min(most_texts, (kv.positions + text_cells - 1) / text_cells); }
int begin_after(int cells) { return (cells + text_cells - 1) / text_cells * text_cells; }

/// Bytes of the buffers.
struct Sizes {
  Sizes(const Config& config, const KvShape& kv, int rows, int logit_rows)
      // An encoder's rows attend to each other in both directions: every layer needs the whole text before it.
      : x(floats(config.embeds() ? kv.positions : rows, config.embedding)),
        q(floats(config.embeds() ? kv.positions : rows, config.heads * config.head_size)),
        hidden(config.experts > 0 ? 1 : floats(rows, config.feed_forward)),
        out(config.embeds() ? floats(texts_of(kv), config.embedding) : floats(logit_rows, config.vocabulary)) {}

  std::size_t x, q, hidden, out;
};

}  // namespace

std::size_t Forward::bytes(const Config& config, const KvShape& kv, int rows, int logit_rows) {
  const Sizes sizes(config, kv, rows, logit_rows);
  return sizes.x + sizes.q + sizes.hidden + sizes.out;
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
      out_(backend, Sizes(config, cache.shape(), rows, logit_rows).out) {
  const auto longest = static_cast<std::size_t>(config.embeds() ? cache.shape().positions : rows);
  for (std::vector<std::int32_t>* list : {&tokens_, &slots_, &positions_, &cells_, &first_, &visible_}) list->resize(longest);
  chosen_.resize(static_cast<std::size_t>(logit_rows));
  const int width = config.embeds() ? config.embedding : config.vocabulary;
  result_.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(config.embeds() ? texts_of(cache.shape()) : logit_rows));
}

void Forward::check(std::int32_t token, std::int32_t slot, std::int32_t position) const {
  const KvShape& shape = cache_.shape();
  if (token < 0 || token >= config_.vocabulary) refuse("The token id " + std::to_string(token) + " is none of the model's " + std::to_string(config_.vocabulary) + ".");
  if (slot < 0 || slot >= shape.slots) refuse("There is no slot " + std::to_string(slot) + ".");
  if (position < 0 || position >= shape.positions) refuse("There is no position " + std::to_string(position) + " in a slot of " + std::to_string(shape.positions) + ".");
}

Batch Forward::batch(int rows, int decode_rows, const Cancel* cancel) const {
  return {rows, decode_rows, tokens_.data(), slots_.data(), positions_.data(), cells_.data(), first_.data(), visible_.data(), tap != nullptr, cancel};
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

void Forward::run(const BatchToken* batch_tokens, int count, const Cancel* cancel) {
  if (config_.embeds()) throw Error(ErrorCode::invalid_state, "An embedding model cannot generate text.");
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
    visible_[at] = position + 1;
    if (!wants_logits) continue;
    if (wanted == logit_rows_) refuse("A pass gives the logits of at most " + std::to_string(logit_rows_) + " tokens.");
    chosen_[static_cast<std::size_t>(wanted++)] = i;
  }

  float* const x = residual_.floats();
  float* const q = q_.floats();
  float* const hidden = hidden_.floats();
  const Kv& kv = cache_.kv();
  const Rows all{0, count};
  ops_.begin(batch(count, decode_rows, nullptr), weights_.rope);
  ops_.embed(weights_.token_table, all, x);
  show(0, count);
  PreparedRows residual;  // x, as the last op left it for the next
  for (int l = 0; l < config_.layers; l++) {
    // A prefill chunk takes seconds on a CPU.
    if (cancel != nullptr) cancel->check();
    const Layer& layer = weights_.layers[static_cast<std::size_t>(l)];
    ops_.project_attention(layer.attention, all, x, q, kv, l, residual);
    const PreparedRows attended = ops_.attend(config_.heads, all, q, kv, l, q);
    if (config_.experts > 0) {
      ops_.project_add(layer.attention_output, count, q, x, attended);
      ops_.experts(layer.experts, count, x);
    } else {
      residual = ops_.project_add(layer.attention_output, count, q, x, attended, &layer.gated.norm);
      const PreparedRows gated = ops_.gated(layer.gated, count, x, hidden, residual);
      const Norm* const next = l + 1 < config_.layers ? &weights_.layers[static_cast<std::size_t>(l) + 1].attention.norm : nullptr;
      residual = ops_.project_add(layer.down, count, hidden, x, gated, next);
    }
    show(l + 1, count);
  }
  if (wanted > 0) ops_.logits(weights_.output_norm, weights_.output, chosen_.data(), wanted, x, out_.floats());
  ops_.end();
  // Without logits no download waits for the pass, so wait here.
  if (wanted == 0) backend_.synchronise();
}

void check_embedding(std::span<const float> embedding) {
  if (std::all_of(embedding.begin(), embedding.end(), [](float value) { return std::isfinite(value); })) return;
  throw Error(ErrorCode::invalid_model, "The model's embedding of this text holds values that are no numbers: its weights are damaged.");
}

int Forward::fitting(const Text* texts, int count) const {
  int cells = 0;
  for (int i = 0; i < count; i++) {
    cells = begin_after(cells) + texts[i].count;
    if (cells > cache_.shape().positions || i == most_texts) return i;
  }
  return count;
}

bool Forward::takes(const Text& text) const {
  const auto known = [this](std::int32_t token) { return token >= 0 && token < config_.vocabulary; };
  return text.count > 0 && text.count <= cache_.shape().positions && std::all_of(text.tokens, text.tokens + text.count, known);
}

const float* Forward::embed(const std::int32_t* tokens, int count, const Cancel& cancel) {
  const Text text{tokens, count};
  const float* values = embed(&text, 1, cancel);
  check_embedding({values, static_cast<std::size_t>(config_.embedding)});
  return values;
}

const float* Forward::embed(const Text* texts, int texts_count, const Cancel& cancel) {
  if (!config_.embeds()) throw Error(ErrorCode::invalid_state, "This model gives no embeddings.");
  int count = 0;
  int cells = 0;
  for (int t = 0; t < texts_count; t++) {
    const auto [tokens, length] = texts[t];
    if (length < 1) refuse("There is nothing to embed: the text has no tokens.");
    const int begin = begin_after(cells);
    for (int i = 0; i < length; i++) {
      check(tokens[i], 0, begin + i);
      const auto at = static_cast<std::size_t>(count++);
      tokens_[at] = tokens[i];
      slots_[at] = 0;
      positions_[at] = i;
      cells_[at] = begin + i;
      first_[at] = begin;
      visible_[at] = begin + length;
    }
    cells = begin + length;
  }
  if (fitting(texts, texts_count) < texts_count) refuse("A pass takes " + std::to_string(fitting(texts, texts_count)) + " of these texts, not " + std::to_string(texts_count) + ".");

  const int width = config_.embedding;
  const int queries = config_.heads * config_.head_size;
  float* const hidden = hidden_.floats();
  const Kv& kv = cache_.kv();
  const auto x = [&](int row) { return residual_.floats() + static_cast<std::ptrdiff_t>(row) * width; };
  const auto q = [&](int row) { return q_.floats() + static_cast<std::ptrdiff_t>(row) * queries; };
  // One layer of a long text takes a tenth of a second on a CPU: the cancel flag is checked before every part, and within
  // one by the operations.
  const auto each_part = [&](auto work) {
    for (int first = 0; first < count; first += rows_) {
      cancel.check();
      work(Rows{first, std::min(rows_, count - first)});
    }
  };
  ops_.begin(batch(count, 0, &cancel), Rope{});
  PreparedRows normed;  // the rows of the last norm, as it left them for the next product
  each_part([&](Rows part) {
    ops_.embed(weights_.token_table, part, x(part.first));
    ops_.add_positions(weights_.position_table, weights_.type_row, part, x(part.first));
    normed = ops_.normalise(weights_.embedding_norm, part.count, width, x(part.first));
  });
  show(0, count);
  for (int l = 0; l < config_.layers; l++) {
    const Layer& layer = weights_.layers[static_cast<std::size_t>(l)];
    // One layer's keys and values are enough for all: each is done with them before the next begins.
    each_part([&](Rows part) { ops_.project_attention(layer.attention, part, x(part.first), q(part.first), kv, 0, normed); });
    each_part([&](Rows part) {
      const PreparedRows attended = ops_.attend(config_.heads, part, q(part.first), kv, 0, q(part.first));
      ops_.project_add(layer.attention_output, part.count, q(part.first), x(part.first), attended);
      normed = ops_.normalise(layer.attention_norm, part.count, width, x(part.first));
      ops_.project_gelu_add(layer.up, layer.down, part.count, hidden, x(part.first), normed);
      normed = ops_.normalise(layer.output_norm, part.count, width, x(part.first));
    });
    show(l + 1, count);
  }
  cancel.check();
  int first = 0;
  for (int t = 0; t < texts_count; t++) {
    ops_.pool(config_.pooling, texts[t].count, width, x(first), out_.floats() + static_cast<std::ptrdiff_t>(t) * width);
    first += texts[t].count;
  }
  ops_.end();
  backend_.download(result_.data(), out_.data(), floats(texts_count, width));
  return result_.data();
}

}  // namespace lectern::llm
