#include "llm/weights.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>

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

  const float* vector(const std::string& name, int count) const {
    const std::vector<float> numbers = values(name, count);
    return ops_.load_vector(numbers.data(), numbers.size());
  }

  /// Loads the first row of a table: of token types, the only one that is used.
  const float* first_row(const std::string& name, int columns) const {
    const Tensor& tensor = file_.get(name);
    const std::vector<float> numbers = row_of(shaped(name, columns, static_cast<int>(std::min<std::int64_t>(tensor.dims[1], 1 << 20))));
    return ops_.load_vector(numbers.data(), numbers.size());
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
  void refuse_unused(bool embeds) const {
    for (const Tensor& tensor : file_.tensors()) {
      if (used_.contains(tensor.name) || is_needless(tensor.name, embeds)) continue;
      throw Error(ErrorCode::unsupported_format, quoted(tensor.name) + " has no place in the model's architecture as it is supported.");
    }
  }

 private:
  /// Tensors that may be left out: the RoPE frequencies in files of early converters, which the metadata gives, and the classifier of an encoder.
  static bool is_needless(std::string_view name, bool embeds) {
    return name.ends_with(".attn_rot_embd.weight") || name.ends_with(".attn_rot_embd") || (embeds && (name == "cls" || name.starts_with("cls.")));
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
  if (!config.embeds()) attention.norm.weight = loader.vector(block + "attn_norm.weight", config.embedding);
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
  if (config.architecture == Architecture::qwen3) {
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

Layer load_layer(const Loader& loader, const Config& config, int index) {
  const std::string block = "blk." + std::to_string(index) + ".";
  Layer layer{};
  layer.attention = load_attention(loader, config, block);
  layer.attention_output = loader.linear(block + "attn_output", config.heads * config.head_size, config.embedding);
  if (config.experts > 0) {
    layer.experts = load_experts(loader, config, block);
    return layer;
  }
  if (config.embeds()) {
    layer.attention_norm = load_norm(loader, config, block + "attn_output_norm");
    layer.up = loader.linear(block + "ffn_up", config.embedding, config.feed_forward);
    layer.output_norm = load_norm(loader, config, block + "layer_output_norm");
  } else {
    layer.gated.norm = {loader.vector(block + "ffn_norm.weight", config.embedding), nullptr, config.epsilon};
    layer.gated.gate = loader.matrix(block + "ffn_gate.weight", config.embedding, config.feed_forward, Op::gated);
    layer.gated.up = loader.matrix(block + "ffn_up.weight", config.embedding, config.feed_forward, Op::gated);
  }
  layer.down = loader.linear(block + "ffn_down", config.feed_forward, config.embedding);
  return layer;
}

void load_decoder(const Loader& loader, const Config& config, Weights& weights) {
  weights.output_norm = {loader.vector("output_norm.weight", config.embedding), nullptr, config.epsilon};
  // Loaded before the embedding table: loading a matrix gives its pages of the file back to the system, and the table may need a few of the same pages.
  const char* output = loader.has("output.weight") ? "output.weight" : "token_embd.weight";
  weights.output = loader.matrix_part(loader.shaped(output, config.embedding, config.table_rows), 0, config.vocabulary, Op::linear);
  std::vector<float> factors;
  if (loader.has("rope_freqs.weight")) factors = loader.values("rope_freqs.weight", config.rope.rotated / 2);
  for (const float factor : factors) {
    if (!(factor > 0)) throw Error(ErrorCode::invalid_model, quoted("rope_freqs.weight") + " holds a factor that is not above 0.");
  }
  weights.rope_frequencies = rope_frequencies(config.rope, factors);
  weights.rope = {weights.rope_frequencies.data(), config.rope.rotated, static_cast<float>(rope_magnitude(config.rope)), config.rope.adjacent};
}

void load_encoder(const Loader& loader, const Config& config, Weights& weights) {
  weights.embedding_norm = load_norm(loader, config, "token_embd_norm");
  weights.position_table = loader.table("position_embd.weight", config.embedding, config.context);
  if (loader.has("token_types.weight")) weights.type_row = loader.first_row("token_types.weight", config.embedding);
}

}  // namespace

Weights load_weights(const gguf::ModelFile& file, const Config& config, WeightLoader& placement) {
  const Loader loader(file, placement);
  Weights weights{};
  if (config.embeds()) {
    load_encoder(loader, config, weights);
  } else {
    load_decoder(loader, config, weights);
  }
  for (int i = 0; i < config.layers; i++) weights.layers.push_back(load_layer(loader, config, i));
  weights.token_table = loader.table("token_embd.weight", config.embedding, config.table_rows);
  loader.refuse_unused(config.embeds());
  return weights;
}

}  // namespace lectern::llm
