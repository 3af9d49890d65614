#include "llm/config.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "error.h"

namespace lectern::llm {
namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::invalid_model, sentence); }

// Far above any real model, and low enough that no product of two of them leaves 64 bits, nor of any one with 4 an int.
constexpr std::uint64_t most_layers = 1024;
constexpr std::uint64_t most_heads = 1024;
constexpr std::uint64_t most_head_size = 1024;
constexpr std::uint64_t most_width = 1U << 20;
constexpr std::uint64_t most_vocabulary = 1U << 24;
constexpr std::uint64_t most_context = 1U << 24;
constexpr std::uint64_t most_experts = 1024;

/// The keys of one architecture.
class Keys {
 public:
  Keys(const gguf::Metadata& metadata, std::string_view architecture) : metadata_(metadata), prefix_(std::string(architecture) + ".") {}

  std::string key(std::string_view name) const { return prefix_ + std::string(name); }

  /// At least 1.
  int count(std::string_view name, std::uint64_t most) const {
    const std::uint64_t number = metadata_.get_unsigned(key(name), most);
    if (number == 0) refuse("The model file's key \"" + key(name) + "\" is 0.");
    return static_cast<int>(number);
  }
  int count_or(std::string_view name, std::uint64_t most, int otherwise) const {
    return metadata_.has(key(name)) ? count(name, most) : otherwise;
  }
  double number_or(std::string_view name, double least, double most, double otherwise) const {
    const std::optional<double> number = metadata_.find_number(key(name));
    if (!number) return otherwise;
    if (!(*number >= least && *number <= most)) {
      refuse("The model file's key \"" + key(name) + "\" is " + std::to_string(*number) + ", outside of " + std::to_string(least) + " to " +
             std::to_string(most) + ".");
    }
    return *number;
  }
  bool has(std::string_view name) const { return metadata_.has(key(name)); }
  std::string text_or(std::string_view name, std::string_view otherwise) const {
    return std::string(metadata_.find_string(key(name)).value_or(otherwise));
  }

 private:
  const gguf::Metadata& metadata_;
  std::string prefix_;
};

Architecture architecture_of(std::string_view name) {
  if (name == "llama") return Architecture::llama;
  if (name == "qwen2") return Architecture::qwen2;
  if (name == "qwen3") return Architecture::qwen3;
  if (name == "bert") return Architecture::bert;
  throw Error(ErrorCode::unsupported_format,
              "The model's architecture \"" + std::string(name.substr(0, 64)) + "\" is not supported: llama, qwen2, qwen3 and bert are.");
}

RopeConfig read_rope(const Keys& keys, const Config& config) {
  RopeConfig rope{};
  rope.base = keys.number_or("rope.freq_base", 1.001, 1e12, 10000);
  rope.rotated = keys.count_or("rope.dimension_count", most_head_size, config.head_size);
  if (rope.rotated % 2 != 0 || rope.rotated > config.head_size) {
    refuse("The model file's key \"" + keys.key("rope.dimension_count") + "\" is " + std::to_string(rope.rotated) + " with heads of " +
           std::to_string(config.head_size) + ".");
  }
  rope.adjacent = config.architecture == Architecture::llama;
  const double legacy = keys.number_or("rope.scale_linear", 1e-3, 1e6, 1);
  // Some converters write 0 for "no scaling", and the type came after the factor.
  const double factor = keys.number_or("rope.scaling.factor", 0, 1e6, 0);
  rope.factor = factor > 0 ? std::max(factor, 1e-3) : legacy;
  const std::string scaling = keys.text_or("rope.scaling.type", rope.factor != 1 ? "linear" : "none");
  if (scaling == "none") {
    rope.scaling = RopeScaling::none;
  } else if (scaling == "linear") {
    rope.scaling = RopeScaling::linear;
  } else if (scaling == "yarn") {
    rope.scaling = RopeScaling::yarn;
  } else {
    throw Error(ErrorCode::unsupported_format, "The model's rope scaling \"" + scaling.substr(0, 64) + "\" is not supported: none, linear and yarn are.");
  }
  rope.original_context = keys.count_or("rope.scaling.original_context_length", most_context, config.context);
  rope.attention_factor = keys.number_or("rope.scaling.attn_factor", 1e-3, 1e3, 1) * keys.number_or("rope.scaling.yarn_attn_factor", 1e-3, 1e3, 1);
  rope.beta_fast = keys.number_or("rope.scaling.yarn_beta_fast", 1e-3, 1e6, 32);
  rope.beta_slow = keys.number_or("rope.scaling.yarn_beta_slow", 1e-3, 1e6, 1);
  rope.extension = keys.number_or("rope.scaling.yarn_ext_factor", 0, 1, 1);
  return rope;
}

Pooling read_pooling(const Keys& keys) {
  const int number = static_cast<int>(keys.number_or("pooling_type", 0, 4, 0));
  switch (number) {
    case 1: return Pooling::mean;
    case 2: return Pooling::first;
    case 3: return Pooling::last;
    default: break;
  }
  throw Error(ErrorCode::unsupported_format, "The model's pooling_type " + std::to_string(number) + " gives no embedding: 1 (mean), 2 (first) and 3 (last) do.");
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
  if (config.architecture != Architecture::llama) return 0;
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

/// Keys that other members of a family use to change the arithmetic, with the values that change nothing.
struct Switch {
  std::string_view name;
  double neutral;
  double as_good;
};
constexpr Switch switches[] = {
    {"attention.scale", 0, 0},          {"attention.clamp_kqv", 0, 0},          {"attention.max_alibi_bias", 0, 0}, {"attention.temperature_scale", 0, 0},
    {"attn_logit_softcapping", 0, 0},   {"final_logit_softcapping", 0, 0},      {"logit_scale", 0, 1},              {"residual_scale", 0, 1},
    {"embedding_scale", 0, 1},          {"expert_shared_count", 0, 0},          {"expert_weights_scale", 0, 1},     {"expert_gating_func", 0, 1},
    {"leading_dense_block_count", 0, 0}, {"attention.sliding_window_pattern", 0, 1}, {"nextn_predict_layers", 0, 0},
};

void refuse_switches(const Keys& keys, const gguf::Metadata& metadata, const Config& config) {
  for (const Switch& entry : switches) {
    const std::string key = keys.key(entry.name);
    const std::optional<double> value = metadata.find_number(key);
    if (!value || *value == entry.neutral || *value == entry.as_good) continue;
    throw Error(ErrorCode::unsupported_format, "The model file's key \"" + key + "\" asks for arithmetic that is not supported.");
  }
  const bool causal = metadata.find_bool(keys.key("attention.causal")).value_or(!config.embeds());
  if (causal == config.embeds()) throw Error(ErrorCode::unsupported_format, "The model file's key \"" + keys.key("attention.causal") + "\" is unlike its architecture's, which is not supported.");
  if (!metadata.find_bool(keys.key("expert_weights_norm")).value_or(true)) {
    throw Error(ErrorCode::unsupported_format, "The model file's key \"" + keys.key("expert_weights_norm") + "\" is false, which is not supported.");
  }
}

void read_experts(const Keys& keys, const gguf::Metadata& metadata, Config& config) {
  config.experts = static_cast<int>(metadata.find_unsigned(keys.key("expert_count"), most_experts).value_or(0));
  if (config.experts == 0) return;
  if (config.architecture != Architecture::llama) {
    throw Error(ErrorCode::unsupported_format, "A mixture of experts is supported in the architecture llama only.");
  }
  config.experts_used = keys.count("expert_used_count", static_cast<std::uint64_t>(config.experts));
}

}  // namespace

Config read_config(const gguf::ModelFile& file) {
  const gguf::Metadata& metadata = file.metadata();
  const std::string_view name = metadata.get_string("general.architecture");
  Config config{};
  config.architecture = architecture_of(name);
  config.name = metadata.find_string("general.name").value_or("");
  const Keys keys(metadata, name);
  config.context = keys.count("context_length", most_context);
  config.embedding = keys.count("embedding_length", most_width);
  config.layers = keys.count("block_count", most_layers);
  config.feed_forward = keys.count("feed_forward_length", most_width);
  config.window = read_window(keys, metadata, config);
  read_heads(keys, config);
  read_experts(keys, metadata, config);
  refuse_switches(keys, metadata, config);
  read_vocabulary(file, config);
  const char* epsilon = config.embeds() ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon";
  if (!keys.has(epsilon)) refuse("The model file's key \"" + keys.key(epsilon) + "\" is missing.");
  config.epsilon = static_cast<float>(keys.number_or(epsilon, 0, 1, 0));
  if (config.embeds()) {
    config.pooling = read_pooling(keys);
  } else {
    config.rope = read_rope(keys, config);
  }
  return config;
}

std::vector<double> rope_frequencies(const RopeConfig& rope, const std::vector<float>& rope_factors) {
  const int pairs = rope.rotated / 2;
  // The pair whose angle makes `turns` turns over the original context.
  const auto pair_of = [&](double turns) {
    return rope.rotated * std::log(rope.original_context / (turns * 2 * M_PI)) / (2 * std::log(rope.base));
  };
  const double low = std::max(0.0, std::floor(pair_of(rope.beta_fast)));
  const double high = std::min(rope.rotated - 1.0, std::ceil(pair_of(rope.beta_slow)));
  std::vector<double> frequencies(static_cast<std::size_t>(pairs));
  for (int i = 0; i < pairs; i++) {
    const auto at = static_cast<std::size_t>(i);
    double frequency = std::pow(rope.base, -2.0 * i / rope.rotated);
    if (!rope_factors.empty()) frequency /= static_cast<double>(rope_factors[at]);
    if (rope.scaling == RopeScaling::linear) frequency /= rope.factor;
    if (rope.scaling == RopeScaling::yarn) {
      const double ramp = (1 - std::clamp((i - low) / std::max(0.001, high - low), 0.0, 1.0)) * rope.extension;
      frequency = frequency / rope.factor * (1 - ramp) + frequency * ramp;
    }
    frequencies[at] = frequency;
  }
  return frequencies;
}

double rope_magnitude(const RopeConfig& rope) {
  if (rope.scaling != RopeScaling::yarn) return rope.attention_factor;
  return rope.attention_factor * (1 + 0.1 * std::log(rope.factor) * (rope.extension > 0 ? 1 : 0));
}

}  // namespace lectern::llm
