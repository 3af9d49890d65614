#include "layered_model.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>

#include "made_model.h"

namespace lectern::test {
namespace {

std::size_t floats(int rows, int columns) { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * sizeof(float); }

OpsShape ops_shape(const BenchShape& shape, const LayeredOptions& options) {
  OpsShape ops{};
  ops.rows = ops.part_rows = options.rows;
  ops.columns = ops.outputs = std::max({shape.embedding, shape.feed_forward, shape.heads * shape.head_size});
  ops.logit_rows = options.slots;
  ops.vocabulary = shape.encoder ? 0 : shape.vocabulary;
  ops.heads = shape.heads;
  ops.rotated = shape.encoder ? 0 : shape.head_size;
  // An encoder's layers are done with their keys and values one after the other.
  ops.kv = {shape.encoder ? 1 : options.layers, options.slots, options.positions, shape.kv_heads, shape.head_size, DType::f16};
  ops.records = options.records;
  return ops;
}

/// A layer's matrices: type, outputs, inputs.
std::vector<std::tuple<DType, int, int>> matrices_of(const BenchShape& shape, const LayerTypes& types) {
  const int queries = shape.heads * shape.head_size;
  const int keys = shape.kv_heads * shape.head_size;
  std::vector<std::tuple<DType, int, int>> all{{types.query, queries, shape.embedding}, {types.key, keys, shape.embedding},        {types.value, keys, shape.embedding},
                                               {types.output, shape.embedding, queries}, {types.up, shape.feed_forward, shape.embedding}, {types.down, shape.embedding, shape.feed_forward}};
  if (!shape.encoder) all.emplace_back(types.gate, shape.feed_forward, shape.embedding);
  return all;
}

}  // namespace

std::size_t LayeredModel::bytes(const Backend& backend, const BenchShape& shape, const LayeredOptions& options) {
  const OpsShape ops = ops_shape(shape, options);
  std::size_t sum = backend.ops_bytes(ops) + backend.kv_bytes(ops.kv);
  for (int l = 0; l < options.layers; l++) {
    for (const auto& [dtype, rows, columns] : matrices_of(shape, shape.has_more(l) ? shape.more : shape.rest)) sum += backend.matrix_bytes(dtype, rows, columns, 1);
  }
  sum += floats(options.rows, shape.embedding + shape.heads * shape.head_size + shape.feed_forward);
  sum += floats(shape.encoder ? 2 : 1, std::max(shape.embedding, shape.feed_forward));  // of the norms
  if (shape.encoder) return sum;
  return sum + backend.table_bytes(DType::q4_k, shape.vocabulary, shape.embedding) + backend.matrix_bytes(DType::q6_k, shape.vocabulary, shape.embedding, 1) +
         floats(options.slots, shape.vocabulary);
}

LayeredModel::LayeredModel(Backend& backend, const BenchShape& shape, const LayeredOptions& options) : backend_(backend), shape_(shape), options_(options) {
  const OpsShape ops = ops_shape(shape, options);
  ops_ = backend.make_ops(ops);
  cache_ = Memory(backend, ops_->kv_bytes(ops.kv));
  kv_ = {ops.kv, cache_.data()};
  x_ = Memory(backend, floats(options.rows, shape.embedding));
  q_ = Memory(backend, floats(options.rows, shape.heads * shape.head_size));
  hidden_ = Memory(backend, floats(options.rows, shape.feed_forward));
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> x(static_cast<std::size_t>(options.rows) * static_cast<std::size_t>(shape.embedding));
  for (float& value : x) value = normal(random_);
  backend.upload(x_.data(), x.data(), x.size() * sizeof(float));
  const std::vector<float> ones(static_cast<std::size_t>(std::max(shape.embedding, shape.feed_forward)), 1.0F);
  norm_ = {ops_->load_vector(ones.data(), ones.size()), shape.encoder ? ops_->load_vector(ones.data(), ones.size()) : nullptr, 1e-5F};
  for (int l = 0; l < options.layers; l++) layers_.push_back(layer(shape.has_more(l) ? shape.more : shape.rest));
  for (int i = 0; i < shape.head_size / 2; i++) frequencies_.push_back(1.0 / (i + 1));
  if (!shape.encoder) {
    head_ = matrix(DType::q6_k, shape.vocabulary, shape.embedding);
    table_ = matrix(DType::q4_k, shape.vocabulary, shape.embedding);
    logits_ = Memory(backend, floats(options.slots, shape.vocabulary));
  }
  made_.clear();
}

Matrix LayeredModel::matrix(DType dtype, int rows, int columns) {
  std::vector<std::byte>& bytes = made_[{dtype, rows, columns}];
  const std::size_t whole = row_bytes(dtype, columns) * static_cast<std::size_t>(rows);
  if (bytes.empty()) {
    // A few random rows over and over: what they hold changes no time.
    const std::vector<std::byte> some = random_weights(dtype, std::int64_t{8} * columns, 0.02F, random_);
    bytes.reserve(whole + some.size());
    while (bytes.size() < whole) bytes.insert(bytes.end(), some.begin(), some.end());
    bytes.resize(whole);
  }
  file_bytes_ += whole;
  const Tensor tensor{"made", dtype, {columns, rows, 1, 1}, 2, bytes.data(), whole};
  return ops_->load_matrix(&tensor, 1);
}

LayeredModel::Layer LayeredModel::layer(const LayerTypes& types) {
  const int queries = shape_.heads * shape_.head_size;
  const int keys = shape_.kv_heads * shape_.head_size;
  Layer layer{};
  layer.attention = {shape_.encoder ? Norm{} : norm_,
                     {matrix(types.query, queries, shape_.embedding), nullptr},
                     {matrix(types.key, keys, shape_.embedding), nullptr},
                     {matrix(types.value, keys, shape_.embedding), nullptr},
                     nullptr,
                     nullptr,
                     shape_.heads};
  layer.output = {matrix(types.output, shape_.embedding, queries), nullptr};
  layer.up = {matrix(types.up, shape_.feed_forward, shape_.embedding), nullptr};
  if (!shape_.encoder) layer.gated = {norm_, matrix(types.gate, shape_.feed_forward, shape_.embedding), layer.up.weight};
  layer.down = {matrix(types.down, shape_.embedding, shape_.feed_forward), nullptr};
  return layer;
}

void LayeredModel::resize(int rows) {
  for (std::vector<std::int32_t>* list : {&tokens_, &slots_, &positions_, &cells_, &first_, &visible_}) list->assign(static_cast<std::size_t>(rows), 0);
}

Batch LayeredModel::batch(int decode_rows) const {
  return {static_cast<int>(tokens_.size()), decode_rows, tokens_.data(), slots_.data(), positions_.data(), cells_.data(), first_.data(), visible_.data()};
}

Rope LayeredModel::rope() const { return {frequencies_.data(), shape_.encoder ? 0 : shape_.head_size, 1.0F, true}; }

void LayeredModel::list_answers(int slots, int position) {
  resize(slots);
  std::iota(slots_.begin(), slots_.end(), 0);
  std::fill(positions_.begin(), positions_.end(), position);
  std::fill(cells_.begin(), cells_.end(), position);
  std::fill(visible_.begin(), visible_.end(), position + 1);
}

void LayeredModel::list_prompt(int rows, int from) {
  resize(rows);
  // With rows that are all the same the tensor cores would use less power, and the GPU run faster than it does.
  for (std::int32_t& token : tokens_) token = static_cast<std::int32_t>(random_() % static_cast<unsigned>(shape_.vocabulary));
  std::iota(positions_.begin(), positions_.end(), from);
  cells_ = positions_;
  std::iota(visible_.begin(), visible_.end(), from + 1);
}

bool LayeredModel::decode(int slots, int position) {
  list_answers(slots, position);
  std::vector<std::int32_t> wanted(static_cast<std::size_t>(slots));
  std::iota(wanted.begin(), wanted.end(), 0);
  return pass(slots, wanted);
}

void LayeredModel::prompt(int rows, int from, bool wants_logits) {
  list_prompt(rows, from);
  pass(0, wants_logits ? std::vector{rows - 1} : std::vector<std::int32_t>{});
}

void LayeredModel::list_texts(int texts, int length) {
  resize(texts * length);
  for (std::size_t i = 0; i < positions_.size(); i++) {
    const int row = static_cast<int>(i);
    cells_[i] = row;
    positions_[i] = row % length;
    first_[i] = row / length * length;
    visible_[i] = first_[i] + length;
  }
}

void LayeredModel::embed(int texts, int length) {
  list_texts(texts, length);
  pass(0, {});
}

bool LayeredModel::pass(int decode_rows, const std::vector<std::int32_t>& wanted) {
  float* const x = x_.floats();
  const auto rows = static_cast<int>(tokens_.size());
  const Rows all{0, rows};
  ops_->begin(batch(decode_rows), rope());
  if (!shape_.encoder) ops_->embed(table_, all, x);
  PreparedRows prepared;  // x, as the last op left it for the next
  for (int l = 0; l < options_.layers; l++) {
    const Layer& layer = layers_[static_cast<std::size_t>(l)];
    const int kept = shape_.encoder ? 0 : l;
    ops_->project_attention(layer.attention, all, x, q_.floats(), kv_, kept, prepared);
    const PreparedRows attended = ops_->attend(shape_.heads, all, q_.floats(), kv_, kept, q_.floats());
    if (shape_.encoder) {
      ops_->project_add(layer.output, rows, q_.floats(), x, attended);
      prepared = ops_->normalise(norm_, rows, shape_.embedding, x);
      ops_->project_gelu_add(layer.up, layer.down, rows, hidden_.floats(), x, prepared);
      prepared = ops_->normalise(norm_, rows, shape_.embedding, x);
    } else {
      prepared = ops_->project_add(layer.output, rows, q_.floats(), x, attended, &layer.gated.norm);
      const PreparedRows gated = ops_->gated(layer.gated, rows, x, hidden_.floats(), prepared);
      const Norm* const next = l + 1 < options_.layers ? &layers_[static_cast<std::size_t>(l) + 1].attention.norm : nullptr;
      prepared = ops_->project_add(layer.down, rows, hidden_.floats(), x, gated, next);
    }
  }
  if (!wanted.empty()) ops_->logits(norm_, head_, wanted.data(), static_cast<int>(wanted.size()), x, logits_.floats());
  ops_->end();
  if (!wanted.empty()) return choose(static_cast<int>(wanted.size()));
  backend_.synchronise();
  return true;
}

/// A draw as most clients ask for it.
bool LayeredModel::choose(int count) {
  std::vector<TokenRule> rules(static_cast<std::size_t>(count));
  for (int row = 0; row < count; row++) {
    TokenRule& rule = rules[static_cast<std::size_t>(row)];
    rule.inverse_temperature = 1 / 0.8;
    rule.top_p = 0.95;
    rule.penalties = {1, 0, 0};
    rule.draw = random_();
    rule.row = row;
    rule.top_k = 40;
    rule.logprobs = -1;
  }
  std::vector<TokenChoice> choices(rules.size());
  ops_->choose_tokens(rules.data(), count, logits_.floats(), choices.data());
  return std::all_of(choices.begin(), choices.end(), [](const TokenChoice& choice) { return choice.outcome == TokenOutcome::chosen; });
}

std::vector<LayeredModel::PartTime> LayeredModel::time_parts(int slots, int rows, int position) {
  if (slots > 0) list_answers(slots, position);
  else list_prompt(rows, position);
  const auto count = static_cast<int>(tokens_.size());
  const double seen = slots > 0 ? position + 1 : position + count / 2.0;
  // Of a prompt each tile of queries reads them again, from wherever they are by then.
  const double kept = slots > 0 ? 4.0 * slots * seen * shape_.kv_heads * shape_.head_size : 0;
  float* const x = x_.floats();
  float* const hidden = hidden_.floats();
  std::vector<Part> parts = attention_parts(kept, seen);
  parts.push_back({"gate and up", [](const Layer& l) { return std::vector{l.gated.gate, l.gated.up}; }, [=, this](const Layer& l, int) { ops_->gated(l.gated, count, x, hidden); }, 0, 0});
  parts.push_back({"down", [](const Layer& l) { return std::vector{l.down.weight}; }, [=, this](const Layer& l, int) { ops_->project_add(l.down, count, hidden, x); }, 0, 0});
  return time(parts, slots);
}

std::vector<LayeredModel::PartTime> LayeredModel::time_text_parts(int texts, int length) {
  list_texts(texts, length);
  const auto count = static_cast<int>(tokens_.size());
  float* const x = x_.floats();
  float* const hidden = hidden_.floats();
  std::vector<Part> parts = attention_parts(0, length);
  parts.push_back({"norm", [](const Layer&) { return std::vector<Matrix>(); }, [=, this](const Layer&, int) { ops_->normalise(norm_, count, shape_.embedding, x); }, 8.0 * count * shape_.embedding, 0});
  parts.push_back({"up and down", [](const Layer& l) { return std::vector{l.up.weight, l.down.weight}; }, [=, this](const Layer& l, int) { ops_->project_gelu_add(l.up, l.down, count, hidden, x); }, 0, 0});
  return time(parts, 0);
}

std::vector<LayeredModel::Part> LayeredModel::attention_parts(double bytes, double seen) {
  const auto count = static_cast<int>(tokens_.size());
  const Rows all{0, count};
  float* const x = x_.floats();
  float* const q = q_.floats();
  const double queries = static_cast<double>(shape_.heads) * shape_.head_size;
  const auto kept = [this](int number) { return shape_.encoder ? 0 : number; };
  return {{"queries, keys, values", [](const Layer& l) { return std::vector{l.attention.query.weight, l.attention.key.weight, l.attention.value.weight}; },
           [=, this](const Layer& l, int number) { ops_->project_attention(l.attention, all, x, q, kv_, kept(number)); }, 0, 0},
          {"attention", [](const Layer&) { return std::vector<Matrix>(); }, [=, this](const Layer&, int number) { ops_->attend(shape_.heads, all, q, kv_, kept(number), q); }, bytes, 4.0 * count * queries * seen},
          {"its output", [](const Layer& l) { return std::vector{l.output.weight}; }, [=, this](const Layer& l, int) { ops_->project_add(l.output, count, q, x); }, 0, 0}};
}

std::vector<LayeredModel::PartTime> LayeredModel::time(const std::vector<Part>& parts, int decode_rows) {
  const auto count = static_cast<int>(tokens_.size());
  std::vector<PartTime> times;
  for (const Part& part : parts) {
    PartTime time{part.name, 1e9, part.bytes, part.operations};
    for (const Layer& layer : layers_) {
      for (const Matrix& matrix : part.matrices(layer)) {
        time.bytes += static_cast<double>(row_bytes(matrix.dtype, matrix.columns)) * matrix.rows / options_.layers;
        time.operations += 2.0 * count * matrix.rows * matrix.columns / options_.layers;
      }
    }
    for (int turn = 0; turn < 4; turn++) {
      Batch told = batch(decode_rows);
      told.watched = true;  // it is no whole pass: nothing is to be recorded
      ops_->begin(told, rope());
      backend_.synchronise();
      const auto begin = std::chrono::steady_clock::now();
      for (int l = 0; l < options_.layers; l++) part.work(layers_[static_cast<std::size_t>(l)], l);
      backend_.synchronise();
      time.seconds = std::min(time.seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / options_.layers);
      ops_->end();
    }
    times.push_back(time);
  }
  return times;
}

double LayeredModel::bytes_read(int slots, int seen) const {
  double sum = 0;
  for (int l = 0; l < options_.layers; l++) {
    for (const auto& [dtype, rows, columns] : matrices_of(shape_, shape_.has_more(l) ? shape_.more : shape_.rest)) sum += static_cast<double>(row_bytes(dtype, columns)) * rows;
  }
  if (!shape_.encoder) sum += static_cast<double>(row_bytes(DType::q6_k, shape_.embedding)) * shape_.vocabulary;
  return sum + 2.0 * 2 * slots * seen * options_.layers * shape_.kv_heads * shape_.head_size;
}

double LayeredModel::operations(int rows, double seen) const {
  const double queries = static_cast<double>(shape_.heads) * shape_.head_size;
  const double matrices = shape_.embedding * (2 * queries + 2.0 * shape_.kv_heads * shape_.head_size + (shape_.encoder ? 2.0 : 3.0) * shape_.feed_forward);
  return 2.0 * options_.layers * rows * (matrices + 2 * queries * seen);
}

}  // namespace lectern::test
