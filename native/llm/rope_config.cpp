#include "llm/rope_config.h"

#include <algorithm>
#include <cmath>

namespace lectern::llm {
namespace {

/// Every fourth layer of SmolLM3 has no rotation (no_rope_layers of its configuration); files do not say so.
constexpr int smollm3_rope_period = 4;

RopeScaling scaling_of(const std::string& name) {
  // Of longrope the tensors rope_factors_long and rope_factors_short are all that matters.
  if (name == "none" || name == "longrope") return RopeScaling::none;
  if (name == "linear") return RopeScaling::linear;
  if (name == "yarn") return RopeScaling::yarn;
  throw Error(ErrorCode::unsupported_format, "The model's rope scaling \"" + name.substr(0, 64) + "\" is not supported: none, linear, yarn and longrope are.");
}

/// Of Ollama's converter: yarn's magnitude is the quotient of those of two multipliers.
void read_magnitudes(const Keys& keys, RopeConfig& rope) {
  const double above = keys.number_or("rope.scaling.mscale", 0, 1e3, 0);
  const double below = keys.number_or("rope.scaling.mscale_all_dim", 0, 1e3, 0);
  if (rope.scaling != RopeScaling::yarn || above <= 0 || below <= 0) return;
  const double turns = std::log(std::max(rope.factor, 1.0));
  rope.attention_factor *= (1 + 0.1 * above * turns) / (1 + 0.1 * below * turns);
  rope.yarn_magnitude = 0;
}

RopeConfig read_rope(const Keys& keys, const Config& config) {
  RopeConfig rope{};
  // Ollama's converter has names of its own for the two bases of Gemma 3.
  const double ollama_base = config.architecture == Architecture::gemma3 ? keys.number_or("rope.global.freq_base", 1.001, 1e12, 10000) : 10000;
  rope.base = keys.number_or("rope.freq_base", 1.001, 1e12, ollama_base);
  rope.rotated = keys.count_or("rope.dimension_count", most_head_size, config.head_size);
  if (rope.rotated % 2 != 0 || rope.rotated > config.head_size) {
    refuse("The model file's key \"" + keys.key("rope.dimension_count") + "\" is " + std::to_string(rope.rotated) + " with heads of " +
           std::to_string(config.head_size) + ".");
  }
  rope.adjacent = config.traits().adjacent;
  // Ollama's rope.freq_scale is the inverse of a factor.
  const double legacy = keys.number_or("rope.scale_linear", 1e-3, 1e6, 1 / keys.positive_or("rope.freq_scale", 1e3, 1));
  // Some converters write 0 for "no scaling", and the type came after the factor.
  const double factor = keys.number_or("rope.scaling.factor", 0, 1e6, 0);
  rope.factor = factor > 0 ? std::max(factor, 1e-3) : legacy;
  rope.scaling = scaling_of(keys.text_or("rope.scaling.type", rope.factor == 1 ? "none" : config.of_ollama ? "yarn" : "linear"));
  rope.original_context = keys.count_or("rope.scaling.original_context_length", most_context, config.context);
  rope.attention_factor = keys.number_or("rope.scaling.attn_factor", 1e-3, 1e3, 1) * keys.number_or("rope.scaling.yarn_attn_factor", 1e-3, 1e3, 1);
  // The second name of each is that of Ollama's converter.
  rope.beta_fast = keys.number_or("rope.scaling.yarn_beta_fast", 1e-3, 1e6, keys.number_or("rope.scaling.beta_fast", 1e-3, 1e6, 32));
  rope.beta_slow = keys.number_or("rope.scaling.yarn_beta_slow", 1e-3, 1e6, keys.number_or("rope.scaling.beta_slow", 1e-3, 1e6, 1));
  rope.extension = keys.number_or("rope.scaling.yarn_ext_factor", 0, 1, keys.number_or("rope.scaling.extrapolation_factor", 0, 1, 1));
  // Mistral 3 divides yarn's magnitude by itself (mscale and mscale_all_dim are equal).
  rope.yarn_magnitude = config.architecture == Architecture::mistral3 ? 0 : 0.1;
  read_magnitudes(keys, rope);
  return rope;
}

/// Queries are multiplied by 1 / sqrt(head_size) everywhere; another factor is split between rotated queries and keys.
void scale_attention(const Keys& keys, double scale, const Config& config, RopeConfig& rope) {
  if (scale <= 0) return;
  if (rope.rotated != config.head_size) {
    throw Error(ErrorCode::unsupported_format, "The model file's key \"" + keys.key("attention.scale") + "\" is supported for heads that are rotated as a whole only.");
  }
  rope.attention_factor *= std::sqrt(scale * std::sqrt(static_cast<double>(config.head_size)));
}

/// What query_pre_attn_scalar says of Gemma's 27B models: the width of a head if the heads filled the embedding. Files do not say so.
double gemma_attention_scale(const Config& config) {
  const bool is_27b = (config.architecture == Architecture::gemma2 && config.layers == 46) || (config.architecture == Architecture::gemma3 && config.layers == 62);
  return is_27b ? 1 / std::sqrt(static_cast<double>(config.embedding) / config.heads) : 0;
}

/// Local layers have a base of their own: in Gemma 3 and ModernBERT always, and without the scaling; elsewhere where the file says so.
void read_local_rope(const Keys& keys, Config& config) {
  const bool always = config.architecture == Architecture::gemma3 || config.architecture == Architecture::modern_bert;
  if (config.locals.empty() || (!always && !keys.has("rope.freq_base_swa"))) return;
  config.second_ropes = config.locals;
  config.second_rope = config.rope;
  config.second_rope.base = keys.number_or("rope.freq_base_swa", 1.001, 1e12, keys.number_or("rope.local.freq_base", 1.001, 1e12, 10000));
  if (!always) return;
  config.second_rope.scaling = RopeScaling::none;
  config.second_rope.factor = 1;
}

}  // namespace

void read_ropes(const Keys& keys, Config& config) {
  if (config.architecture == Architecture::bert || config.architecture == Architecture::jina_bert_v2) return;
  config.rope = read_rope(keys, config);
  if (config.architecture == Architecture::granite || config.architecture == Architecture::granitemoe) {
    scale_attention(keys, keys.number_or("attention.scale", 0, 1e3, 0), config, config.rope);
    if (!keys.metadata().find_bool(keys.key("rope.scaling.finetuned")).value_or(true)) {
      throw Error(ErrorCode::unsupported_format, "The model file's key \"" + keys.key("rope.scaling.finetuned") + "\" is false: Granite models without rotation are not supported.");
    }
  }
  scale_attention(keys, gemma_attention_scale(config), config, config.rope);
  if (config.architecture == Architecture::smollm3) {
    std::vector<bool> members(static_cast<std::size_t>(config.layers));
    for (int l = 0; l < config.layers; l++) members[static_cast<std::size_t>(l)] = l % smollm3_rope_period == smollm3_rope_period - 1;
    config.second_ropes = LayerSet(std::move(members));
    config.second_rope = config.rope;
    config.second_rope.rotated = 0;
  }
  read_local_rope(keys, config);
  if (config.architecture == Architecture::mistral3 && keys.number_or("attention.temperature_scale", 0, 1e3, 0) > 0) {
    // Queries beyond the original context would be multiplied by a factor that rises with the position, which is not here.
    config.context = std::min(config.context, static_cast<int>(config.rope.original_context));
  }
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
  return rope.attention_factor * (1 + rope.yarn_magnitude * std::log(rope.factor) * (rope.extension > 0 ? 1 : 0));
}

}  // namespace lectern::llm
