#include "llm/weights.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "error.h"
#include "tensor/dequantise.h"

namespace lectern::llm {
namespace {

std::string quoted(std::string_view name) { return "The tensor \"" + std::string(name) + "\""; }

/// Finds tensors in the file by name, checks their shapes, and loads them to the device.
class Loader {
 public:
  Loader(const gguf::ModelFile& file, WeightLoader& ops) : file_(file), ops_(ops) {}

  bool has(const std::string& name) const { return file_.find(name) != nullptr; }

  /// The tensor of this name. Throws Error `invalid_model` where its shape is not (columns, rows, parts), inputs first.
  const Tensor& shaped(const std::string& name, int columns, int rows, int parts = 1) const {
    const Tensor& tensor = file_.get(name);
    used_.insert(tensor.name);
    if (tensor.dims[0] != columns || tensor.dims[1] != rows || tensor.dims[2] != parts || tensor.dims[3] != 1) {
      std::string is;
      for (int i = 0; i < tensor.rank; i++) is += (i == 0 ? "" : " x ") + std::to_string(tensor.dims[static_cast<std::size_t>(i)]);
      const std::string want = std::to_string(columns) + " x " + std::to_string(rows) + (parts > 1 ? " x " + std::to_string(parts) : "");
      throw Error(ErrorCode::invalid_model, quoted(name) + " is " + is + ", not " + want + ".");
    }
    return tensor;
  }

  Matrix matrix(const std::string& name, int columns, int rows, Op op) const { return matrix_part(shaped(name, columns, rows), 0, rows, op); }

  /// Loads only rows `first` .. `first + count - 1` of a matrix.
  Matrix matrix_part(const Tensor& whole, int first, int count, Op op) const {
    const std::size_t bytes = row_bytes(whole.dtype, whole.row_length());
    const Tensor part{whole.name, whole.dtype, {whole.row_length(), count, 1, 1}, 2, whole.data + static_cast<std::size_t>(first) * bytes, static_cast<std::size_t>(count) * bytes};
    must_support(op, part);
    const Matrix placed = ops_.load_matrix(&part, 1);
    file_.drop(part);
    return placed;
  }

  Matrix table(const std::string& name, int columns, int rows) const {
    const Tensor& tensor = shaped(name, columns, rows);
    must_support(Op::table, tensor);
    return ops_.load_table(tensor);
  }

  /// Loads the matrices of all experts: from one 3-D tensor `stem_exps.weight` or, in older files, from one tensor `stem.E.weight` for each.
  Matrix experts(const std::string& stem, int columns, int rows, int count) const {
    std::vector<Tensor> parts;
    if (has(stem + "_exps.weight")) {
      const Tensor& all = shaped(stem + "_exps.weight", columns, rows, count);
      const std::size_t bytes = all.bytes / static_cast<std::size_t>(count);
      for (int e = 0; e < count; e++) {
        parts.push_back({all.name, all.dtype, {columns, rows, 1, 1}, 2, all.data + static_cast<std::size_t>(e) * bytes, bytes});
      }
    } else {
      for (int e = 0; e < count; e++) parts.push_back(shaped(stem + "." + std::to_string(e) + ".weight", columns, rows));
    }
    for (const Tensor& part : parts) {
      must_support(Op::experts, part);
      if (part.dtype != parts.front().dtype) throw Error(ErrorCode::unsupported_format, quoted(part.name) + " has another type than the first expert's.");
    }
    const Matrix placed = ops_.load_matrix(parts.data(), count);
    for (const Tensor& part : parts) file_.drop(part);
    return placed;
  }

  std::vector<float> values(const std::string& name, int count) const { return row_of(shaped(name, count, 1)); }

  const float* keep(const std::vector<float>& numbers) const { return ops_.load_vector(numbers.data(), numbers.size()); }
  const float* vector(const std::string& name, int count) const { return keep(values(name, count)); }

  /// How many rows a small table has.
  int rows_of(const std::string& name) const { return static_cast<int>(std::min<std::int64_t>(file_.get(name).dims[1], 1 << 20)); }

  /// One row of a small table.
  const float* row(const std::string& name, int columns, int index) const {
    const std::vector<float> numbers = host_rows(name, columns, rows_of(name), {index});
    return ops_.load_vector(numbers.data(), numbers.size());
  }

  /// Some rows of a matrix, one behind the other, on the host.
  std::vector<float> host_rows(const std::string& name, int columns, int rows, const std::vector<int>& wanted) const {
    const Tensor& tensor = shaped(name, columns, rows);
    std::vector<float> values;
    for (const int index : wanted) {
      if (index >= rows) throw Error(ErrorCode::invalid_model, quoted(name) + " has " + std::to_string(rows) + " rows, and row " + std::to_string(index) + " is asked for.");
      const Tensor one{tensor.name, tensor.dtype, {columns, 1, 1, 1}, 1, tensor.data + static_cast<std::size_t>(index) * row_bytes(tensor.dtype, columns), row_bytes(tensor.dtype, columns)};
      const std::vector<float> numbers = row_of(one);
      values.insert(values.end(), numbers.begin(), numbers.end());
    }
    return values;
  }

  /// Two matrices of `rows` outputs each, one behind the other in one tensor.
  std::pair<Matrix, Matrix> halves(const std::string& name, int columns, int rows, Op op) const {
    const Tensor& both = shaped(name, columns, 2 * rows);
    const Matrix first = matrix_part(both, 0, rows, op);
    return {first, matrix_part(both, rows, rows, op)};
  }

  /// Loads `stem.weight` and, where the file has it, `stem.bias`.
  Linear linear(const std::string& stem, int columns, int rows) const { return linear_part(stem, columns, rows, 0, rows); }

  /// Loads only outputs `first` .. `first + count - 1` of `stem.weight` and `stem.bias`.
  Linear linear_part(const std::string& stem, int columns, int rows, int first, int count) const {
    Linear linear{matrix_part(shaped(stem + ".weight", columns, rows), first, count, Op::linear), nullptr};
    if (!has(stem + ".bias")) return linear;
    const std::vector<float> bias = values(stem + ".bias", rows);
    linear.bias = ops_.load_vector(bias.data() + first, static_cast<std::size_t>(count));
    return linear;
  }

  /// Throws Error `unsupported_format` where the file has a tensor that was not read: the model would compute other results with it.
  void refuse_unused(const Config& config) const {
    for (const Tensor& tensor : file_.tensors()) {
      if (used_.contains(tensor.name) || is_needless(tensor.name, config.kind)) continue;
      throw Error(ErrorCode::unsupported_format, quoted(tensor.name) + " has no place in the model's architecture as it is supported.");
    }
  }

 private:
  /// Tensors that may be left out: the RoPE frequencies in files of early converters, which the metadata gives; the classifier of an embedding
  /// model, and the output matrix of every model that does not generate.
  static bool is_needless(std::string_view name, ModelKind kind) {
    if (name.ends_with(".attn_rot_embd.weight") || name.ends_with(".attn_rot_embd")) return true;
    if (kind == ModelKind::embedding && (name == "cls" || name.starts_with("cls."))) return true;
    return kind != ModelKind::chat && name == "output.weight";
  }

  static std::vector<float> row_of(const Tensor& tensor) {
    std::vector<float> numbers(static_cast<std::size_t>(tensor.row_length()));
    dequantise(tensor.dtype, tensor.data, tensor.row_length(), numbers.data());
    for (const float number : numbers) {
      if (!std::isfinite(number)) throw Error(ErrorCode::invalid_model, quoted(tensor.name) + " holds a value that is no finite number.");
    }
    return numbers;
  }

  void must_support(Op op, const Tensor& tensor) const {
    if (ops_.supports(op, tensor.dtype)) return;
    throw Error(ErrorCode::unsupported_format, quoted(tensor.name) + " has the type " + std::string(info_of(tensor.dtype).name) + ", which this device does not take there.");
  }

  const gguf::ModelFile& file_;
  WeightLoader& ops_;
  mutable std::unordered_set<std::string_view> used_;
};

AttentionWeights load_attention(const Loader& loader, const Config& config, const std::string& block) {
  const int queries = config.heads * config.head_size;
  const int keys = config.kv_heads * config.head_size;
  AttentionWeights attention{};
  attention.norm.epsilon = config.epsilon;
  if (!config.is_encoder()) attention.norm.weight = loader.vector(block + "attn_norm.weight", config.embedding);
  if (const std::string fused = block + "attn_qkv"; loader.has(fused + ".weight")) {
    const int all = queries + 2 * keys;
    attention.query = loader.linear_part(fused, config.embedding, all, 0, queries);
    attention.key = loader.linear_part(fused, config.embedding, all, queries, keys);
    attention.value = loader.linear_part(fused, config.embedding, all, queries + keys, keys);
  } else {
    attention.query = loader.linear(block + "attn_q", config.embedding, queries);
    attention.key = loader.linear(block + "attn_k", config.embedding, keys);
    attention.value = loader.linear(block + "attn_v", config.embedding, keys);
  }
  if (config.has_head_norms()) {
    attention.query_norm = loader.vector(block + "attn_q_norm.weight", config.head_size);
    attention.key_norm = loader.vector(block + "attn_k_norm.weight", config.head_size);
  }
  attention.heads = config.heads;
  return attention;
}

Norm load_norm(const Loader& loader, const Config& config, const std::string& stem) {
  return {loader.vector(stem + ".weight", config.embedding), loader.vector(stem + ".bias", config.embedding), config.epsilon};
}

ExpertWeights load_experts(const Loader& loader, const Config& config, const std::string& block) {
  ExpertWeights experts{};
  experts.norm = {loader.vector(block + "ffn_norm.weight", config.embedding), nullptr, config.epsilon};
  experts.router = loader.matrix(block + "ffn_gate_inp.weight", config.embedding, config.experts, Op::linear);
  experts.gate = loader.experts(block + "ffn_gate", config.embedding, config.feed_forward, config.experts);
  experts.up = loader.experts(block + "ffn_up", config.embedding, config.feed_forward, config.experts);
  experts.down = loader.experts(block + "ffn_down", config.feed_forward, config.embedding, config.experts);
  experts.used = config.experts_used;
  return experts;
}

/// Of Gemma: the norms of what attention and the feed-forward layer add.
void load_branch_norms(const Loader& loader, const Config& config, const std::string& block, Layer& layer) {
  layer.attention_norm = {loader.vector(block + "post_attention_norm.weight", config.embedding), nullptr, config.epsilon};
  layer.output_norm = {loader.vector(block + "post_ffw_norm.weight", config.embedding), nullptr, config.epsilon};
}

GatedWeights load_gated(const Loader& loader, const Config& config, const std::string& block) {
  GatedWeights gated{};
  gated.norm = {loader.vector(block + "ffn_norm.weight", config.embedding), nullptr, config.epsilon};
  gated.activation = config.activation;
  if (config.architecture == Architecture::phi3) {
    std::tie(gated.gate, gated.up) = loader.halves(block + "ffn_up.weight", config.embedding, config.feed_forward, Op::gated);
  } else {
    gated.gate = loader.matrix(block + "ffn_gate.weight", config.embedding, config.feed_forward, Op::gated);
    gated.up = loader.matrix(block + "ffn_up.weight", config.embedding, config.feed_forward, Op::gated);
  }
  return gated;
}

Layer load_layer(const Loader& loader, const Config& config, int index) {
  const std::string block = "blk." + std::to_string(index) + ".";
  Layer layer{};
  layer.attention = load_attention(loader, config, block);
  layer.attention.second_rope = config.second_ropes.has(index);
  layer.reach = {config.locals.has(index), config.attention_cap};
  layer.attention_output = loader.linear(block + "attn_output", config.heads * config.head_size, config.embedding);
  if (config.experts > 0) {
    layer.experts = load_experts(loader, config, block);
    return layer;
  }
  if (config.is_encoder()) {
    layer.attention_norm = load_norm(loader, config, block + "attn_output_norm");
    layer.up = loader.linear(block + "ffn_up", config.embedding, config.feed_forward);
    layer.output_norm = load_norm(loader, config, block + "layer_output_norm");
  } else {
    layer.gated = load_gated(loader, config, block);
    if (config.has_branch_norms()) load_branch_norms(loader, config, block, layer);
  }
  layer.down = loader.linear(block + "ffn_down", config.feed_forward, config.embedding);
  return layer;
}

Rope rope_of(const RopeConfig& rope, const std::vector<double>& frequencies) {
  return {frequencies.data(), rope.rotated, static_cast<float>(rope_magnitude(rope)), rope.adjacent};
}

/// Llama 3's factors, or those of longrope for contexts up to the original one or beyond it.
std::vector<float> load_rope_factors(const Loader& loader, const Config& config, int positions) {
  constexpr const char* short_name = "rope_factors_short.weight";
  constexpr const char* long_name = "rope_factors_long.weight";
  const int pairs = config.rope.rotated / 2;
  std::vector<float> factors;
  const char* name = "rope_freqs.weight";
  if (loader.has(short_name) && loader.has(long_name)) {
    // Both are read, so that a damaged one is refused for every context.
    std::vector<float> both[] = {loader.values(short_name, pairs), loader.values(long_name, pairs)};
    const bool long_context = positions > config.rope.original_context;
    name = long_context ? long_name : short_name;
    factors = std::move(both[long_context ? 1 : 0]);
  } else if (loader.has(name)) {
    factors = loader.values(name, pairs);
  }
  for (const float factor : factors) {
    if (!(factor > 0)) throw Error(ErrorCode::invalid_model, quoted(name) + " holds a factor that is not above 0.");
  }
  return factors;
}

void load_decoder(const Loader& loader, const Config& config, int positions, Weights& weights) {
  std::vector<float> norm = loader.values("output_norm.weight", config.embedding);
  // Logits are linear in it.
  for (float& value : norm) value *= config.logit_scale;
  weights.output_norm = {loader.keep(norm), nullptr, config.epsilon};
  weights.rope_frequencies = rope_frequencies(config.rope, load_rope_factors(loader, config, positions));
  weights.rope = rope_of(config.rope, weights.rope_frequencies);
  weights.second_rope_frequencies = rope_frequencies(config.second_rope, {});
  weights.second_rope = rope_of(config.second_rope, weights.second_rope_frequencies);
  if (config.embeds()) return;
  // Before the table: it gives the pages of the file back, and the table touches its few again.
  const char* output = loader.has("output.weight") ? "output.weight" : "token_embd.weight";
  weights.output = loader.matrix_part(loader.shaped(output, config.embedding, config.table_rows), 0, config.vocabulary, Op::linear);
}

/// Where "yes" and "no" stand in a list of texts, if both do.
std::optional<std::pair<int, int>> yes_and_no(const gguf::Array* texts) {
  if (texts == nullptr) return std::nullopt;
  const auto place = [&](std::string_view text) { return std::find(texts->strings.begin(), texts->strings.end(), text) - texts->strings.begin(); };
  const auto end = static_cast<std::ptrdiff_t>(texts->strings.size());
  const std::ptrdiff_t yes = place("yes");
  const std::ptrdiff_t no = place("no");
  return yes == end || no == end ? std::nullopt : std::optional(std::pair(static_cast<int>(yes), static_cast<int>(no)));
}

/// The row of `yes` less that of `no`: the logistic function of its product is the share of yes in the softmax of both.
std::vector<float> difference_of(const Loader& loader, const std::string& name, int columns, int rows, std::pair<int, int> places) {
  const std::vector<float> both = loader.host_rows(name, columns, rows, {places.first, places.second});
  std::vector<float> out(both.begin(), both.begin() + columns);
  for (std::size_t i = 0; i < out.size(); i++) out[i] -= both[out.size() + i];
  return out;
}

RankHead load_rank_head(const Loader& loader, const gguf::Metadata& metadata, const Config& config) {
  const int width = config.embedding;
  const std::string architecture(metadata.get_string("general.architecture"));
  const auto labels = yes_and_no(metadata.find_strings(architecture + ".classifier.output_labels"));
  RankHead head;
  if (!loader.has("cls.output.weight")) {
    // A conversion without a classifier: "yes" and "no" are rows of the output matrix.
    const auto tokens = yes_and_no(metadata.find_strings("tokenizer.ggml.tokens"));
    if (config.is_encoder() || !tokens) throw Error(ErrorCode::unsupported_format, "The model file has pooling_type 4 (rank) and no classifier (tensor \"cls.output.weight\").");
    head.out = difference_of(loader, loader.has("output.weight") ? "output.weight" : "token_embd.weight", width, config.table_rows, *tokens);
    return head;
  }
  const int outputs = loader.rows_of("cls.output.weight");
  if (outputs == 2 && labels) {
    head.out = difference_of(loader, "cls.output.weight", width, outputs, *labels);
    if (loader.has("cls.output.bias")) {
      const std::vector<float> bias = loader.values("cls.output.bias", outputs);
      head.out_bias = bias[static_cast<std::size_t>(labels->first)] - bias[static_cast<std::size_t>(labels->second)];
    }
  } else if (outputs == 1) {
    head.out = loader.values("cls.output.weight", width);
    if (loader.has("cls.output.bias")) head.out_bias = loader.values("cls.output.bias", 1).front();
  } else {
    throw Error(ErrorCode::unsupported_format, "The model's classifier has " + std::to_string(outputs) + " outputs: one score, or the answers \"yes\" and \"no\", are supported.");
  }
  if (!loader.has("cls.weight")) return head;
  std::vector<int> all(static_cast<std::size_t>(width));
  for (int i = 0; i < width; i++) all[static_cast<std::size_t>(i)] = i;
  head.dense = loader.host_rows("cls.weight", width, width, all);
  if (loader.has("cls.bias")) head.dense_bias = loader.values("cls.bias", width);
  return head;
}

void load_encoder(const Loader& loader, const Config& config, Weights& weights) {
  weights.embedding_norm = load_norm(loader, config, "token_embd_norm");
  weights.position_table = loader.table("position_embd.weight", config.embedding, config.context);
  if (!loader.has("token_types.weight")) return;
  weights.type_row = loader.row("token_types.weight", config.embedding, 0);
  if (config.kind == ModelKind::rerank && loader.rows_of("token_types.weight") > 1) weights.second_type_row = loader.row("token_types.weight", config.embedding, 1);
}

}  // namespace

Weights load_weights(const gguf::ModelFile& file, const Config& config, int positions, WeightLoader& placement) {
  const Loader loader(file, placement);
  Weights weights{};
  if (config.kind == ModelKind::rerank) weights.rank_head = load_rank_head(loader, file.metadata(), config);
  if (config.is_encoder()) {
    load_encoder(loader, config, weights);
  } else {
    load_decoder(loader, config, positions, weights);
  }
  for (int i = 0; i < config.layers; i++) weights.layers.push_back(load_layer(loader, config, i));
  weights.token_table = loader.table("token_embd.weight", config.embedding, config.table_rows);
  loader.refuse_unused(config);
  return weights;
}

}  // namespace lectern::llm
