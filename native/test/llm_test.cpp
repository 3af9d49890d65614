// Language models made here: the fast operations against their plain twin, the same bits whatever the company, and refusals.
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cpu/backend.h"
#include "harness.h"
#include "llm/model.h"
#include "made_model.h"
#include "opened_model.h"
#include "sanitized.h"

namespace lectern {
namespace {

using llm::Model;
using llm::ModelOptions;
using llm::BatchToken;
using test::check;
using test::check_refused;
using test::feed;
using test::make_model;
using test::MadeModel;
using test::MadeShape;
using test::open_model;
using test::OpenedModel;
using test::relative_distance;
using test::Row;
using test::same_bits;
using test::some_tokens;

/// Where only threads are watched two types are enough: they share every type's work in the same way.
std::vector<DType> dtypes() {
  if (test::thread_sanitized) return {DType::f32, DType::q4_k};
  std::vector<DType> all;
  for (const DTypeInfo& type : dtype_table) all.push_back(type.dtype);
  return all;
}

std::vector<MadeShape> shapes() {
  std::vector<MadeShape> all;
  for (const DType dtype : dtypes()) {
    MadeShape shape;
    shape.dtype = dtype;
    all.push_back(shape);
  }
  all.push_back({.architecture = "qwen2", .dtype = DType::q8_0, .heads = 7, .kv_heads = 1, .head_size = 48, .feed_forward = 416, .tied = true});
  all.push_back({.architecture = "qwen3", .dtype = DType::q4_k, .heads = 2, .kv_heads = 1, .head_size = 128});
  all.push_back({.dtype = DType::f32, .embedding = 40, .heads = 5, .kv_heads = 5, .head_size = 8, .feed_forward = 52, .vocabulary = 51});
  all.push_back({.dtype = DType::q4_k, .feed_forward = 256, .experts = 4});
  all.push_back({.dtype = DType::f32, .embedding = 64, .head_size = 16, .feed_forward = 96, .experts = 5});
  return all;
}

std::string describe(const MadeShape& shape) {
  return shape.architecture + " " + std::string(info_of(shape.dtype).name) + (shape.experts > 0 ? " experts" : "") + " heads of " + std::to_string(shape.head_size);
}

/// Weights of the type as they are, but activations of 8 bits.
double allowed(const MadeShape& shape) { return info_of(shape.dtype).block_elements == 1 ? 2e-3 : 4e-2; }

LECTERN_TEST("llm: the fast operations agree with their plain twin") {
  for (const MadeShape& shape : shapes()) {
    const MadeModel made = make_model(shape);
    const std::vector<std::int32_t> tokens = some_tokens(71, shape.vocabulary);
    const OpenedModel plain = open_model(made, cpu::Arithmetic::plain);
    const Row exact = feed(*plain.model, tokens, 71);
    for (const Instructions level : instruction_levels()) {
      if (level > available_instructions() || (test::thread_sanitized && level < available_instructions())) continue;
      const OpenedModel fast = open_model(made, cpu::Arithmetic::fast, {}, level);
      const double distance = relative_distance(feed(*fast.model, tokens, 71), exact);
      check(distance < allowed(shape), describe(shape) + ", " + std::string(name_of(level)) + ": distance " + std::to_string(distance));
    }
  }
}

LECTERN_TEST("llm: keys and values in 32 bits are nearer to exact than in 16") {
  const MadeModel made = make_model({});
  const std::vector<std::int32_t> tokens = some_tokens(40, 96);
  ModelOptions wide;
  wide.kv = DType::f32;
  const Row exact = feed(*open_model(made, cpu::Arithmetic::plain, wide).model, tokens, 40);
  const double with_32 = relative_distance(feed(*open_model(made, cpu::Arithmetic::fast, wide).model, tokens, 40), exact);
  const double with_16 = relative_distance(feed(*open_model(made).model, tokens, 40), exact);
  check(with_32 < 5e-6, "32 bits: " + std::to_string(with_32));
  check(with_16 < 2e-3 && with_16 > with_32, "16 bits: " + std::to_string(with_16));
}

LECTERN_TEST("llm: chunks, a busy neighbour and a copied prefix change no bit") {
  for (const MadeShape& shape : shapes()) {
    const MadeModel made = make_model(shape);
    const std::string name = describe(shape);
    const std::vector<std::int32_t> tokens = some_tokens(150, shape.vocabulary);
    const OpenedModel opened = open_model(made);
    Model& model = *opened.model;
    const Row whole = feed(model, tokens, 150);
    for (const int chunk : {64, 13, 1}) check(same_bits(feed(model, tokens, chunk), whole), name + ": in passes of " + std::to_string(chunk));

    // The other slot runs its own text in the same passes.
    Row beside;
    for (int i = 0; i < 150; i += 6) {
      std::vector<BatchToken> steps;
      for (int k = i; k < i + 6; k++) steps.push_back({(k * 5 + 1) % shape.vocabulary, 0, k, k % 6 == 5});
      for (int k = i; k < i + 6; k++) steps.push_back({tokens[static_cast<std::size_t>(k)], 1, k, k == 149});
      const float* logits = model.forward().decode(steps.data(), static_cast<int>(steps.size()));
      if (i == 144) beside.assign(logits + shape.vocabulary, logits + 2 * shape.vocabulary);
    }
    check(same_bits(beside, whole), name + ": with the other slot busy");

    model.ops().copy_positions(model.cache().kv(), 1, 0, 77);
    const std::vector<std::int32_t> rest(tokens.begin() + 77, tokens.end());
    check(same_bits(feed(model, rest, 31, 0, 77), whole), name + ": after a prefix copied from the other slot");
    check(same_bits(feed(*open_model(make_model(shape, 2)).model, tokens, 150), whole) == false, name + ": other weights give other bits");
  }
}

LECTERN_TEST("llm: embeddings agree with the plain twin, whole or in parts") {
  for (const DType dtype : test::thread_sanitized ? std::vector{DType::q8_0} : std::vector{DType::f32, DType::f16, DType::q8_0, DType::q4_k}) {
    const MadeModel made = make_model({.architecture = "bert", .dtype = dtype, .kv_heads = 4, .vocabulary = 60});
    const std::vector<std::int32_t> tokens = some_tokens(100, 60);
    const auto embedding = [&](cpu::Arithmetic arithmetic, int rows, int count) {
      ModelOptions options;
      options.rows = rows;
      const OpenedModel opened = open_model(made, arithmetic, options);
      // A longer text before it leaves nothing behind.
      opened.model->forward().embed(tokens.data(), 100, Cancel{});
      const float* values = opened.model->forward().embed(tokens.data(), count, Cancel{});
      return Row(values, values + 256);
    };
    for (const int count : {1, 17, 99}) {
      const Row whole = embedding(cpu::Arithmetic::fast, 128, count);
      const double distance = relative_distance(whole, embedding(cpu::Arithmetic::plain, 128, count));
      const std::string name = "bert " + std::string(info_of(dtype).name) + ", " + std::to_string(count) + " tokens";
      check(distance < (info_of(dtype).block_elements == 1 ? 1e-3 : 3e-2), name + ": distance " + std::to_string(distance));
      check(same_bits(embedding(cpu::Arithmetic::fast, 16, count), whole), name + ": in parts of 16");
    }
  }
}

LECTERN_TEST("llm: an embedding is the last norm's output as it is, not brought to length 1") {
  const MadeModel made = make_model({.architecture = "bert", .dtype = DType::f32, .layers = 1, .kv_heads = 4});
  const auto floats_of = [&](const std::string& name) {
    const std::vector<std::byte>& bytes = made.tensors.at("blk.0.layer_output_norm." + name).bytes;
    Row values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  };
  const Row weight = floats_of("weight");
  const Row bias = floats_of("bias");
  const std::vector<std::int32_t> tokens = some_tokens(20, 96);
  for (const cpu::Arithmetic arithmetic : {cpu::Arithmetic::fast, cpu::Arithmetic::plain}) {
    const OpenedModel opened = open_model(made, arithmetic);
    const float* given = opened.model->forward().embed(tokens.data(), 20, Cancel{});
    double sum = 0;
    double squares = 0;
    double length = 0;
    for (std::size_t i = 0; i < weight.size(); i++) {
      const double normed = static_cast<double>(given[i] - bias[i]) / static_cast<double>(weight[i]);
      sum += normed;
      squares += normed * normed;
      length += static_cast<double>(given[i]) * static_cast<double>(given[i]);
    }
    // The definition of LayerNorm: of mean 0 and variance 1 before weight and bias.
    const auto count = static_cast<double>(weight.size());
    check(std::abs(sum / count) < 1e-3 && std::abs(squares / count - 1) < 1e-3, "mean " + std::to_string(sum / count) + ", variance " + std::to_string(squares / count));
    check(std::abs(length - 1) > 1, "length " + std::to_string(std::sqrt(length)));
  }
}

LECTERN_TEST("llm: models that cannot be are refused by name") {
  const MadeModel good = make_model({});
  MadeModel bad = good;
  bad.keys["general.architecture"] = std::string("gemma9");
  check_refused(ErrorCode::unsupported_format, "gemma9", bad, "an unknown architecture");
  for (const char* key : {"llama.block_count", "llama.attention.head_count", "llama.embedding_length", "llama.attention.key_length"}) {
    bad = good;
    bad.keys[key] = 0U;
    check_refused(ErrorCode::invalid_model, key, bad, "a zero");
    bad.keys[key] = 4000000000U;
    check_refused(ErrorCode::invalid_model, key, bad, "a huge number");
    bad.keys[key] = std::string("many");
    check_refused(ErrorCode::invalid_model, key, bad, "a word for a number");
  }
  bad = good;
  bad.keys["llama.attention.head_count_kv"] = 3U;
  check_refused(ErrorCode::invalid_model, "3 KV heads", bad, "heads that do not divide");
  bad = good;
  bad.keys["llama.attention.value_length"] = 32U;
  check_refused(ErrorCode::unsupported_format, "keys and values", bad, "values of another length");
  bad = good;
  bad.keys["llama.rope.scaling.type"] = std::string("dynamic");
  check_refused(ErrorCode::unsupported_format, "dynamic", bad, "unknown scaling");
  bad = good;
  bad.keys["llama.rope.freq_base"] = std::nanf("");
  check_refused(ErrorCode::invalid_model, "rope.freq_base", bad, "NaN for a base");
  bad = good;
  bad.keys["llama.rope.dimension_count"] = 65U;
  check_refused(ErrorCode::invalid_model, "rope.dimension_count", bad, "an odd rotation");
}

LECTERN_TEST("llm: tensors that are missing, misshapen or poisoned are refused by name") {
  const MadeModel good = make_model({});
  for (const auto& [name, tensor] : good.tensors) {
    MadeModel bad = good;
    bad.tensors.erase(name);
    if (name != "output.weight") check_refused(ErrorCode::invalid_model, name, bad, "missing");
    bad = good;
    bad.tensors[name].dims.back() -= 1;
    bad.tensors[name].bytes.resize(tensor.bytes.size() - (tensor.dims.size() == 1 ? 4 : static_cast<std::size_t>(tensor.dims[0]) * 4));
    // The table's rows say how many tokens there are: its output is what does not fit.
    check_refused(ErrorCode::invalid_model, name == "token_embd.weight" ? "output.weight" : name, bad, "a row short");
  }
  MadeModel bad = good;
  const float poison = std::nanf("");
  std::memcpy(bad.tensors["output_norm.weight"].bytes.data(), &poison, sizeof poison);
  check_refused(ErrorCode::invalid_model, "output_norm.weight", bad, "NaN in a norm");
}

LECTERN_TEST("llm: passes and options out of range are refused") {
  const MadeModel made = make_model({});
  ModelOptions options;
  options.context = 193;
  check_refused(ErrorCode::invalid_request, "192", made, "more context than the model has", options);
  options = {};
  options.slots = 0;
  check_refused(ErrorCode::invalid_request, "slots", made, "no slots", options);
  options = {};
  options.kv = DType::q8_0;
  check_refused(ErrorCode::unsupported_format, "Q8_0", made, "keys of 8 bits", options);
  options = {};
  options.rows = 4;
  const OpenedModel opened = open_model(made, cpu::Arithmetic::fast, options);
  llm::Forward& forward = opened.model->forward();
  for (const BatchToken step : {BatchToken{-1, 0, 0, true}, BatchToken{96, 0, 0, true}, BatchToken{0, 2, 0, true}, BatchToken{0, -1, 0, true}, BatchToken{0, 0, 192, true}, BatchToken{0, 0, -1, true}}) {
    test::check_throws(ErrorCode::invalid_request, [&] { forward.decode(&step, 1); }, "a step out of range");
  }
  const std::vector<BatchToken> five(5, BatchToken{1, 0, 0, false});
  test::check_throws(ErrorCode::invalid_request, [&] { forward.decode(five.data(), 5); }, "more rows than a pass has");
  test::check_throws(ErrorCode::invalid_request, [&] { forward.decode(five.data(), 0); }, "an empty pass");
  const BatchToken late[2] = {{1, 0, 0, false}, {1, 1, 0, true, true}};
  test::check_throws(ErrorCode::invalid_request, [&] { forward.decode(late, 2); }, "an answer's token behind a prompt's");
  const std::int32_t token = 1;
  test::check_throws(ErrorCode::invalid_state, [&] { forward.embed(&token, 1, Cancel{}); }, "an embedding of a decoder");

  const OpenedModel encoder = open_model(make_model({.architecture = "bert", .kv_heads = 4}));
  const std::vector<std::int32_t> tokens = some_tokens(200, 96);
  test::check_throws(ErrorCode::invalid_request, [&] { encoder.model->forward().embed(tokens.data(), 200, Cancel{}); }, "a text beyond the context");
  test::check_throws(ErrorCode::invalid_request, [&] { encoder.model->forward().embed(tokens.data(), 0, Cancel{}); }, "an empty text");
  Cancel cancelled;
  cancelled.request();
  test::check_throws(ErrorCode::cancelled, [&] { encoder.model->forward().embed(tokens.data(), 10, cancelled); }, "a cancelled text");
}

}  // namespace
}  // namespace lectern
