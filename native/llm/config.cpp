#include "llm/config.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "error.h"
#include "llm/keys.h"
#include "llm/rope_config.h"

namespace lectern::llm {
namespace {

using Experts = ArchitectureTraits::Experts;

constexpr ArchitectureTraits all_traits[] = {
    {.architecture = Architecture::llama, .name = "llama", .adjacent = true, .experts = Experts::optional},
    {.architecture = Architecture::mistral3, .name = "mistral3", .adjacent = true},
    {.architecture = Architecture::smollm3, .name = "smollm3", .adjacent = true},
    {.architecture = Architecture::granite, .name = "granite", .adjacent = true},
    {.architecture = Architecture::granitemoe, .name = "granitemoe", .adjacent = true, .experts = Experts::required},
    {.architecture = Architecture::qwen2, .name = "qwen2"},
    {.architecture = Architecture::qwen3, .name = "qwen3", .head_norms = true},
    {.architecture = Architecture::qwen3moe, .name = "qwen3moe", .head_norms = true, .experts = Experts::required},
    {.architecture = Architecture::phi3, .name = "phi3", .fused_gate = true},
    {.architecture = Architecture::glm4, .name = "glm4", .adjacent = true, .branch_norms = true, .fused_gate = true},
    {.architecture = Architecture::gemma2, .name = "gemma2", .branch_norms = true, .activation = Activation::gelu_tanh},
    {.architecture = Architecture::gemma3, .name = "gemma3", .head_norms = true, .branch_norms = true, .activation = Activation::gelu_tanh},
    {.architecture = Architecture::gpt_oss, .name = "gpt-oss", .experts = Experts::required, .activation = Activation::clamped_swiglu},
    {.architecture = Architecture::bert, .name = "bert", .encoder = true, .post_norms = true, .gated = false},
    {.architecture = Architecture::nomic_bert, .name = "nomic-bert", .encoder = true, .post_norms = true},
    {.architecture = Architecture::jina_bert_v2, .name = "jina-bert-v2", .encoder = true, .post_norms = true, .fused_gate = true, .activation = Activation::gelu},
    {.architecture = Architecture::jina_bert_v3, .name = "jina-bert-v3", .encoder = true, .post_norms = true, .gated = false},
    {.architecture = Architecture::modern_bert, .name = "modern-bert", .encoder = true, .fused_gate = true, .activation = Activation::gelu},
};

Architecture architecture_of(std::string_view name) {
  for (const ArchitectureTraits& entry : all_traits) {
    if (entry.name == name) return entry.architecture;
  }
  if (name == ollama_gpt_oss) return Architecture::gpt_oss;
  throw Error(ErrorCode::unsupported_format, "The model's architecture \"" + std::string(name.substr(0, 64)) + "\" is not supported. Supported are " + architecture_names() + ".");
}

bool is_gemma(const Config& config) { return config.architecture == Architecture::gemma2 || config.architecture == Architecture::gemma3; }
bool is_granite(const Config& config) { return config.architecture == Architecture::granite || config.architecture == Architecture::granitemoe; }

/// GGUF's numbers of pooling_type.
enum class PoolingKey { none = 0, mean = 1, first = 2, last = 3, rank = 4 };

void read_kind(const Keys& keys, Config& config) {
  const auto pooling = static_cast<PoolingKey>(static_cast<int>(keys.number_or("pooling_type", 0, 4, 0)));
  const bool encoder = config.is_encoder();
  config.causal = keys.metadata().find_bool(keys.key("attention.causal")).value_or(!encoder);
  if (encoder && config.causal) throw Error(ErrorCode::unsupported_format, "The model file's key \"" + keys.key("attention.causal") + "\" is true, which is not supported for " + std::string(config.traits().name) + ".");
  switch (pooling) {
    case PoolingKey::mean: config.pooling = Pooling::mean; break;
    case PoolingKey::first: config.pooling = Pooling::first; break;
    case PoolingKey::last: config.pooling = Pooling::last; break;
    case PoolingKey::rank: config.pooling = encoder ? Pooling::first : Pooling::last; break;
    case PoolingKey::none:
      if (encoder) throw Error(ErrorCode::unsupported_format, "The model's pooling_type 0 gives no embedding: 1 (mean), 2 (first), 3 (last) and 4 (rank) do.");
      break;
  }
  config.kind = pooling == PoolingKey::none ? ModelKind::chat : pooling == PoolingKey::rank ? ModelKind::rerank : ModelKind::embedding;
  if (config.kind == ModelKind::chat && !config.causal) {
    throw Error(ErrorCode::unsupported_format, "The model file's key \"" + keys.key("attention.causal") + "\" is false, and no pooling_type says how its texts become vectors.");
  }
  if (config.kind != ModelKind::chat && is_gemma(config)) {
    throw Error(ErrorCode::unsupported_format, "Embedding and rerank models of the architectures gemma2 and gemma3 are not supported.");
  }
}

void read_heads(const Keys& keys, Config& config) {
  config.heads = keys.count("attention.head_count", most_heads);
  config.kv_heads = keys.count_or("attention.head_count_kv", most_heads, config.heads);
  if (config.heads % config.kv_heads != 0) {
    refuse("The model has " + std::to_string(config.heads) + " heads, which " + std::to_string(config.kv_heads) + " KV heads cannot share evenly.");
  }
  if (!keys.has("attention.key_length") && config.embedding % config.heads != 0) {
    refuse("The model's width " + std::to_string(config.embedding) + " does not divide into " + std::to_string(config.heads) + " heads.");
  }
  config.head_size = keys.count_or("attention.key_length", most_head_size, config.embedding / config.heads);
  if (config.head_size > static_cast<int>(most_head_size)) refuse("The model's heads are " + std::to_string(config.head_size) + " wide, more than can be.");
  if (keys.count_or("attention.value_length", most_head_size, config.head_size) != config.head_size) {
    throw Error(ErrorCode::unsupported_format, "The model's keys and values differ in length, which is not supported.");
  }
  if (config.head_size % 2 != 0) refuse("The model's heads have the odd size " + std::to_string(config.head_size) + ".");
}

/// Qwen's published models leave the window off (use_sliding_window is false), whatever width their files may tell.
int read_window(const Keys& keys, const gguf::Metadata& metadata, const Config& config) {
  if (config.architecture != Architecture::llama && config.architecture != Architecture::mistral3) return 0;
  const std::uint64_t window = metadata.find_unsigned(keys.key("attention.sliding_window"), UINT64_MAX).value_or(0);
  return window < static_cast<std::uint64_t>(config.context) ? static_cast<int>(window) : 0;
}

/// Files may pad the table to a round number of rows; what no token stands for is never sampled.
void read_vocabulary(const gguf::ModelFile& file, Config& config) {
  const std::int64_t rows = file.get("token_embd.weight").rows();
  if (rows > static_cast<std::int64_t>(most_vocabulary)) refuse("The tensor \"token_embd.weight\" has " + std::to_string(rows) + " rows, more than can be.");
  config.table_rows = static_cast<int>(rows);
  config.vocabulary = config.table_rows;
  const gguf::Array* tokens = file.metadata().find_strings("tokenizer.ggml.tokens");
  if (tokens == nullptr) return;
  if (tokens->count == 0 || tokens->count > static_cast<std::uint64_t>(rows)) {
    refuse("The model file's key \"tokenizer.ggml.tokens\" has " + std::to_string(tokens->count) + " tokens for the " + std::to_string(rows) +
           " rows of \"token_embd.weight\".");
  }
  config.vocabulary = static_cast<int>(tokens->count);
}

/// Keys that other members of a family use to change the arithmetic, with the values that change nothing, and the architectures for which they are read.
struct Switch {
  std::string_view name;
  double neutral;
  double as_good;
  std::vector<Architecture> read_by;
};

const std::vector<Switch>& switches() {
  static const std::vector<Switch> table = {
      {"attention.scale", 0, 0, {Architecture::granite, Architecture::granitemoe}},
      {"attention.clamp_kqv", 0, 0, {}},
      {"attention.max_alibi_bias", 0, 0, {Architecture::jina_bert_v2}},
      {"attention.temperature_scale", 0, 0, {Architecture::mistral3}},
      {"attn_logit_softcapping", 0, 0, {Architecture::gemma2}},
      {"final_logit_softcapping", 0, 0, {Architecture::gemma2, Architecture::gemma3}},
      {"logit_scale", 0, 1, {Architecture::granite, Architecture::granitemoe}},
      {"residual_scale", 0, 1, {Architecture::granite, Architecture::granitemoe}},
      {"embedding_scale", 0, 1, {Architecture::granite, Architecture::granitemoe}},
      {"expert_shared_count", 0, 0, {}},
      {"expert_shared_feed_forward_length", 0, 0, {Architecture::granitemoe}},
      {"expert_weights_scale", 0, 1, {}},
      {"expert_gating_func", 0, 1, {}},
      {"leading_dense_block_count", 0, 0, {}},
      {"moe_every_n_layers", 0, 0, {}},
      {"nextn_predict_layers", 0, 0, {}},
  };
  return table;
}

/// llama.cpp's number of a softmax over the chosen experts.
constexpr double gating_by_weight = 3;

void refuse_switches(const Keys& keys, const gguf::Metadata& metadata, const Config& config) {
  for (const Switch& entry : switches()) {
    const std::string key = keys.key(entry.name);
    const std::optional<double> value = metadata.find_number(key);
    if (!value || *value == entry.neutral || *value == entry.as_good) continue;
    if (std::find(entry.read_by.begin(), entry.read_by.end(), config.architecture) != entry.read_by.end()) continue;
    // GPT-OSS: the softmax is over the chosen experts alone, as it is here for all.
    if (entry.name == "expert_gating_func" && config.architecture == Architecture::gpt_oss && *value == gating_by_weight) continue;
    throw Error(ErrorCode::unsupported_format, "The model file's key \"" + key + "\" asks for arithmetic that is not supported.");
  }
  if (!metadata.find_bool(keys.key("expert_weights_norm")).value_or(true)) {
    throw Error(ErrorCode::unsupported_format, "The model file's key \"" + keys.key("expert_weights_norm") + "\" is false, which is not supported.");
  }
}

void read_experts(const Keys& keys, const gguf::Metadata& metadata, Config& config) {
  config.experts = static_cast<int>(metadata.find_unsigned(keys.key("expert_count"), most_experts).value_or(0));
  const Experts expects = config.traits().experts;
  if (config.experts == 0 && expects == Experts::required) refuse("The model file's key \"" + keys.key("expert_count") + "\" is missing or 0.");
  if (config.experts == 0) return;
  if (expects == Experts::none) throw Error(ErrorCode::unsupported_format, "A mixture of experts is not supported in the architecture " + std::string(config.traits().name) + ".");
  // granitemoe's feed_forward_length is that of one expert, as llama's is.
  constexpr std::string_view of_expert = "expert_feed_forward_length";
  if (config.architecture == Architecture::qwen3moe) config.feed_forward = keys.count(of_expert, most_width);
  // Ollama's converter writes feed_forward_length alone.
  if (config.architecture == Architecture::gpt_oss) config.feed_forward = config.of_ollama ? keys.count_or(of_expert, most_width, config.feed_forward) : keys.count(of_expert, most_width);
  config.experts_used = keys.count("expert_used_count", static_cast<std::uint64_t>(config.experts));
  constexpr std::string_view shared = "expert_shared_feed_forward_length";
  if (config.architecture == Architecture::granitemoe && keys.number_or(shared, 0, static_cast<double>(most_width), 0) > 0) config.shared_feed_forward = keys.count(shared, most_width);
}

// What files of Gemma 2 mean where they leave these keys out, as llama.cpp reads them.
constexpr int gemma2_window = 4096;
constexpr double gemma2_logit_cap = 30;
constexpr double gemma2_attention_cap = 50;

/// How many layers come round, of which one has no window of its own: the last of them, in ModernBERT the first.
int usual_period(Architecture architecture) {
  switch (architecture) {
    case Architecture::gemma2:
    case Architecture::gpt_oss: return 2;
    case Architecture::gemma3: return 6;
    case Architecture::modern_bert: return 3;
    default: return 0;
  }
}

constexpr std::string_view pattern_key = "attention.sliding_window_pattern";

/// The key is a period, or a list with a truth for each layer.
LayerSet read_pattern(const Keys& keys, const Config& config) {
  const auto list = keys.truths(pattern_key);
  if (list) {
    if (list->size() != static_cast<std::size_t>(config.layers)) {
      refuse("The model file's key \"" + keys.key(pattern_key) + "\" has " + std::to_string(list->size()) + " entries for " + std::to_string(config.layers) + " layers.");
    }
    return LayerSet(*list);
  }
  const int period = keys.count_or(pattern_key, most_layers, usual_period(config.architecture));
  std::vector<bool> members(static_cast<std::size_t>(config.layers));
  for (int l = 0; l < config.layers; l++) members[static_cast<std::size_t>(l)] = config.is_encoder() ? l % period != 0 : l % period < period - 1;
  return LayerSet(std::move(members));
}

void refuse_pattern(const Keys& keys, const Config& config) {
  const auto list = keys.truths(pattern_key);
  const bool differs = list ? std::find(list->begin(), list->end(), true) != list->end() : keys.number_or(pattern_key, 0, most_layers, 0) > 1;
  if (differs && config.window == 0) return;  // without a window no layer differs
  if (differs) throw Error(ErrorCode::unsupported_format, "The model file's key \"" + keys.key(pattern_key) + "\" asks for arithmetic that is not supported.");
}

void read_locals(const Keys& keys, Config& config) {
  if (usual_period(config.architecture) == 0) return refuse_pattern(keys, config);
  const bool is_second = config.architecture == Architecture::gemma2;
  // Without a window, or with 0, there are no local layers.
  if (!is_second && keys.metadata().find_unsigned(keys.key("attention.sliding_window"), UINT64_MAX).value_or(0) == 0) return;
  const int window = keys.count_or("attention.sliding_window", most_context, std::min(gemma2_window, config.context));
  if (window >= config.context && is_second) return;
  config.locals = read_pattern(keys, config);
  // A window that hides nothing: the layers differ in their rotation alone.
  config.local_window = std::min(window, config.is_encoder() ? 2 * config.context : config.context);
}

/// The residual of Granite is x + r f(norm(x)). Divided by r it is y + f(norm(y)), with the same norm for an epsilon that is divided by r squared.
void read_scales(const Keys& keys, Config& config) {
  config.embedding_scale = config.logit_scale = 1.0F;
  config.activation = config.traits().activation;
  if (is_gemma(config)) {
    config.embedding_scale = std::sqrt(static_cast<float>(config.embedding));
    const bool is_second = config.architecture == Architecture::gemma2;
    config.logit_cap = static_cast<float>(keys.number_or("final_logit_softcapping", 0, 1e4, is_second ? gemma2_logit_cap : 0));
    config.attention_cap = static_cast<float>(is_second ? keys.number_or("attn_logit_softcapping", 0, 1e4, gemma2_attention_cap) : 0);
  }
  if (!is_granite(config)) return;
  const double residual = keys.positive_or("residual_scale", 1e3, 1);
  config.embedding_scale = static_cast<float>(keys.positive_or("embedding_scale", 1e4, 1) / residual);
  config.logit_scale = static_cast<float>(1 / keys.positive_or("logit_scale", 1e4, 1));
  config.epsilon = static_cast<float>(static_cast<double>(config.epsilon) / (residual * residual));
}

}  // namespace

Config read_config(const gguf::ModelFile& file) {
  const gguf::Metadata& metadata = file.metadata();
  const std::string_view name = metadata.get_string("general.architecture");
  Config config{};
  config.architecture = architecture_of(name);
  config.of_ollama = name == ollama_gpt_oss;
  config.name = metadata.find_string("general.name").value_or("");
  const Keys keys(metadata, name);
  read_kind(keys, config);
  config.context = keys.count("context_length", most_context);
  config.embedding = keys.count("embedding_length", most_width);
  config.layers = keys.count("block_count", most_layers);
  config.feed_forward = keys.count("feed_forward_length", most_width);
  config.window = read_window(keys, metadata, config);
  read_heads(keys, config);
  read_experts(keys, metadata, config);
  refuse_switches(keys, metadata, config);
  read_vocabulary(file, config);
  const char* epsilon = config.is_encoder() ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon";
  if (!keys.has(epsilon)) refuse("The model file's key \"" + keys.key(epsilon) + "\" is missing.");
  config.epsilon = static_cast<float>(keys.number_or(epsilon, 0, 1, 0));
  read_scales(keys, config);
  read_locals(keys, config);
  read_ropes(keys, config);
  return config;
}

std::string architecture_names() {
  std::string list;
  for (const ArchitectureTraits& entry : all_traits) list += (list.empty() ? "" : ", ") + std::string(entry.name);
  return list;
}

const ArchitectureTraits& traits_of(Architecture architecture) { return all_traits[static_cast<int>(architecture)]; }

}  // namespace lectern::llm
