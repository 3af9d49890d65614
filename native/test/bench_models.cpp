#include "bench_models.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <stdexcept>

namespace lectern::test {
namespace {

constexpr MadeShape decoder() {
  return {.context = 8192, .tied = true, .mixed = true, .repeated = true};
}

MadeShape half_billion() {
  MadeShape shape = decoder();
  shape.architecture = "qwen2";
  shape.layers = 24;
  shape.embedding = 896;
  shape.heads = 14;
  shape.kv_heads = 2;
  shape.head_size = 64;
  shape.feed_forward = 4864;
  shape.vocabulary = 151936;
  return shape;
}

MadeShape one_billion() {
  MadeShape shape = decoder();
  shape.layers = 16;
  shape.embedding = 2048;
  shape.heads = 32;
  shape.kv_heads = 8;
  shape.head_size = 64;
  shape.feed_forward = 8192;
  shape.vocabulary = 128256;
  return shape;
}

MadeShape one_billion_eight_bits() {
  MadeShape shape = one_billion();
  shape.mixed = false;
  shape.dtype = DType::q8_0;
  return shape;
}

MadeShape encoder() {
  return {.architecture = "bert", .dtype = DType::f16, .layers = 24, .embedding = 1024, .heads = 16, .kv_heads = 16, .head_size = 64,
          .feed_forward = 4096, .vocabulary = 250002, .context = 8192, .repeated = true};
}

/// GPT-2's printable signs of all bytes: what does not print follows from U+0100 on, in two bytes of UTF-8.
std::vector<std::string> byte_signs() {
  std::vector<std::string> signs;
  unsigned moved = 0x100;
  for (unsigned byte = 0; byte < 256; byte++) {
    const bool prints = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    const unsigned code = prints ? byte : moved++;
    if (code < 0x80) signs.emplace_back(1, static_cast<char>(code));
    else signs.push_back({static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))});
  }
  return signs;
}

void fill_up(std::vector<std::string>& tokens, int count) {
  while (tokens.size() < static_cast<std::size_t>(count)) tokens.push_back("token" + std::to_string(tokens.size()));
}

void add_byte_pairs(MadeModel& model, const MadeShape& shape) {
  std::vector<std::string> tokens = byte_signs();
  tokens.insert(tokens.end(), {"he", "<|endoftext|>"});
  const auto end = static_cast<std::uint32_t>(tokens.size() - 1);
  fill_up(tokens, shape.vocabulary);
  model.keys["tokenizer.ggml.model"] = "gpt2";
  model.keys["tokenizer.ggml.pre"] = shape.architecture == "qwen2" ? "qwen2" : "llama-bpe";
  model.keys["tokenizer.ggml.tokens"] = std::move(tokens);
  model.keys["tokenizer.ggml.merges"] = std::vector<std::string>{"h e"};
  model.keys["tokenizer.ggml.bos_token_id"] = end;
  model.keys["tokenizer.ggml.eos_token_id"] = end;
  model.keys["tokenizer.ggml.add_bos_token"] = false;
}

void add_word_pieces(MadeModel& model, const MadeShape& shape) {
  std::vector<std::string> tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  fill_up(tokens, shape.vocabulary);
  model.keys["tokenizer.ggml.model"] = "bert";
  model.keys["tokenizer.ggml.tokens"] = std::move(tokens);
  model.keys["tokenizer.ggml.token_type_count"] = 2U;
  model.keys["tokenizer.ggml.padding_token_id"] = 0U;
  model.keys["tokenizer.ggml.unknown_token_id"] = 1U;
  model.keys["tokenizer.ggml.cls_token_id"] = 2U;
  model.keys["tokenizer.ggml.bos_token_id"] = 2U;
  model.keys["tokenizer.ggml.seperator_token_id"] = 3U;
  model.keys["tokenizer.ggml.eos_token_id"] = 3U;
  model.keys["tokenizer.ggml.mask_token_id"] = 4U;
  model.keys["bert.attention.causal"] = false;
  // Published files keep this small table in f32, and llama.cpp adds it in no other type.
  std::mt19937 random(1);
  model.tensors["token_types.weight"] = {{shape.embedding, 2}, DType::f32, random_weights(DType::f32, std::int64_t{2} * shape.embedding, 0.3F, random)};
}

}  // namespace

const std::vector<BenchModel>& bench_models() {
  static const std::vector<BenchModel> models = {
      {"qwen2.5-0.5b-q4_k_m", half_billion()},
      {"llama-3.2-1b-q4_k_m", one_billion()},
      {"llama-3.2-1b-q8_0", one_billion_eight_bits()},
      {"bge-m3-f16", encoder()},
  };
  return models;
}

void write_bench_model(const std::filesystem::path& folder, const std::string& name) {
  const auto found = std::find_if(bench_models().begin(), bench_models().end(), [&](const BenchModel& model) { return model.name == name; });
  if (found == bench_models().end()) throw std::invalid_argument("there is no bench model " + name);
  const std::filesystem::path path = folder / (name + ".gguf");
  if (std::filesystem::exists(path)) return;
  MadeModel model = make_model(found->shape);
  model.keys["general.name"] = name;
  if (found->shape.architecture == "bert") add_word_pieces(model, found->shape);
  else add_byte_pairs(model, found->shape);
  std::filesystem::create_directories(folder);
  const std::filesystem::path unfinished = path.string() + ".unfinished";
  model.write(unfinished);
  std::filesystem::rename(unfinished, path);
}

}  // namespace lectern::test
