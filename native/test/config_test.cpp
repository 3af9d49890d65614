// The forms one and the same model is published in give the same bits; what a file holds too much or too little of is refused by name.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "harness.h"
#include "made_model.h"
#include "opened_model.h"
#include "sanitized.h"

namespace lectern {
namespace {

using test::check;
using test::check_refused;
using test::feed;
using test::make_model;
using test::MadeModel;
using test::MadeShape;
using test::MadeTensor;
using test::open_model;
using test::OpenedModel;
using test::Row;
using test::same_bits;
using test::some_tokens;

/// Takes tensors out of the model and puts them back as one, row behind row.
void join(MadeModel& model, const std::vector<std::string>& names, const std::string& whole) {
  if (!model.tensors.contains(names.front())) return;
  MadeTensor all = model.tensors[names.front()];
  all.bytes.clear();
  all.dims.back() = 0;
  for (const std::string& name : names) {
    const MadeTensor& part = model.tensors[name];
    all.bytes.insert(all.bytes.end(), part.bytes.begin(), part.bytes.end());
    all.dims.back() += part.dims.back();
    model.tensors.erase(name);
  }
  model.tensors[whole] = all;
}

MadeModel fused(MadeModel model) {
  for (int layer = 0; layer < 2; layer++) {
    const std::string block = "blk." + std::to_string(layer) + ".attn_";
    for (const std::string kind : {".weight", ".bias"}) join(model, {block + "q" + kind, block + "k" + kind, block + "v" + kind}, block + "qkv" + kind);
  }
  return model;
}

LECTERN_TEST("config: queries, keys and values in one matrix give the bits of three") {
  std::vector<MadeShape> shapes = {{.architecture = "qwen2", .dtype = DType::q8_0, .heads = 7, .kv_heads = 1, .head_size = 48}, {.architecture = "qwen3", .dtype = DType::q5_k},
                                   {.dtype = DType::f32, .embedding = 40, .heads = 5, .kv_heads = 5, .head_size = 8, .feed_forward = 52, .vocabulary = 51}};
  for (const DTypeInfo& type : dtype_table) {
    if (!test::thread_sanitized) shapes.push_back({.dtype = type.dtype});
  }
  for (const MadeShape& shape : shapes) {
    const MadeModel made = make_model(shape);
    const std::string name = shape.architecture + " " + std::string(info_of(shape.dtype).name);
    const std::vector<std::int32_t> tokens = some_tokens(20, shape.vocabulary);
    check(fused(made).tensors.size() < made.tensors.size(), name + ": joined");
    check(same_bits(feed(*open_model(fused(made)).model, tokens, 20), feed(*open_model(made).model, tokens, 20)), name);
  }
  const MadeModel bert = make_model({.architecture = "bert", .kv_heads = 4});
  const std::vector<std::int32_t> tokens = some_tokens(20, 96);
  const auto embedding = [&](const MadeModel& made) {
    const OpenedModel opened = open_model(made);
    const float* values = opened.model->forward().embed(tokens.data(), 20, Cancel{});
    return Row(values, values + 256);
  };
  check(same_bits(embedding(fused(bert)), embedding(bert)), "bert");
  MadeModel bad = fused(make_model({}));
  bad.tensors["blk.1.attn_qkv.weight"].dims[1] -= 64;
  bad.tensors["blk.1.attn_qkv.weight"].bytes.resize(448 * 256 * 4);
  check_refused(ErrorCode::invalid_model, "blk.1.attn_qkv.weight", bad, "a head short");
}

/// `stem_exps.weight` as `stem.0.weight`, `stem.1.weight`, ...
void take_apart(MadeModel& model, const std::string& stem) {
  const MadeTensor all = model.tensors[stem + "_exps.weight"];
  model.tensors.erase(stem + "_exps.weight");
  const auto count = static_cast<std::size_t>(all.dims[2]);
  const std::size_t bytes = all.bytes.size() / count;
  for (std::size_t e = 0; e < count; e++) {
    const auto from = all.bytes.begin() + static_cast<std::ptrdiff_t>(e * bytes);
    model.tensors[stem + "." + std::to_string(e) + ".weight"] = {{all.dims[0], all.dims[1]}, all.dtype, std::vector<std::byte>(from, from + static_cast<std::ptrdiff_t>(bytes))};
  }
}

LECTERN_TEST("config: experts one by one give the bits of experts in one tensor") {
  for (const DType dtype : {DType::f32, DType::q4_k, DType::q8_0}) {
    const MadeModel made = make_model({.dtype = dtype, .feed_forward = 256, .experts = 12});
    MadeModel apart = made;
    for (const std::string block : {"blk.0.", "blk.1."}) {
      for (const char* stem : {"ffn_gate", "ffn_up", "ffn_down"}) take_apart(apart, block + stem);
    }
    const std::vector<std::int32_t> tokens = some_tokens(30, 96);
    const Row expected = feed(*open_model(made).model, tokens, 30);
    check(same_bits(feed(*open_model(apart).model, tokens, 30), expected), std::string(info_of(dtype).name));
    std::swap(apart.tensors["blk.0.ffn_up.1.weight"], apart.tensors["blk.0.ffn_up.10.weight"]);
    check(!same_bits(feed(*open_model(apart).model, tokens, 30), expected), std::string(info_of(dtype).name) + ": their order counts");
    apart.tensors.erase("blk.1.ffn_down.7.weight");
    check_refused(ErrorCode::invalid_model, "blk.1.ffn_down.7.weight", apart, "an expert that is missing");
  }
  MadeModel mixed = make_model({.dtype = DType::f32, .feed_forward = 256, .experts = 2});
  take_apart(mixed, "blk.0.ffn_up");
  MadeTensor& second = mixed.tensors["blk.0.ffn_up.1.weight"];
  second.dtype = DType::f16;
  second.bytes.resize(second.bytes.size() / 2);
  check_refused(ErrorCode::unsupported_format, "blk.0.ffn_up.1.weight", mixed, "experts of two types");
}

std::vector<std::string> tokens_named(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; i++) names.push_back("t" + std::to_string(i));
  return names;
}

LECTERN_TEST("config: rows that no token stands for have no logits") {
  for (const bool tied : {false, true}) {
    const MadeModel made = make_model({.dtype = DType::q8_0, .tied = tied});
    const std::vector<std::int32_t> tokens = some_tokens(20, 77);
    const Row all = feed(*open_model(made).model, tokens, 20);
    MadeModel padded = made;
    padded.keys["tokenizer.ggml.tokens"] = tokens_named(77);
    const OpenedModel opened = open_model(padded);
    check(opened.model->config().vocabulary == 77 && opened.model->config().table_rows == 96, "77 tokens, 96 rows");
    check(same_bits(feed(*opened.model, tokens, 20), Row(all.begin(), all.begin() + 77)), "the logits of the tokens");
    const llm::BatchToken step{77, 0, 0, true};
    test::check_throws(ErrorCode::invalid_request, [&] { opened.model->forward().decode(&step, 1); }, "a token that is none");
    padded.keys["tokenizer.ggml.tokens"] = tokens_named(97);
    check_refused(ErrorCode::invalid_model, "tokenizer.ggml.tokens", padded, "more tokens than rows");
    padded.keys["tokenizer.ggml.tokens"] = tokens_named(0);
    check_refused(ErrorCode::invalid_model, "tokenizer.ggml.tokens", padded, "no tokens");
    padded.keys["tokenizer.ggml.tokens"] = std::string("all");
    check_refused(ErrorCode::invalid_model, "tokenizer.ggml.tokens", padded, "no list");
  }
}

LECTERN_TEST("config: a window of two layers reaches twice as far and no further") {
  MadeModel made = make_model({});
  const std::vector<std::int32_t> tokens = some_tokens(100, 96);
  std::vector<std::int32_t> other = tokens;
  // With a window of 16 the last of 100 tokens sees back to 84 itself, and what that one sees to 69.
  for (std::size_t i = 0; i < 69; i++) other[i] = (other[i] + 41) % 96;
  const auto last = [&](const std::vector<std::int32_t>& text, int chunk) { return feed(*open_model(made).model, text, chunk); };
  check(!same_bits(last(tokens, 100), last(other, 100)), "without a window");
  made.keys["llama.attention.sliding_window"] = 16U;
  const Row expected = last(tokens, 100);
  check(same_bits(last(other, 100), expected), "what lies before the window");
  check(same_bits(last(tokens, 7), expected), "in chunks");
  other[69] = (other[69] + 41) % 96;
  check(!same_bits(last(other, 100), expected), "the first that is seen");
  const OpenedModel plain = open_model(made, cpu::Arithmetic::plain);
  const double distance = test::relative_distance(expected, feed(*plain.model, tokens, 100));
  check(distance < 2e-3, "the plain twin: " + std::to_string(distance));
}

LECTERN_TEST("config: tensors that would have changed the result are refused by name") {
  const auto with = [](const MadeShape& shape, const std::string& name) {
    MadeModel made = make_model(shape);
    made.tensors[name] = {{256}, DType::f32, std::vector<std::byte>(1024)};
    return made;
  };
  for (const char* name : {"blk.0.ffn_gate.bias", "output.bias", "blk.2.attn_norm.weight", "blk.1.attn_q_norm.weight", "blk.0.attn_norm.bias", "rope_factors_long.weight", "blk.0.attn_q.scale"}) {
    check_refused(ErrorCode::unsupported_format, name, with({}, name), "one too many");
  }
  check_refused(ErrorCode::unsupported_format, "blk.0.attn_q_norm.weight", with({.architecture = "bert", .kv_heads = 4}, "blk.0.attn_q_norm.weight"), "a bert with normed queries");
  const std::vector<std::int32_t> tokens = some_tokens(5, 96);
  const Row expected = feed(*open_model(make_model({})).model, tokens, 5);
  check(same_bits(feed(*open_model(with({}, "blk.0.attn_rot_embd.weight")).model, tokens, 5), expected), "frequencies that the keys give");
  for (const char* name : {"cls.weight", "cls.bias", "cls.output.weight"}) {
    check(open_model(with({.architecture = "bert", .kv_heads = 4}, name)).model->config().embeds(), "a classifier's " + std::string(name));
  }
}

/// Biases that are there count; `output.weight` may be absent.
LECTERN_TEST("config: optional tensors are used where they are") {
  const std::vector<std::int32_t> tokens = some_tokens(9, 96);
  const MadeModel made = make_model({});
  const Row without = feed(*open_model(made).model, tokens, 9);
  for (const auto& [name, count] : std::vector<std::pair<std::string, std::int64_t>>{{"blk.0.attn_q.bias", 256}, {"blk.1.attn_output.bias", 256}, {"blk.0.ffn_down.bias", 256}}) {
    MadeModel biased = made;
    std::vector<float> values(static_cast<std::size_t>(count), 0.5F);
    std::vector<std::byte> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    biased.tensors[name] = {{count}, DType::f32, bytes};
    const Row fast = feed(*open_model(biased).model, tokens, 9);
    check(test::relative_distance(fast, without) > 0.01, name + " changes the logits");
    check(test::relative_distance(fast, feed(*open_model(biased, cpu::Arithmetic::plain).model, tokens, 9)) < 2e-3, name + " as the plain twin has it");
  }
}

/// What stands between a heading of docs/models.md and the next one.
std::string section_of(const std::string& heading) {
  std::ifstream file(std::filesystem::path(LECTERN_SOURCE_DIRECTORY) / "docs" / "models.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::size_t begin = page.find("\n## " + heading + "\n");
  check(begin != std::string::npos, "the heading " + heading);
  return page.substr(begin, page.find("\n## ", begin + 1) - begin);
}

LECTERN_TEST("config: docs/models.md names every architecture and every type that is supported, and no others") {
  std::vector<std::string> supported;
  std::stringstream names(llm::architecture_names());
  for (std::string name; std::getline(names >> std::ws, name, ',');) supported.push_back(name);
  std::vector<std::string> written;
  std::stringstream lines(section_of("Architectures"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    const std::string cell = line.substr(0, line.find('|', 1));
    for (std::size_t at = cell.find('`'); at != std::string::npos; at = cell.find('`', at + 1)) {
      const std::size_t end = cell.find('`', at + 1);
      written.push_back(cell.substr(at + 1, end - at - 1));
      at = end;
    }
  }
  std::sort(supported.begin(), supported.end());
  std::sort(written.begin(), written.end());
  check(written == supported, "the table has " + std::to_string(written.size()) + " architectures, of " + std::to_string(supported.size()));
  // Of names such as Q4_0 and IQ4_NL the longer holds the shorter: whole words.
  const std::string types = section_of("Weight types");
  const auto is_word = [&](std::string_view name) {
    for (std::size_t at = types.find(name); at != std::string::npos; at = types.find(name, at + 1)) {
      const auto part_of_word = [&](std::size_t i) { return i < types.size() && (std::isalnum(static_cast<unsigned char>(types[i])) != 0 || types[i] == '_'); };
      if (!part_of_word(at - 1) && !part_of_word(at + name.size())) return true;
    }
    return false;
  };
  for (const DTypeInfo& type : dtype_table) check(is_word(type.name), "the type " + std::string(type.name));
}

}  // namespace
}  // namespace lectern
