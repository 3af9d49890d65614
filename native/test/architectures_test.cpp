// Every architecture against its definition in double precision, on the CPU and on emulated CUDA kernels; embedding and rerank models the same.
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "cpu/backend.h"
#include "cuda/emulation/backend.h"
#include "cuda_places.h"
#include "error.h"
#include "harness.h"
#include "made_model.h"
#include "opened_model.h"
#include "reference_model.h"
#include "sanitized.h"

namespace lectern {
namespace {

using test::check;
using test::MadeModel;
using test::MadeShape;
using test::OpenedModel;
using test::Row;

/// Seven layers, so that Gemma 3's pattern of six comes round; 40 tokens, so that windows of 12 hide something.
MadeShape shape_of(const char* architecture, DType dtype = DType::f32) {
  MadeShape shape{.architecture = architecture, .dtype = dtype, .layers = 7, .embedding = 64, .heads = 4, .kv_heads = 2, .head_size = 32, .feed_forward = 96, .vocabulary = 60, .context = 192};
  // Heads of Gemma and of Mistral 3 are no part of the width.
  if (std::strncmp(architecture, "gemma", 5) == 0) shape.tied = true;
  else if (std::strcmp(architecture, "mistral3") != 0) shape.head_size = 16;
  for (const char* name : {"qwen3moe", "granitemoe", "gpt-oss"}) {
    if (std::strcmp(architecture, name) == 0) shape.experts = 5;
  }
  return shape;
}

double distance(const Row& got, const std::vector<double>& exact) {
  double error = 0;
  double size = 0;
  for (std::size_t i = 0; i < exact.size(); i++) {
    error += std::pow(static_cast<double>(got[i]) - exact[i], 2);
    size += exact[i] * exact[i];
  }
  return std::sqrt(error / size);
}

constexpr const char* decoders[] = {"llama", "mistral3", "smollm3", "granite", "granitemoe", "qwen2", "qwen3", "qwen3moe", "phi3", "glm4", "gemma2", "gemma3", "gpt-oss"};

/// The prompt in passes, then its last four tokens as decode rows.
Row logits_of(llm::Model& model, const std::vector<std::int32_t>& tokens) {
  const auto prompt = static_cast<int>(tokens.size()) - 4;
  (void)test::feed(model, {tokens.begin(), tokens.begin() + prompt}, 13);
  Row last;
  for (int i = prompt; i < static_cast<int>(tokens.size()); i++) {
    const llm::BatchToken step{tokens[static_cast<std::size_t>(i)], 0, i, true, true};
    const float* logits = model.forward().decode(&step, 1);
    last.assign(logits, logits + model.config().vocabulary);
  }
  return last;
}

void check_decoder(const MadeModel& made, std::unique_ptr<Backend> backend, double most, bool long_context, const std::string& name) {
  const std::vector<std::int32_t> tokens = test::some_tokens(40, 60);
  llm::ModelOptions options;
  options.kv = DType::f32;
  options.threads = 2;
  options.context = long_context ? 0 : 96;
  const OpenedModel opened = test::open_model_on(std::move(backend), made, options);
  const double found = distance(logits_of(*opened.model, tokens), test::reference_logits(made, tokens, long_context));
  check(found < most, name + ": distance " + std::to_string(found));
}

/// Granite with a feed-forward layer beside its experts, longer than one of them.
MadeShape shared_shape(DType dtype = DType::f32) {
  MadeShape shape = shape_of("granitemoe", dtype);
  shape.shared_feed_forward = 160;
  return shape;
}

/// With 8-bit activations the choice of experts may fall otherwise where two are nearly equal; so all are used.
MadeModel every_expert(MadeModel made) {
  made.keys[std::get<std::string>(made.keys["general.architecture"]) + ".expert_used_count"] = 5U;
  return made;
}

LECTERN_TEST("architectures: decoders compute what their definitions say") {
  for (const char* name : decoders) {
    const MadeModel made = test::make_model(shape_of(name));
    check_decoder(made, cpu::make_backend(cpu::Arithmetic::plain), 1e-5, false, std::string(name) + ", plain");
    check_decoder(made, cpu::make_backend(), 1e-4, false, name);
  }
  check_decoder(test::make_model(shared_shape()), cpu::make_backend(cpu::Arithmetic::plain), 1e-5, false, "granitemoe with a shared layer, plain");
  check_decoder(test::make_model(shared_shape()), cpu::make_backend(), 1e-4, false, "granitemoe with a shared layer");
  check_decoder(every_expert(test::make_model(shared_shape(DType::q8_0))), cpu::make_backend(), 6e-2, false, "granitemoe with a shared layer Q8_0");
  check_decoder(test::make_model(shape_of("phi3")), cpu::make_backend(), 1e-4, true, "phi3 beyond its original context");
  MadeShape quantised = shape_of("gemma3", DType::q8_0);
  check_decoder(test::make_model(quantised), cpu::make_backend(), 4e-2, false, "gemma3 Q8_0");
  check_decoder(test::make_model(shape_of("gpt-oss", DType::mxfp4)), cpu::make_backend(cpu::Arithmetic::plain), 1e-5, false, "gpt-oss MXFP4, plain");
  check_decoder(every_expert(test::make_model(shape_of("gpt-oss", DType::mxfp4))), cpu::make_backend(), 6e-2, false, "gpt-oss MXFP4");
}

LECTERN_TEST("architectures: decoders on emulated CUDA kernels compute what their definitions say") {
  if (!test::has_emulation()) return;
  for (const char* name : decoders) {
    check_decoder(test::make_model(shape_of(name)), cuda_emulated::make_backend(), 1e-4, false, std::string(name) + ", emulated");
  }
  check_decoder(test::make_model(shared_shape()), cuda_emulated::make_backend(), 1e-4, false, "granitemoe with a shared layer, emulated");
  check_decoder(every_expert(test::make_model(shared_shape(DType::q8_0))), cuda_emulated::make_backend(), 6e-2, false, "granitemoe with a shared layer Q8_0, emulated");
  // bf16 operands of the tensor cores, and the GEMV kernels of quantised weights.
  for (const char* name : {"gemma3", "granite", "smollm3"}) check_decoder(test::make_model(shape_of(name, DType::q8_0)), cuda_emulated::make_backend(), 6e-2, false, std::string(name) + " Q8_0, emulated");
  check_decoder(every_expert(test::make_model(shape_of("gpt-oss", DType::mxfp4))), cuda_emulated::make_backend(), 6e-2, false, "gpt-oss MXFP4, emulated");
}

LECTERN_TEST("architectures: what makes a family different reaches its result") {
  const std::vector<std::int32_t> tokens = test::some_tokens(40, 60);
  const auto changes = [&](const char* architecture, const char* key, test::MadeValue value) {
    const MadeModel made = test::make_model(shape_of(architecture));
    MadeModel other = made;
    other.keys[std::string(architecture) + "." + key] = std::move(value);
    const double found = distance(logits_of(*test::open_model(other).model, tokens), test::reference_logits(made, tokens, true));
    check(found > 1e-2, std::string(architecture) + " with another " + key + ": distance " + std::to_string(found));
  };
  for (const char* key : {"embedding_scale", "residual_scale", "attention.scale", "logit_scale"}) changes("granite", key, 1.5F);
  changes("gemma3", "attention.sliding_window", 30U);
  changes("gemma3", "rope.freq_base_swa", 500.0F);
  changes("gemma2", "attn_logit_softcapping", 0.5F);
  changes("gemma2", "final_logit_softcapping", 1.0F);
  changes("phi3", "rope.scaling.attn_factor", 1.6F);
  changes("gpt-oss", "attention.sliding_window", 30U);
  changes("gpt-oss", "rope.scaling.factor", 4.0F);
  changes("glm4", "rope.dimension_count", 16U);
  changes("granitemoe", "residual_scale", 1.5F);
  changes("mistral3", "rope.scaling.factor", 2.0F);
}

LECTERN_TEST("architectures: rotations of a part of a head, scaled ones, and layers that a list makes local") {
  const auto with = [](const char* architecture, const std::map<std::string, test::MadeValue>& more) {
    MadeModel made = test::make_model(shape_of(architecture));
    for (const auto& [key, value] : more) made.keys[std::string(architecture) + "." + key] = value;
    return made;
  };
  const std::vector<bool> list = {false, true, true, false, true, false, false};
  const std::pair<const char*, MadeModel> models[] = {
      {"llama, half of a head", with("llama", {{"rope.dimension_count", 8U}})},
      {"qwen2, half of a head", with("qwen2", {{"rope.dimension_count", 8U}})},
      {"llama, linear", with("llama", {{"rope.scaling.type", std::string("linear")}, {"rope.scaling.factor", 4.0F}})},
      {"gemma3, linear", with("gemma3", {{"rope.scaling.type", std::string("linear")}, {"rope.scaling.factor", 8.0F}})},
      {"llama, yarn", with("llama", {{"rope.scaling.type", std::string("yarn")}, {"rope.scaling.factor", 8.0F}, {"rope.scaling.original_context_length", 64U}, {"rope.scaling.yarn_beta_fast", 4.0F}})},
      {"gemma3, a list", with("gemma3", {{"attention.sliding_window_pattern", list}})},
      {"gemma2, a list and a base", with("gemma2", {{"attention.sliding_window_pattern", list}, {"rope.freq_base_swa", 500.0F}})},
      {"gpt-oss, a base", with("gpt-oss", {{"rope.freq_base_swa", 500.0F}})},
  };
  for (const auto& [name, made] : models) {
    check_decoder(made, cpu::make_backend(), 1e-4, false, name);
    if (test::has_emulation()) check_decoder(made, cuda_emulated::make_backend(), 1e-4, false, std::string(name) + ", emulated");
  }
}

LECTERN_TEST("architectures: Gemma 3 with the rotation bases under Ollama's names gives the same bits") {
  const std::vector<std::int32_t> tokens = test::some_tokens(40, 60);
  MadeModel usual = test::make_model(shape_of("gemma3"));
  usual.keys["gemma3.rope.freq_base_swa"] = 500.0F;
  MadeModel ollama = usual;
  ollama.keys.erase("gemma3.rope.freq_base");
  ollama.keys.erase("gemma3.rope.freq_base_swa");
  const auto without = logits_of(*test::open_model(ollama).model, tokens);
  ollama.keys["gemma3.rope.global.freq_base"] = 1e6F;
  ollama.keys["gemma3.rope.local.freq_base"] = 500.0F;
  const auto expected = logits_of(*test::open_model(usual).model, tokens);
  check(logits_of(*test::open_model(ollama).model, tokens) == expected, "Ollama's names");
  check(without != expected, "the bases matter");
}

/// The same model as Ollama's converter writes it: without the kind of RoPE scaling, under its own names, gate and up of experts row by row in one tensor.
MadeModel as_ollama(const MadeModel& usual) {
  MadeModel made;
  for (const auto& [key, value] : usual.keys) {
    const bool is_prefixed = key.starts_with("gpt-oss.");
    if (key == "gpt-oss.rope.scaling.type" || key == "gpt-oss.expert_feed_forward_length") continue;
    made.keys[is_prefixed ? "gptoss." + key.substr(8) : key] = value;
  }
  made.keys["general.architecture"] = std::string("gptoss");
  for (const auto& [name, tensor] : usual.tensors) {
    std::string renamed = name;
    const auto rename = [&](const std::string& from, const std::string& to) {
      if (const std::size_t at = renamed.find(from); at != std::string::npos) renamed.replace(at, from.size(), to);
    };
    rename("attn_output", "attn_out");
    rename("attn_sinks.weight", "attn_sinks");
    rename("post_attention_norm", "ffn_norm");
    const std::size_t gate_at = name.find("ffn_gate_exps");
    if (name.find("ffn_up_exps") != std::string::npos) continue;
    if (gate_at == std::string::npos) {
      made.tensors[renamed] = tensor;
      continue;
    }
    const test::MadeTensor& up = usual.tensors.at(std::string(name).replace(gate_at, 13, "ffn_up_exps"));
    rename("ffn_gate_exps", "ffn_gate_up_exps");
    const bool is_bias = name.ends_with("bias");
    test::MadeTensor both{tensor.dims, tensor.dtype, {}};
    both.dims[is_bias ? 0 : 1] *= 2;
    const auto row = static_cast<std::ptrdiff_t>(row_bytes(tensor.dtype, is_bias ? 1 : tensor.dims[0]));
    for (auto at = std::ptrdiff_t{0}; at < static_cast<std::ptrdiff_t>(tensor.bytes.size()); at += row) {
      both.bytes.insert(both.bytes.end(), tensor.bytes.begin() + at, tensor.bytes.begin() + at + row);
      both.bytes.insert(both.bytes.end(), up.bytes.begin() + at, up.bytes.begin() + at + row);
    }
    made.tensors[renamed] = both;
  }
  return made;
}

LECTERN_TEST("architectures: gpt-oss under Ollama's names gives the same bits") {
  const std::vector<std::int32_t> tokens = test::some_tokens(40, 60);
  for (const DType dtype : {DType::f32, DType::mxfp4}) {
    const MadeModel usual = test::make_model(shape_of("gpt-oss", dtype));
    const auto expected = logits_of(*test::open_model(usual).model, tokens);
    check(test::same_bits(logits_of(*test::open_model(as_ollama(usual)).model, tokens), expected), std::string(info_of(dtype).name));
  }
}

LECTERN_TEST("architectures: what files of Gemma leave out is what llama.cpp takes for it") {
  const std::vector<std::int32_t> tokens = test::some_tokens(40, 60);
  const auto of = [&](const MadeModel& made) { return logits_of(*test::open_model(made).model, tokens); };
  MadeModel second = test::make_model(shape_of("gemma2"));
  second.keys["gemma2.attn_logit_softcapping"] = 50.0F;
  second.keys["gemma2.final_logit_softcapping"] = 30.0F;
  second.keys["gemma2.attention.sliding_window"] = 4096U;
  MadeModel bare = second;
  for (const char* key : {"attn_logit_softcapping", "final_logit_softcapping", "attention.sliding_window"}) bare.keys.erase(std::string("gemma2.") + key);
  check(of(bare) == of(second), "Gemma 2 without caps and window");
  // Local layers that see everything and rotate as the others do are none.
  MadeModel third = test::make_model(shape_of("gemma3"));
  third.keys["gemma3.attention.sliding_window"] = 4096U;
  third.keys["gemma3.rope.freq_base_swa"] = 1e6F;
  MadeModel plain = third;
  plain.keys.erase("gemma3.rope.freq_base_swa");
  const auto local = of(plain);
  const auto row = of(third);
  const std::vector<double> expected(row.begin(), row.end());
  plain.keys["gemma3.attention.sliding_window"] = 0U;
  check(distance(of(plain), expected) < 1e-5, "Gemma 3 with a window of 0");
  plain.keys.erase("gemma3.attention.sliding_window");
  check(distance(of(plain), expected) < 1e-5, "Gemma 3 without a window");
  check(distance(local, expected) > 1e-3, "the base of local layers matters");
}

/// Adds a classifier of `outputs` scores, with a dense layer before it where asked for.
MadeModel with_classifier(MadeModel made, int outputs, bool dense) {
  std::mt19937 random(5);
  const std::string architecture = std::get<std::string>(made.keys["general.architecture"]);
  made.keys[architecture + ".pooling_type"] = 4U;
  const auto add = [&](const char* name, std::vector<std::int64_t> dims, float spread) {
    std::int64_t elements = 1;
    for (const std::int64_t dim : dims) elements *= dim;
    made.tensors[name] = {std::move(dims), DType::f32, test::random_weights(DType::f32, elements, spread, random)};
  };
  if (dense) {
    add("cls.weight", {64, 64}, 0.1F);
    add("cls.bias", {64}, 0.1F);
  }
  add("cls.output.weight", {64, outputs}, 0.3F);
  if (dense) add("cls.output.bias", {outputs}, 0.3F);
  if (outputs == 2) made.keys[architecture + ".classifier.output_labels"] = std::vector<std::string>{"yes", "no"};
  return made;
}

void check_texts(const MadeModel& made, std::unique_ptr<Backend> backend, int second, double most, const std::string& name) {
  const std::vector<std::int32_t> tokens = test::some_tokens(40, 60);
  llm::ModelOptions options;
  options.kv = DType::f32;
  options.rows = 16;
  options.threads = 2;
  const OpenedModel opened = test::open_model_on(std::move(backend), made, options);
  llm::Forward& forward = opened.model->forward();
  const llm::Text whole{tokens.data(), 40, second};
  const auto width = static_cast<std::size_t>(forward.outputs());
  const Row alone(forward.embed(&whole, 1, Cancel{}), forward.embed(&whole, 1, Cancel{}) + width);
  const double found = distance(alone, test::reference_output(made, tokens, second));
  check(found < most, name + ": distance " + std::to_string(found));
  // Behind another text of the same pass it has the same bits.
  const llm::Text both[] = {{tokens.data() + 3, 21, second > 0 ? 7 : 0}, whole};
  const float* pass = forward.embed(both, 2, Cancel{});
  check(test::same_bits(Row(pass + width, pass + 2 * width), alone), name + ": the same beside another text");
}

MadeModel embedder(const char* architecture, std::uint32_t pooling) {
  MadeModel made = test::make_model(shape_of(architecture));
  made.keys[std::string(architecture) + ".pooling_type"] = pooling;
  return made;
}

/// Heads whose number is no power of two.
MadeModel with_heads(const char* architecture, int heads) {
  MadeShape shape = shape_of(architecture);
  shape.heads = shape.kv_heads = heads;
  return test::make_model(shape);
}

/// With `ffn_gate` before `ffn_up` in one tensor.
MadeModel fused_gate(const char* architecture) {
  MadeModel made = test::make_model(shape_of(architecture));
  for (int l = 0; l < 7; l++) {
    const std::string block = "blk." + std::to_string(l) + ".";
    test::MadeTensor gate = made.tensors.at(block + "ffn_gate.weight");
    test::MadeTensor& up = made.tensors.at(block + "ffn_up.weight");
    gate.bytes.insert(gate.bytes.end(), up.bytes.begin(), up.bytes.end());
    gate.dims[1] *= 2;
    up = gate;
    made.tensors.erase(block + "ffn_gate.weight");
  }
  return made;
}

LECTERN_TEST("architectures: embeddings and scores are what their definitions say") {
  for (const bool emulated : {false, true}) {
    if (emulated && !test::has_emulation()) continue;
    const auto backend = [&] { return emulated ? cuda_emulated::make_backend() : cpu::make_backend(); };
    const std::string where = emulated ? ", emulated" : "";
    // Pooling is one operation whatever the architecture: the short form emulates each architecture with one kind of it.
    const bool few = emulated && !test::is_long_form();
    for (const std::uint32_t pooling : few ? std::vector{3U} : std::vector{1U, 2U, 3U}) {
      check_texts(embedder("qwen3", pooling), backend(), 0, 1e-4, "qwen3, pooling " + std::to_string(pooling) + where);
      check_texts(embedder("bert", pooling), backend(), 0, 1e-4, "bert, pooling " + std::to_string(pooling) + where);
    }
    check_texts(embedder("llama", 1), backend(), 0, 1e-4, "llama, mean" + where);
    for (const char* name : {"nomic-bert", "jina-bert-v2", "jina-bert-v3", "modern-bert"}) {
      for (const std::uint32_t pooling : few ? std::vector{1U} : std::vector{1U, 2U}) check_texts(embedder(name, pooling), backend(), 0, 1e-4, std::string(name) + ", pooling " + std::to_string(pooling) + where);
    }
    check_texts(with_classifier(embedder("jina-bert-v2", 4), 1, true), backend(), 17, 1e-4, "jina-reranker" + where);
    check_texts(with_heads("jina-bert-v2", 6), backend(), 0, 1e-4, "slopes of six heads" + where);
    check_texts(fused_gate("jina-bert-v2"), backend(), 0, 1e-4, "gate and up in one tensor" + where);
    check_texts(with_classifier(embedder("bert", 4), 1, true), backend(), 17, 1e-4, "bge-reranker" + where);
    check_texts(with_classifier(embedder("bert", 4), 1, false), backend(), 17, 1e-4, "a classifier without a dense layer" + where);
    check_texts(with_classifier(embedder("qwen3", 4), 2, false), backend(), 0, 1e-4, "Qwen3-Reranker" + where);
  }
}

LECTERN_TEST("architectures: rerank models without a usable classifier are refused, and yes and no are found in the vocabulary") {
  test::check_refused(ErrorCode::unsupported_format, "cls.output.weight", embedder("bert", 4), "no classifier");
  test::check_refused(ErrorCode::unsupported_format, "3 outputs", with_classifier(embedder("bert", 4), 3, true), "three classes");
  MadeModel made = embedder("qwen3", 4);
  std::vector<std::string> words(60);
  for (std::size_t i = 0; i < words.size(); i++) words[i] = "w" + std::to_string(i);
  words[11] = "yes";
  words[42] = "no";
  made.keys["tokenizer.ggml.tokens"] = words;
  MadeModel classified = made;
  test::MadeTensor rows{{64, 2}, DType::f32, {}};
  const std::vector<std::byte>& output = made.tensors.at("output.weight").bytes;
  for (const std::ptrdiff_t row : {11, 42}) rows.bytes.insert(rows.bytes.end(), output.begin() + row * 256, output.begin() + (row + 1) * 256);
  classified.tensors["cls.output.weight"] = rows;
  const std::vector<std::int32_t> tokens = test::some_tokens(40, 60);
  const OpenedModel opened = test::open_model(made);
  const float* score = opened.model->forward().embed(tokens.data(), 40, Cancel{});
  check(std::abs(static_cast<double>(*score) - test::reference_output(classified, tokens).front()) < 1e-2, "rows of yes and no of the output matrix");
}

}  // namespace
}  // namespace lectern
