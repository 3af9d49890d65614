// Whole texts, several in one pass: embeddings, and scores of pairs.
#include "llm/forward.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "error.h"

namespace lectern::llm {
namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::invalid_request, sentence); }

/// The most texts in one pass.
constexpr int texts_at_most = 256;
/// Each text of a pass begins at a multiple of this many cells, so that tiles of cells divide it as they do when it is alone.
constexpr int text_cells = 64;

int begin_after(int cells) { return (cells + text_cells - 1) / text_cells * text_cells; }

}  // namespace

int Forward::most_texts(const KvShape& kv) { return std::min(texts_at_most, (kv.positions + text_cells - 1) / text_cells); }

void check_embedding(std::span<const float> embedding) {
  if (std::all_of(embedding.begin(), embedding.end(), [](float value) { return std::isfinite(value); })) return;
  throw Error(ErrorCode::invalid_model, "The model's embedding of this text holds values that are no numbers: its weights are damaged.");
}

int Forward::fitting(const Text* texts, int count) const {
  int cells = 0;
  for (int i = 0; i < count; i++) {
    cells = begin_after(cells) + texts[i].count;
    if (cells > cache_.shape().positions || i == most_texts(cache_.shape())) return i;
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
  check_embedding({values, static_cast<std::size_t>(config_.outputs())});
  return values;
}

int Forward::lay_out(const Text* texts, int texts_count) {
  int count = 0;
  int cells = 0;
  for (int t = 0; t < texts_count; t++) {
    const auto [tokens, length, second] = texts[t];
    if (length < 1) refuse("There is nothing to embed: the text has no tokens.");
    const int begin = begin_after(cells);
    for (int i = 0; i < length; i++) {
      check(tokens[i], 0, begin + i);
      const auto at = static_cast<std::size_t>(count++);
      tokens_[at] = tokens[i];
      slots_[at] = 0;
      positions_[at] = i;
      cells_[at] = begin + i;
      first_[at] = config_.window > 0 ? std::max(begin, begin + i + 1 - config_.window) : begin;
      visible_[at] = begin + (config_.causal ? i + 1 : length);
      // In both directions half of the window lies on each side.
      const int before = config_.causal ? config_.local_window - 1 : config_.local_window / 2;
      local_first_[at] = std::max(begin, begin + i - before);
      local_visible_[at] = config_.causal ? visible_[at] : std::min(visible_[at], begin + i + config_.local_window / 2 + 1);
    }
    cells = begin + length;
  }
  if (fitting(texts, texts_count) < texts_count) refuse("A pass takes " + std::to_string(fitting(texts, texts_count)) + " of these texts, not " + std::to_string(texts_count) + ".");
  return count;
}

template <class Work>
void Forward::each_part(int count, const Cancel& cancel, Work work) {
  // One layer of a long text takes a tenth of a second on a CPU: the cancel flag is checked before every part, and within
  // one by the operations.
  for (int first = 0; first < count; first += rows_) {
    cancel.check();
    work(Rows{first, std::min(rows_, count - first)});
  }
}

void Forward::embed_tokens(const Text* texts, int texts_count, Rows part) {
  float* const x = text_row(part.first);
  ops_.embed(weights_.token_table, part, x, config_.embedding_scale);
  if (weights_.position_table.data == nullptr && weights_.type_row == nullptr) return;
  if (weights_.second_type_row == nullptr) return ops_.add_positions(weights_.position_table, weights_.type_row, part, x);
  // The rows of the first and of the second text of each pair apart.
  const auto add = [&](int from, int to, const float* type) {
    from = std::max(from, part.first);
    to = std::min(to, part.first + part.count);
    if (from < to) ops_.add_positions(weights_.position_table, type, {from, to - from}, text_row(from));
  };
  int begin = 0;
  for (int t = 0; t < texts_count; t++) {
    const int split = begin + (texts[t].second > 0 ? texts[t].second : texts[t].count);
    add(begin, split, weights_.type_row);
    add(split, begin + texts[t].count, weights_.second_type_row);
    begin += texts[t].count;
  }
}

const float* Forward::embed(const Text* texts, int texts_count, const Cancel& cancel) {
  if (!config_.embeds()) throw Error(ErrorCode::invalid_state, "This model gives no embeddings.");
  const int count = lay_out(texts, texts_count);
  const int width = config_.embedding;
  const int queries = config_.heads * config_.head_size;
  const Kv& kv = cache_.kv();
  const auto q = [&](int row) { return q_.floats() + static_cast<std::ptrdiff_t>(row) * queries; };
  ops_.begin(batch(count, 0, &cancel), weights_.rope, weights_.second_rope);
  PreparedRows normed;  // the rows of the last op, as it left them for the next product
  each_part(count, cancel, [&](Rows part) {
    embed_tokens(texts, texts_count, part);
    if (config_.is_encoder()) normed = ops_.normalise(weights_.embedding_norm, part.count, width, text_row(part.first));
  });
  show(0, count);
  for (int l = 0; l < config_.layers; l++) {
    const Layer& layer = weights_.layers[static_cast<std::size_t>(l)];
    // One layer's keys and values are enough for all: each is done with them before the next begins.
    each_part(count, cancel, [&](Rows part) { ops_.project_attention(layer.attention, part, text_row(part.first), q(part.first), kv, 0, normed); });
    each_part(count, cancel, [&](Rows part) {
      const PreparedRows attended = ops_.attend(config_.heads, part, q(part.first), kv, 0, q(part.first), layer.reach);
      normed = config_.has_post_norms() ? finish_post_norm_layer(layer, part, q(part.first), attended) : finish_layer(layer, part.count, q(part.first), text_row(part.first), attended, nullptr);
    });
    show(l + 1, count);
  }
  cancel.check();
  if (!config_.has_post_norms()) each_part(count, cancel, [&](Rows part) { ops_.normalise(weights_.output_norm, part.count, width, text_row(part.first)); });
  int first = 0;
  for (int t = 0; t < texts_count; t++) {
    ops_.pool(config_.pooling, texts[t].count, width, text_row(first), out_.floats() + static_cast<std::ptrdiff_t>(t) * width);
    first += texts[t].count;
  }
  ops_.end();
  backend_.download(result_.data(), out_.data(), static_cast<std::size_t>(texts_count) * static_cast<std::size_t>(width) * sizeof(float));
  if (config_.kind == ModelKind::rerank) {
    // In place: score t lies before the row that it is made of, or at its beginning.
    for (int t = 0; t < texts_count; t++) result_[static_cast<std::size_t>(t)] = weights_.rank_head.score(result_.data() + static_cast<std::ptrdiff_t>(t) * width);
  }
  return result_.data();
}

PreparedRows Forward::finish_post_norm_layer(const Layer& layer, Rows part, const float* q, const PreparedRows& attended) {
  float* const x = text_row(part.first);
  ops_.project_add(layer.attention_output, part.count, q, x, attended);
  const PreparedRows normed = ops_.normalise(layer.attention_norm, part.count, config_.embedding, x);
  if (config_.traits().gated) {
    const PreparedRows gated = ops_.gated(layer.gated, part.count, x, hidden_.floats(), normed);
    ops_.project_add(layer.down, part.count, hidden_.floats(), x, gated);
  } else {
    ops_.project_gelu_add(layer.up, layer.down, part.count, hidden_.floats(), x, normed);
  }
  return ops_.normalise(layer.output_norm, part.count, config_.embedding, x);
}

}  // namespace lectern::llm
