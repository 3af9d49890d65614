// Models that are damaged on purpose: whatever a key or a tensor says, loading ends in a refusal or in a model that runs.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "cpu/backend.h"
#include "harness.h"
#include "llm/model.h"
#include "llm/tokenizer/tokenizer.h"
#include "made_model.h"
#include "opened_model.h"
#include "sanitized.h"

namespace lectern {
namespace {

using test::check;
using test::make_model;
using test::MadeModel;
using test::MadeShape;
using test::MadeTensor;
using test::MadeValue;

constexpr int rounds_per_model = test::sanitized ? 40 : 500;

std::vector<MadeModel> small_models() {
  MadeShape shape{.layers = 1, .embedding = 32, .heads = 2, .kv_heads = 1, .head_size = 16, .feed_forward = 32, .vocabulary = 20, .context = 8};
  std::vector<MadeModel> models;
  for (const char* architecture : {"llama", "qwen2", "qwen3", "bert", "gemma2", "gemma3", "smollm3", "granite", "mistral3", "phi3", "glm4", "nomic-bert", "jina-bert-v2", "jina-bert-v3", "modern-bert"}) {
    shape.architecture = architecture;
    shape.dtype = models.size() % 2 == 0 ? DType::f32 : DType::q8_0;
    models.push_back(make_model(shape));
  }
  shape.architecture = "qwen3";
  models.push_back(make_model(shape));
  models.back().keys["qwen3.pooling_type"] = 3U;
  shape.architecture = "bert";
  models.push_back(make_model(shape));
  models.back().keys["bert.pooling_type"] = 4U;
  for (const auto& [name, rows] : {std::pair("cls.weight", 32), std::pair("cls.output.weight", 1)}) models.back().tensors[name] = {{32, rows}, DType::f32, std::vector<std::byte>(static_cast<std::size_t>(rows) * 128)};
  for (const char* architecture : {"llama", "qwen3moe", "granitemoe", "gpt-oss"}) {
    shape.architecture = architecture;
    shape.experts = 3;
    shape.shared_feed_forward = shape.architecture == "granitemoe" ? 64 : 0;
    if (shape.architecture == "gpt-oss") shape.dtype = DType::mxfp4;
    models.push_back(make_model(shape));
  }
  const char* const tokenizers[] = {"gpt2", "llama", "bert", "t5", "gpt2"};
  for (std::size_t i = 0; i < models.size(); i++) {
    std::vector<std::string> tokens;
    for (int t = 0; t < 20; t++) tokens.push_back(std::string(1, static_cast<char>('a' + t)));
    auto& keys = models[i].keys;
    keys["tokenizer.ggml.model"] = std::string(tokenizers[i % std::size(tokenizers)]);
    keys["tokenizer.ggml.tokens"] = tokens;
    keys["tokenizer.ggml.merges"] = std::vector<std::string>{"a b", "c d"};
    for (const char* role : {"bos", "eos", "unknown", "padding", "seperator", "cls"}) keys["tokenizer.ggml." + std::string(role) + "_token_id"] = 1U;
    keys["tokenizer.ggml.add_bos_token"] = true;
    for (const char* name : {"rope.scaling.type", "rope.scaling.factor", "rope.freq_base", "rope.dimension_count", "attention.sliding_window"}) {
      const std::string key = std::get<std::string>(keys["general.architecture"]) + "." + name;
      if (key.ends_with("type")) keys[key] = std::string("yarn");
      if (key.ends_with("factor")) keys[key] = 4.0F;
      if (key.ends_with("base")) keys[key] = 10000.0F;
      if (key.ends_with("count")) keys[key] = 16U;
      if (key.ends_with("window")) keys[key] = 4U;
    }
  }
  return models;
}

MadeValue hostile_value(std::mt19937& random) {
  constexpr std::uint32_t counts[] = {0, 1, 2, 3, 5, 7, 31, 255, 65535, 1U << 20, 1U << 24, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
  const float numbers[] = {0.0F, -1.0F, 1e-30F, 1e30F, 3.4e38F, 0.5F, std::nanf(""), std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
  switch (random() % 11) {
    case 0: return numbers[random() % std::size(numbers)];
    case 1: return random() % 2 == 0;
    case 2: return std::string(random() % 3, '\xFF');
    case 3: return std::vector<std::string>(random() % 40, std::string(random() % 3, 'a'));
    case 4: return std::string("yarn");
    case 5: return std::vector<bool>(random() % 4, random() % 2 == 0);
    default: return counts[random() % std::size(counts)];
  }
}

template <class Map>
auto& any_of(Map& map, std::mt19937& random) {
  return *std::next(map.begin(), static_cast<std::ptrdiff_t>(random() % map.size()));
}

/// Gives the tensor bytes for whatever it says now, as far as that is little.
void resize(MadeTensor& tensor) {
  std::int64_t elements = 1;
  for (const std::int64_t dim : tensor.dims) elements = dim > 0 && dim < 100000 && elements < 100000 ? elements * dim : 0;
  tensor.bytes.resize(row_bytes(tensor.dtype, elements));
}

void damage(MadeModel& model, std::mt19937& random) {
  auto& [name, tensor] = any_of(model.tensors, random);
  switch (random() % 8) {
    case 0: tensor.dims[random() % tensor.dims.size()] += static_cast<int>(random() % 5) - 2; return resize(tensor);
    case 1: tensor.dims[random() % tensor.dims.size()] = std::int64_t{1} << (random() % 62); return;
    case 2: tensor.dtype = dtype_table[random() % dtype_table.size()].dtype; return resize(tensor);
    case 3: tensor.dims.push_back(1 + static_cast<int>(random() % 3)); return resize(tensor);
    case 4: tensor.bytes.assign(tensor.bytes.size(), std::byte{0xFF}); return;
    case 5: if (model.tensors.size() > 1) model.tensors.erase(name); return;
    default: break;
  }
  auto& [key, value] = any_of(model.keys, random);
  value = hostile_value(random);
  if (random() % 8 == 0 && model.keys.size() > 1) model.keys.erase(key);
}

/// As the service does it: what it would take, then the tokenizer, then the model and a pass. Whether it got to the end.
bool use(const std::filesystem::path& path, Backend& backend) {
  constexpr std::size_t little = std::size_t{64} << 20;
  llm::ModelOptions options;
  options.rows = 4;
  options.threads = 1;
  const gguf::ModelFile file(path);
  const llm::MemoryNeed need = llm::memory_need(file, backend, options);
  const llm::Tokenizer tokenizer(file.metadata());
  const std::vector<llm::TokenId> ids = tokenizer.encode("abba cd", {true, true});
  (void)tokenizer.decode(ids);
  if (need.weights + need.kv + need.work > little) return false;
  llm::Model model(path, backend, options);
  const std::int32_t token = ids.empty() ? 0 : ids.front();
  if (model.config().embeds()) {
    (void)model.forward().embed(&token, 1, Cancel{});
  } else {
    const llm::BatchToken step{token, 0, 0, true};
    (void)model.forward().decode(&step, 1);
  }
  return true;
}

LECTERN_TEST("hostile: whatever keys and tensors say, a model is refused with a reason or runs") {
  const std::vector<MadeModel> models = small_models();
  const std::unique_ptr<Backend> backend = cpu::make_backend();
  const auto path = test::scratch_file("hostile.gguf");
  std::mt19937 random(3);
  std::map<ErrorCode, int> refusals;
  int ran = 0;
  const int rounds = rounds_per_model * static_cast<int>(models.size());
  for (int round = 0; round < rounds; round++) {
    MadeModel model = models[static_cast<std::size_t>(round) % models.size()];
    const int whole = static_cast<int>(models.size());
    for (unsigned i = round < whole ? 0 : 1 + random() % 2; i > 0; i--) damage(model, random);
    model.write(path);
    try {
      ran += use(path, *backend) ? 1 : 0;
    } catch (const Error& error) {
      refusals[error.code()]++;
      check(error.what()[0] != '\0', "a sentence");
    }
    if (round == whole - 1) check(ran == whole, "undamaged they run: " + std::to_string(ran) + " of " + std::to_string(whole));
  }
  int others = 0;
  for (const auto& [code, count] : refusals) {
    const bool fair = code == ErrorCode::invalid_model || code == ErrorCode::unsupported_format || code == ErrorCode::invalid_request;
    others += fair ? 0 : count;
  }
  check(others == 0, std::to_string(others) + " refusals with another code");
  test::note(std::to_string(ran) + " of " + std::to_string(rounds) + " ran; " + std::to_string(refusals[ErrorCode::invalid_model]) + " were invalid, " +
             std::to_string(refusals[ErrorCode::unsupported_format]) + " unsupported");
  check(ran > rounds / 20 && refusals[ErrorCode::invalid_model] > rounds / 10 && refusals[ErrorCode::unsupported_format] > rounds / 300, "some of each");
}

LECTERN_TEST("hostile: a key that cannot be is refused by its name, before anything is sized by it") {
  const float not_a_number = std::nanf("");
  const float infinite = std::numeric_limits<float>::infinity();
  const std::vector<std::pair<std::string, MadeValue>> cases = {
      {"context_length", 0U}, {"context_length", 0x80000000U}, {"embedding_length", 0xFFFFFFFFU}, {"block_count", 0x7FFFFFFFU}, {"feed_forward_length", 0U},
      {"feed_forward_length", 0x80000000U}, {"attention.head_count", 0x10000U}, {"attention.head_count_kv", 0U}, {"attention.key_length", 0x80000000U},
      {"attention.layer_norm_rms_epsilon", not_a_number}, {"attention.layer_norm_rms_epsilon", -1.0F}, {"attention.layer_norm_rms_epsilon", std::string("small")},
      {"rope.freq_base", not_a_number}, {"rope.freq_base", infinite}, {"rope.freq_base", 0.0F}, {"rope.freq_base", -10000.0F}, {"rope.scaling.factor", not_a_number},
      {"rope.scaling.factor", infinite}, {"rope.scaling.attn_factor", not_a_number}, {"rope.scaling.yarn_beta_fast", -1.0F}, {"rope.dimension_count", 7U},
      {"rope.scaling.original_context_length", 0U}, {"expert_count", 0x80000000U}, {"attention.sliding_window", not_a_number}};
  for (const auto& [key, value] : cases) {
    MadeModel model = make_model({});
    model.keys["llama." + key] = value;
    test::check_refused(ErrorCode::invalid_model, "llama." + key, model, key);
  }
}

LECTERN_TEST("hostile: more keys and values than there is memory for are refused before they are taken") {
  MadeModel model = make_model({});
  model.keys["llama.context_length"] = 1U << 24;
  llm::ModelOptions options;
  options.slots = 256;
  test::check_refused(ErrorCode::out_of_memory, "256 slots", model, "two tebibytes", options);
}

/// The first value, or the scale of the first block, as NaN.
void poison(MadeTensor& tensor) {
  const std::uint32_t single = 0x7FC00000;
  const std::uint16_t half = tensor.dtype == DType::bf16 ? 0x7FC0 : 0x7E00;
  if (tensor.dtype == DType::f32) {
    std::memcpy(tensor.bytes.data(), &single, sizeof single);
  } else {
    std::memcpy(tensor.bytes.data(), &half, sizeof half);
  }
}

LECTERN_TEST("hostile: one weight that is no number reaches the result, wherever it stands") {
  std::vector<std::int32_t> tokens;
  for (std::int32_t i = 0; i < 96; i++) tokens.push_back(i);
  for (const char* architecture : {"llama", "bert"}) {
    for (const DType dtype : {DType::f32, DType::f16, DType::q8_0, DType::q4_k}) {
      const MadeModel good = make_model({.architecture = architecture, .dtype = dtype, .layers = 1, .kv_heads = 4});
      for (const auto& [name, tensor] : good.tensors) {
        if (tensor.dims.size() == 1 || name == "token_types.weight") continue;
        MadeModel bad = good;
        poison(bad.tensors[name]);
        const std::string what = std::string(architecture) + " " + std::string(info_of(dtype).name) + " " + name;
        const test::OpenedModel opened = test::open_model(bad);
        if (opened.model->config().embeds()) {
          test::check_throws(ErrorCode::invalid_model, [&] { opened.model->forward().embed(tokens.data(), 96, Cancel{}); }, what);
        } else {
          const test::Row logits = test::feed(*opened.model, tokens, 96);
          check(!std::all_of(logits.begin(), logits.end(), [](float value) { return std::isfinite(value); }), what);
        }
      }
    }
  }
}

}  // namespace
}  // namespace lectern
