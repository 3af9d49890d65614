// Writes what fuzzing begins with: models of every architecture, weight type and kind of key, as small as they go, grammars, and networks.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "gguf_writer.h"
#include "made_model.h"
#include "onnx_graphs.h"
#include "reference_grammar.h"

namespace {

using namespace lectern;
using test::GgufWriter;

void write_architectures(const std::filesystem::path& folder) {
  test::MadeShape shape;
  shape.layers = 1, shape.embedding = 8, shape.heads = 2, shape.kv_heads = 1, shape.head_size = 4, shape.feed_forward = 8, shape.vocabulary = 4, shape.context = 4;
  for (const char* architecture : {"llama", "qwen2", "qwen3", "bert", "gemma2", "gemma3", "smollm3", "granite", "mistral3", "phi3"}) {
    shape.architecture = architecture;
    test::make_model(shape).write(folder / (std::string(architecture) + ".gguf"));
  }
  shape.architecture = "llama";
  for (const char* tokenizer : {"llama", "gpt2", "bert", "t5"}) {
    test::MadeModel model = test::make_model(shape);
    model.keys["tokenizer.ggml.model"] = std::string(tokenizer);
    model.keys["tokenizer.ggml.pre"] = std::string("llama-bpe");
    model.keys["tokenizer.ggml.tokens"] = std::vector<std::string>{"a", "b", "ab", "</s>"};
    model.keys["tokenizer.ggml.merges"] = std::vector<std::string>{"a b"};
    model.keys["tokenizer.ggml.eos_token_id"] = 3U;
    model.keys["tokenizer.ggml.add_eos_token"] = true;
    model.keys["llama.rope.scaling.type"] = std::string("yarn");
    model.keys["llama.rope.scaling.factor"] = 2.0F;
    model.write(folder / ("tokens-" + std::string(tokenizer) + ".gguf"));
  }
  shape.experts = 2;
  test::make_model(shape).write(folder / "moe.gguf");
}

void write_types(const std::filesystem::path& folder) {
  for (const DTypeInfo& type : dtype_table) {
    const auto elements = static_cast<std::uint64_t>(type.block_elements);
    GgufWriter file;
    file.key("general.alignment", 8U).alignment = 8;
    file.tensor("t", {elements}, static_cast<std::uint32_t>(type.dtype), std::string(static_cast<std::size_t>(type.block_bytes), '\x31'));
    file.tensor("u", {elements, 2}, static_cast<std::uint32_t>(type.dtype), std::string(2 * static_cast<std::size_t>(type.block_bytes), '\x32'));
    file.write(folder / (std::string(type.name) + ".gguf"));
  }
}

void write_keys(const std::filesystem::path& folder) {
  GgufWriter file;
  for (std::uint32_t type = 0; type <= 12; type++) {
    if (type == 8 || type == 9) continue;
    file.key("number." + std::to_string(type), type, test::ByteString().raw(std::string(type < 2 || type == 7 ? 1 : type < 4 ? 2 : type < 7 ? 4 : 8, '\1')));
  }
  file.key("text", "some").list("texts", std::vector<std::string>{"a", "", "bc"}).list("floats", std::vector<float>{1, 2}).list("integers", std::vector<std::int32_t>{3});
  test::ByteString nested = GgufWriter::list_head(9, 2);
  nested.raw(GgufWriter::list_head(0, 3).bytes()).raw("abc").raw(GgufWriter::list_head(9, 0).bytes());
  file.key("nested", 9, nested).write(folder / "keys.gguf");
}

void write_grammars(const std::filesystem::path& folder) {
  std::mt19937 random(1);
  for (int i = 0; i < 60; i++) {
    std::string choices(1, '\0');
    for (int k = 0; k < 8; k++) choices += static_cast<char>(random());
    const std::string source = i > 0 ? test::random_grammar(random).source(random) : R"(root ::= "{" (pair ("," pair)*)? "}" # JSON
pair ::= string ":" value
value ::= string | "[" (value ("," value)*)? "]" | [0-9]{1,20} | root
string ::= "\"" ([^"\\\x00-\x1F] | "\\" .){0,30} "\""
)";
    std::ofstream(folder / ("grammar-" + std::to_string(i)), std::ios::binary) << source << choices;
  }
}

void write_networks(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (const auto& [name, file] : test::made_networks()) std::ofstream(folder / name, std::ios::binary) << file;
}

/// Pages of fuzz_page: two bytes of size and kind, then rows of letter-like strokes, one bit or one byte a pixel, the ground light or dark.
void write_pages(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::mt19937 random(2);
  for (unsigned kind = 0; kind < 14; kind++) {
    constexpr int width = 241, rows = 140;
    std::string pixels(static_cast<std::size_t>(width) * rows, '\xff');
    // Three grounds, the first two touching.
    for (int y = 26; kind >= 8 && y < 118; y++) {
      if (y < 92) std::fill_n(pixels.begin() + y * width + 20, 200, y < 60 ? '\xc8' : '\xe6');
      else if (y >= 98) std::fill_n(pixels.begin() + y * width + 20, 200, '\x28');
    }
    for (int y = 10; y + 12 < rows; y += 18) {
      for (int x = 8; x + 8 < width; x += 9 + static_cast<int>(random() % 7 / 6) * 6) {
        for (int i = 0; i < 10; i++) pixels[static_cast<std::size_t>((y + i) * width + x + (random() % 4 == 0 ? 4 : 0))] = 0;
        for (int i = 0; i < 6; i++) pixels[static_cast<std::size_t>((y + 9) * width + x + i)] = 0;
      }
    }
    if (kind >= 4 && kind < 8) {
      for (char& pixel : pixels) pixel = static_cast<char>(~pixel);
    }
    const bool bits = kind < 8 && kind % 2 == 1;
    std::string page{static_cast<char>(width / 2), static_cast<char>((kind & 3U) | (bits ? 4U : 0U))};
    if (!bits) page += pixels;
    for (std::size_t i = 0; bits && i < pixels.size(); i += 8) {
      unsigned byte = 0;
      for (std::size_t bit = 0; bit < 8 && i + bit < pixels.size(); bit++) byte |= (pixels[i + bit] != 0 ? 1U : 0U) << bit;
      page += static_cast<char>(byte);
    }
    std::ofstream(folder / ("page-" + std::to_string(kind)), std::ios::binary) << page;
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::fprintf(stderr, "usage: fuzz_seeds MODELS GRAMMARS NETWORKS PAGES\n");
    return 2;
  }
  const std::filesystem::path folder = arguments[1];
  std::filesystem::create_directories(folder);
  write_architectures(folder);
  write_types(folder);
  write_keys(folder);
  std::filesystem::create_directories(arguments[2]);
  write_grammars(arguments[2]);
  write_networks(arguments[3]);
  write_pages(arguments[4]);
}
