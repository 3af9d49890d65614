#include "llm/weights.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "error.h"
#include "llm/tensor_loader.h"

namespace lectern::llm {
namespace {

/// The norm before a branch: RMS norms of decoders; layer norms of encoders, whose bias may be absent.
Norm load_norm(const TensorLoader& loader, const Config& config, const std::string& stem) {
  Norm norm{loader.vector(stem + ".weight", config.embedding), nullptr, config.epsilon};
  if (!config.is_encoder()) return norm;
  const std::string bias = stem + ".bias";
  norm.bias = loader.has(bias) ? loader.vector(bias, config.embedding) : loader.keep(std::vector<float>(static_cast<std::size_t>(config.embedding)));
  return norm;
}

AttentionWeights load_attention(const TensorLoader& loader, const Config& config, const std::string& block) {
  const int queries = config.heads * config.head_size;
  const int keys = config.kv_heads * config.head_size;
  AttentionWeights attention{};
  attention.norm.epsilon = config.epsilon;
  // The first layer of ModernBERT has none: the norm of the embeddings stands there.
  const bool is_optional = config.architecture == Architecture::modern_bert && block == "blk.0.";
  const std::string norm = block + "attn_norm";
  if (!config.has_post_norms() && (!is_optional || loader.has(norm + ".weight"))) attention.norm = load_norm(loader, config, norm);
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

/// The biases of experts, where the file has them.
void load_expert_biases(const TensorLoader& loader, const Config& config, const std::string& block, ExpertWeights& experts) {
  if (config.architecture != Architecture::gpt_oss) return;
  experts.router_bias = loader.vector(block + "ffn_gate_inp.bias", config.experts);
  if (const std::string both = block + "ffn_gate_up_exps.bias"; config.of_ollama && loader.has(both)) {
    experts.gate_bias = loader.alternating_bias(both, config.feed_forward, config.experts, 0);
    experts.up_bias = loader.alternating_bias(both, config.feed_forward, config.experts, 1);
  } else {
    experts.gate_bias = loader.flat(block + "ffn_gate_exps.bias", config.feed_forward, config.experts);
    experts.up_bias = loader.flat(block + "ffn_up_exps.bias", config.feed_forward, config.experts);
  }
  experts.down_bias = loader.flat(block + "ffn_down_exps.bias", config.embedding, config.experts);
}

ExpertWeights load_experts(const TensorLoader& loader, const Config& config, const std::string& block) {
  ExpertWeights experts{};
  // GPT-OSS has its second norm under the name of what follows attention.
  const bool is_renamed = config.architecture == Architecture::gpt_oss && !loader.has(block + "ffn_norm.weight");
  experts.norm = load_norm(loader, config, block + (is_renamed ? "post_attention_norm" : "ffn_norm"));
  experts.activation = config.activation;
  load_expert_biases(loader, config, block, experts);
  experts.router = loader.matrix(block + "ffn_gate_inp.weight", config.embedding, config.experts, Op::linear);
  if (const std::string both = block + "ffn_gate_up_exps.weight"; config.of_ollama && loader.has(both)) {
    std::tie(experts.gate, experts.up) = loader.alternating_experts(both, config.embedding, config.feed_forward, config.experts);
  } else {
    experts.gate = loader.experts(block + "ffn_gate", config.embedding, config.feed_forward, config.experts);
    experts.up = loader.experts(block + "ffn_up", config.embedding, config.feed_forward, config.experts);
  }
  experts.down = loader.experts(block + "ffn_down", config.feed_forward, config.embedding, config.experts);
  experts.used = config.experts_used;
  return experts;
}

/// The norms of what attention and the feed-forward layer add.
void load_branch_norms(const TensorLoader& loader, const Config& config, const std::string& block, Layer& layer) {
  layer.attention_norm = {loader.vector(block + "post_attention_norm.weight", config.embedding), nullptr, config.epsilon};
  layer.output_norm = {loader.vector(block + "post_ffw_norm.weight", config.embedding), nullptr, config.epsilon};
}

GatedWeights load_gated(const TensorLoader& loader, const Config& config, const std::string& block) {
  GatedWeights gated{};
  gated.norm.epsilon = config.epsilon;
  if (!config.has_post_norms()) gated.norm = load_norm(loader, config, block + "ffn_norm");
  gated.activation = config.activation;
  if (config.traits().fused_gate && !loader.has(block + "ffn_gate.weight")) {
    std::tie(gated.gate, gated.up) = loader.halves(block + "ffn_up.weight", config.embedding, config.feed_forward, Op::gated);
  } else {
    gated.gate = loader.matrix(block + "ffn_gate.weight", config.embedding, config.feed_forward, Op::gated);
    gated.up = loader.matrix(block + "ffn_up.weight", config.embedding, config.feed_forward, Op::gated);
  }
  return gated;
}

/// The feed-forward layer beside the experts, which has their norm.
void load_shared(const TensorLoader& loader, const Config& config, const std::string& block, Layer& layer) {
  const int width = config.shared_feed_forward;
  layer.gated.norm = layer.experts.norm;
  layer.gated.activation = config.activation;
  layer.gated.gate = loader.matrix(block + "ffn_gate_shexp.weight", config.embedding, width, Op::gated);
  layer.gated.up = loader.matrix(block + "ffn_up_shexp.weight", config.embedding, width, Op::gated);
  layer.down = loader.linear(block + "ffn_down_shexp", width, config.embedding);
}

Layer load_layer(const TensorLoader& loader, const Config& config, const float* slopes, int index) {
  const std::string block = "blk." + std::to_string(index) + ".";
  Layer layer{};
  layer.attention = load_attention(loader, config, block);
  layer.attention.second_rope = config.second_ropes.has(index);
  layer.reach = {config.locals.has(index), config.attention_cap, slopes};
  if (config.architecture == Architecture::gpt_oss) layer.reach.sinks = loader.vector(block + (config.of_ollama && loader.has(block + "attn_sinks") ? "attn_sinks" : "attn_sinks.weight"), config.heads);
  layer.attention_output = loader.linear(block + (config.of_ollama && loader.has(block + "attn_out.weight") ? "attn_out" : "attn_output"), config.heads * config.head_size, config.embedding);
  if (config.experts > 0) {
    layer.experts = load_experts(loader, config, block);
    if (config.shared_feed_forward > 0) load_shared(loader, config, block, layer);
    return layer;
  }
  if (config.traits().gated) layer.gated = load_gated(loader, config, block);
  else layer.up = loader.linear(block + "ffn_up", config.embedding, config.feed_forward);
  if (config.has_branch_norms()) load_branch_norms(loader, config, block, layer);
  if (config.has_post_norms()) {
    layer.attention_norm = load_norm(loader, config, block + "attn_output_norm");
    layer.output_norm = load_norm(loader, config, block + "layer_output_norm");
  }
  layer.down = loader.linear(block + "ffn_down", config.feed_forward, config.embedding);
  return layer;
}

Rope rope_of(const RopeConfig& rope, const std::vector<double>& frequencies) {
  return {frequencies.data(), rope.rotated, static_cast<float>(rope_magnitude(rope)), rope.adjacent};
}

/// Llama 3's factors, or those of longrope for contexts up to the original one or beyond it.
std::vector<float> load_rope_factors(const TensorLoader& loader, const Config& config, int positions) {
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

/// Press et al. 2021 with the largest bias of 8: head h of n, a power of two, has the slope 2^(-8 (h + 1) / n). Of other numbers of heads the first have those of the next lower power
/// of two, and the others every other one of the next higher.
std::vector<float> alibi_slopes(int heads) {
  const int low = static_cast<int>(std::bit_floor(static_cast<unsigned>(heads)));
  std::vector<float> slopes;
  for (int h = 0; h < heads; h++) {
    const double exponent = h < low ? -8.0 * (h + 1) / low : -4.0 * (2 * (h - low) + 1) / low;
    slopes.push_back(static_cast<float>(std::exp2(exponent)));
  }
  return slopes;
}

void load_ropes(const TensorLoader& loader, const Config& config, int positions, Weights& weights) {
  weights.rope_frequencies = rope_frequencies(config.rope, load_rope_factors(loader, config, positions));
  weights.rope = rope_of(config.rope, weights.rope_frequencies);
  weights.second_rope_frequencies = rope_frequencies(config.second_rope, {});
  weights.second_rope = rope_of(config.second_rope, weights.second_rope_frequencies);
}

void load_decoder(const TensorLoader& loader, const Config& config, Weights& weights) {
  std::vector<float> norm = loader.values("output_norm.weight", config.embedding);
  // Logits are linear in it.
  for (float& value : norm) value *= config.logit_scale;
  weights.output_norm = {loader.keep(norm), nullptr, config.epsilon};
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
std::vector<float> difference_of(const TensorLoader& loader, const std::string& name, int columns, int rows, std::pair<int, int> places) {
  const std::vector<float> both = loader.host_rows(name, columns, rows, {places.first, places.second});
  std::vector<float> out(both.begin(), both.begin() + columns);
  for (std::size_t i = 0; i < out.size(); i++) out[i] -= both[out.size() + i];
  return out;
}

RankHead load_rank_head(const TensorLoader& loader, const gguf::Metadata& metadata, const Config& config) {
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

void load_encoder(const TensorLoader& loader, const Config& config, Weights& weights) {
  weights.embedding_norm = load_norm(loader, config, "token_embd_norm");
  if (!config.has_post_norms()) weights.output_norm = load_norm(loader, config, "output_norm");
  if (config.architecture == Architecture::bert) weights.position_table = loader.table("position_embd.weight", config.embedding, config.context);
  weights.position_table.columns = config.embedding;
  if (!loader.has("token_types.weight")) return;
  weights.type_row = loader.row("token_types.weight", config.embedding, 0);
  if (config.kind == ModelKind::rerank && loader.rows_of("token_types.weight") > 1) weights.second_type_row = loader.row("token_types.weight", config.embedding, 1);
}

}  // namespace

Weights load_weights(const gguf::ModelFile& file, const Config& config, int positions, WeightLoader& placement) {
  const TensorLoader loader(file, placement);
  Weights weights{};
  if (config.kind == ModelKind::rerank) weights.rank_head = load_rank_head(loader, file.metadata(), config);
  load_ropes(loader, config, positions, weights);
  if (config.is_encoder()) {
    load_encoder(loader, config, weights);
  } else {
    load_decoder(loader, config, weights);
  }
  const float* const slopes = config.architecture == Architecture::jina_bert_v2 ? loader.keep(alibi_slopes(config.heads)) : nullptr;
  for (int i = 0; i < config.layers; i++) weights.layers.push_back(load_layer(loader, config, slopes, i));
  weights.token_table = loader.table("token_embd.weight", config.embedding, config.table_rows);
  loader.refuse_unused(config);
  return weights;
}

}  // namespace lectern::llm
