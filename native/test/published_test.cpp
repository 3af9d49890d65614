// What published files say of themselves, key by key, and what is read out of it; no weights but a thin token table.
#include <cmath>
#include <string>
#include <vector>

#include "error.h"
#include "gguf/model_file.h"
#include "harness.h"
#include "llm/config.h"
#include "made_model.h"

namespace lectern {
namespace {

using llm::Architecture;
using llm::Config;
using llm::RopeScaling;
using test::check;
using test::check_near;
using test::MadeModel;
using test::MadeValue;

using Keys = std::map<std::string, MadeValue>;

/// A file of one architecture: its keys, and `rows` tokens.
MadeModel published(const std::string& architecture, const Keys& keys, int rows) {
  MadeModel file;
  file.keys = {{"general.architecture", architecture},        {"general.type", std::string("model")}, {"general.file_type", 15U},
               {"general.quantization_version", 2U},          {"general.size_label", std::string("70B")},
               {"general.tags", std::vector<std::string>{"a"}}, {"tokenizer.ggml.model", std::string("gpt2")}};
  for (const auto& [key, value] : keys) file.keys[architecture + "." + key] = value;
  file.tensors["token_embd.weight"] = {{1, rows}, DType::f16, std::vector<std::byte>(static_cast<std::size_t>(rows) * 2)};
  return file;
}

Config read(const MadeModel& file) {
  const auto path = test::scratch_file("published.gguf");
  file.write(path);
  return llm::read_config(gguf::ModelFile(path));
}

Keys decoder(std::uint32_t context, std::uint32_t embedding, std::uint32_t layers, std::uint32_t feed_forward, std::uint32_t heads, std::uint32_t kv_heads, float base) {
  return {{"context_length", context},          {"embedding_length", embedding}, {"block_count", layers},          {"feed_forward_length", feed_forward},
          {"attention.head_count", heads},      {"attention.head_count_kv", kv_heads}, {"rope.freq_base", base}, {"attention.layer_norm_rms_epsilon", 1e-5F}};
}

void check_shape(const Config& config, Architecture architecture, int heads, int kv_heads, int head_size, int feed_forward, const std::string& name) {
  check(config.architecture == architecture, name + ": architecture");
  check(config.heads == heads && config.kv_heads == kv_heads && config.head_size == head_size, name + ": heads");
  check(config.feed_forward == feed_forward, name + ": feed forward");
  check(config.window == 0, name + ": no window");
  if (config.embeds()) return;
  check(config.rope.rotated == head_size && config.rope.scaling == RopeScaling::none && config.rope.adjacent == (architecture == Architecture::llama), name + ": rotation");
}

LECTERN_TEST("published: the llama family") {
  // Llama 2 70B as Meditron has it: no base, sometimes with the size of the vocabulary and the layout of the tensors.
  Keys keys = decoder(4096, 8192, 80, 28672, 64, 8, 10000);
  keys.erase("rope.freq_base");
  keys["rope.dimension_count"] = 128U;
  keys["tensor_data_layout"] = std::string("Meta AI original pth");
  Config config = read(published("llama", keys, 32017));
  check_shape(config, Architecture::llama, 64, 8, 128, 28672, "Llama 2 70B");
  check(config.layers == 80 && config.context == 4096 && config.vocabulary == 32017, "Llama 2 70B: sizes");
  check_near(config.rope.base, 10000, 0, "Llama 2 70B: base");

  keys = decoder(8192, 8192, 80, 28672, 64, 8, 500000);
  keys["rope.dimension_count"] = 128U;
  keys["vocab_size"] = 128256U;
  config = read(published("llama", keys, 128256));
  check_shape(config, Architecture::llama, 64, 8, 128, 28672, "Llama 3 70B, OpenBioLLM");
  check_near(config.rope.base, 500000, 0, "Llama 3 70B: base");

  keys["context_length"] = 131072U;
  keys["attention.key_length"] = 128U;
  keys["attention.value_length"] = 128U;
  check(read(published("llama", keys, 128256)).context == 131072, "Llama 3.1 and 3.3: context");

  keys = decoder(32768, 4096, 32, 14336, 32, 8, 10000);
  check_shape(read(published("llama", keys, 32000)), Architecture::llama, 32, 8, 128, 14336, "Mistral 7B");

  keys = decoder(32768, 4096, 32, 14336, 32, 8, 1e6F);
  keys["expert_count"] = 8U;
  keys["expert_used_count"] = 2U;
  config = read(published("llama", keys, 32000));
  check_shape(config, Architecture::llama, 32, 8, 128, 14336, "Mixtral 8x7B");
  check(config.experts == 8 && config.experts_used == 2, "Mixtral 8x7B: experts");
}

LECTERN_TEST("published: the qwen family") {
  Keys keys = decoder(32768, 8192, 80, 29568, 64, 8, 1e6F);
  keys["attention.layer_norm_rms_epsilon"] = 1e-6F;
  Config config = read(published("qwen2", keys, 152064));
  check_shape(config, Architecture::qwen2, 64, 8, 128, 29568, "Qwen2.5 72B");
  check_near(static_cast<double>(config.epsilon), 1e-6, 1e-12, "Qwen2.5 72B: epsilon");
  // A window that the model's own configuration leaves off.
  keys["attention.sliding_window"] = 4096U;
  check(read(published("qwen2", keys, 152064)).window == 0, "Qwen2.5: no window");

  check_shape(read(published("qwen2", decoder(32768, 896, 24, 4864, 14, 2, 1e6F), 151936)), Architecture::qwen2, 14, 2, 64, 4864, "Qwen2.5 0.5B");

  keys = decoder(40960, 5120, 64, 25600, 64, 8, 1e6F);
  keys["attention.key_length"] = 128U;
  keys["attention.value_length"] = 128U;
  check_shape(read(published("qwen3", keys, 151936)), Architecture::qwen3, 64, 8, 128, 25600, "Qwen3 32B");
}

LECTERN_TEST("published: bge-m3 and what else is a bert") {
  Keys keys = {{"context_length", 8192U},      {"embedding_length", 1024U},                {"block_count", 24U},         {"feed_forward_length", 4096U},
               {"attention.head_count", 16U},  {"attention.layer_norm_epsilon", 1e-5F},    {"attention.causal", false},  {"pooling_type", 2U}};
  Config config = read(published("bert", keys, 250002));
  check_shape(config, Architecture::bert, 16, 16, 64, 4096, "bge-m3");
  check(config.pooling == Pooling::first && config.context == 8192, "bge-m3: pooling and context");
  keys["pooling_type"] = 1U;
  check(read(published("bert", keys, 30522)).pooling == Pooling::mean, "mean pooling");
}

void check_rope(const Keys& more, RopeScaling scaling, double factor, const std::string& name) {
  Keys keys = decoder(32768, 1024, 2, 2048, 8, 8, 1e6F);
  keys.insert(more.begin(), more.end());
  const Config config = read(published("llama", keys, 100));
  check(config.rope.scaling == scaling, name + ": kind");
  check_near(config.rope.factor, factor, 1e-6, name + ": factor");
}

LECTERN_TEST("published: scaled rotations under every name they had") {
  check_rope({{"rope.scaling.type", std::string("none")}}, RopeScaling::none, 1, "none");
  check_rope({{"rope.scaling.type", std::string("linear")}, {"rope.scaling.factor", 2.0F}}, RopeScaling::linear, 2, "linear");
  check_rope({{"rope.scaling.factor", 4.0F}}, RopeScaling::linear, 4, "a factor without a type");
  check_rope({{"rope.scale_linear", 4.0F}}, RopeScaling::linear, 4, "the first files' name");
  check_rope({{"rope.scaling.type", std::string("linear")}, {"rope.scaling.factor", 0.0F}}, RopeScaling::linear, 1, "a factor of 0");
  check_rope({{"rope.scaling.type", std::string("yarn")}, {"rope.scaling.factor", 4.0F}, {"rope.scaling.original_context_length", 32768U}}, RopeScaling::yarn, 4, "Qwen2.5 beyond 32k");
}

LECTERN_TEST("published: Ollama's names of yarn's parameters and of a factor") {
  const auto rope = [](const Keys& more) {
    Keys keys = decoder(32768, 1024, 2, 2048, 8, 8, 1e6F);
    keys.insert(more.begin(), more.end());
    return read(published("llama", keys, 100)).rope;
  };
  const Keys yarn = {{"rope.scaling.type", std::string("yarn")}, {"rope.scaling.factor", 8.0F}, {"rope.scaling.original_context_length", 4096U}};
  Keys ollama = yarn;
  ollama.insert({{"rope.scaling.beta_fast", 64.0F}, {"rope.scaling.beta_slow", 2.0F}, {"rope.scaling.extrapolation_factor", 0.5F}});
  check(rope(ollama).beta_fast == 64 && rope(ollama).beta_slow == 2 && rope(ollama).extension == 0.5, "Ollama's");
  ollama.insert({{"rope.scaling.yarn_beta_fast", 16.0F}, {"rope.scaling.yarn_beta_slow", 3.0F}, {"rope.scaling.yarn_ext_factor", 1.0F}});
  check(rope(ollama).beta_fast == 16 && rope(ollama).beta_slow == 3 && rope(ollama).extension == 1, "llama.cpp's come first");
  check(rope(yarn).beta_fast == 32 && rope(yarn).beta_slow == 1 && rope(yarn).extension == 1, "none");
  Keys scaled = yarn;
  scaled.insert({{"rope.scaling.mscale", 1.0F}, {"rope.scaling.mscale_all_dim", 1.0F}});
  check_near(llm::rope_magnitude(rope(scaled)), 1, 1e-6, "equal multipliers cancel");
  check_near(llm::rope_magnitude(rope(yarn)), 1 + 0.1 * std::log(8.0), 1e-6, "yarn's own magnitude");
  check_rope({{"rope.freq_scale", 0.25F}}, RopeScaling::linear, 4, "the inverse of a factor");
  check_rope({{"rope.freq_scale", 1.0F}}, RopeScaling::none, 1, "none");
}

LECTERN_TEST("published: a declared window is honoured where it hides something") {
  Keys keys = decoder(32768, 4096, 32, 14336, 32, 8, 10000);
  const auto window = [&](MadeValue value) {
    keys["attention.sliding_window"] = std::move(value);
    return read(published("llama", keys, 100)).window;
  };
  check(window(4096U) == 4096, "4096 of 32768");
  check(window(0U) == 0 && window(32768U) == 0 && window(4294967295U) == 0, "none, and no less than the context");
  test::check_throws(ErrorCode::invalid_model, [&] { window(-1.0F); }, "no count");
}

void refused(const std::string& architecture, const Keys& keys, ErrorCode code, const std::string& part) {
  try {
    read(published(architecture, keys, 100));
  } catch (const Error& error) {
    check(error.code() == code && std::string(error.what()).find(part) != std::string::npos, part + ": " + error.what());
    return;
  }
  check(false, part + ": was not refused");
}

LECTERN_TEST("published: relatives are refused by what they need") {
  const Keys good = decoder(4096, 1024, 2, 2048, 8, 8, 10000);
  for (const char* name : {"nomic-bert-moe", "neo-bert", "eurobert", "gemma-embedding", "phi2", "gemma", "gemma3n", "llama4", "qwen2moe", "granitehybrid", "glm4moe", "deepseek2", "clip"}) {
    refused(name, good, ErrorCode::unsupported_format, name);
  }
  const std::vector<std::pair<std::string, MadeValue>> needs = {
      {"attention.scale", 0.0156F},   {"attention.clamp_kqv", 8.0F},       {"attention.max_alibi_bias", 8.0F}, {"attn_logit_softcapping", 50.0F},
      {"logit_scale", 0.5F},          {"residual_scale", 0.22F},           {"embedding_scale", 12.0F},         {"expert_shared_count", 1U},
      {"expert_gating_func", 2U},     {"leading_dense_block_count", 1U},   {"attention.causal", false},        {"expert_weights_norm", false},
      {"expert_weights_scale", 2.5F}, {"attention.temperature_scale", 0.1F}, {"final_logit_softcapping", 30.0F},
      {"nextn_predict_layers", 1U}};
  for (const auto& [key, value] : needs) {
    Keys keys = good;
    keys[key] = value;
    refused("llama", keys, ErrorCode::unsupported_format, key);
  }
  Keys patterned = good;
  patterned["attention.sliding_window"] = 1024U;
  for (const MadeValue& pattern : {MadeValue(6U), MadeValue(std::vector<bool>{true, false})}) {
    patterned["attention.sliding_window_pattern"] = pattern;
    refused("llama", patterned, ErrorCode::unsupported_format, "attention.sliding_window_pattern");
  }
  patterned["attention.sliding_window_pattern"] = std::vector<bool>{false, false};
  check(read(published("llama", patterned, 100)).window == 1024, "a pattern without members");
  Keys neutral = good;
  for (const char* key : {"logit_scale", "residual_scale", "embedding_scale", "expert_weights_scale"}) neutral[key] = 1.0F;
  for (const char* key : {"attention.scale", "attn_logit_softcapping", "attention.clamp_kqv"}) neutral[key] = 0.0F;
  neutral["attention.causal"] = true;
  neutral["expert_gating_func"] = 1U;
  neutral["use_parallel_residual"] = false;
  check(read(published("llama", neutral, 100)).layers == 2, "values that change nothing");
  Keys rank = {{"context_length", 512U}, {"embedding_length", 64U}, {"block_count", 1U}, {"feed_forward_length", 64U}, {"attention.head_count", 4U}, {"attention.layer_norm_epsilon", 1e-5F}};
  refused("bert", rank, ErrorCode::unsupported_format, "pooling_type 0");
  rank["pooling_type"] = 4U;
  check(read(published("bert", rank, 100)).kind == llm::ModelKind::rerank, "a classifier of pairs");
  rank["pooling_type"] = 2U;
  rank["attention.causal"] = true;
  refused("bert", rank, ErrorCode::unsupported_format, "attention.causal");
}

}  // namespace
}  // namespace lectern
