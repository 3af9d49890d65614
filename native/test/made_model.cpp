#include "made_model.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <stdexcept>

#include "tensor/blocks.h"
#include "tensor/dequantise.h"
#include "tensor/half.h"

namespace lectern::test {
namespace {

/// Where a block keeps its f16 scale and, from 0 on, its minimum; `centre` is how many scales the minimum stands for.
struct Scales {
  int d;
  int m;
  float centre;
};

Scales scales_of(DType dtype) {
  switch (dtype) {
    case DType::q4_1: return {0, 2, -7.5F};
    case DType::q5_1: return {0, 2, -15.5F};
    case DType::q2_k: return {offsetof(BlockQ2_K, d), offsetof(BlockQ2_K, dmin), 1.5F};
    case DType::q3_k: return {offsetof(BlockQ3_K, d), -1, 0};
    case DType::q4_k: return {0, 2, 7.5F};
    case DType::q5_k: return {0, 2, 15.5F};
    case DType::q6_k: return {offsetof(BlockQ6_K, d), -1, 0};
    // Of IQ1_M, random_weights() knows the places itself.
    case DType::tq1_0: return {offsetof(BlockTQ1_0, d), -1, 0};
    case DType::tq2_0: return {offsetof(BlockTQ2_0, d), -1, 0};
    default: return {0, -1, 0};
  }
}

void put_f16(std::byte* to, float value) {
  const std::uint16_t bits = f16_from_float(value);
  std::memcpy(to, &bits, sizeof bits);
}

class Writer {
 public:
  explicit Writer(const std::filesystem::path& path) : file_(path, std::ios::binary) {}

  template <class Number>
  void number(Number value) {
    file_.write(reinterpret_cast<const char*>(&value), sizeof value);
    written_ += sizeof value;
  }
  void text(const std::string& value) {
    number(std::uint64_t{value.size()});
    bytes(value.data(), value.size());
  }
  void bytes(const void* data, std::size_t count) {
    file_.write(static_cast<const char*>(data), static_cast<std::streamsize>(count));
    written_ += count;
  }
  void align() {
    while (written_ % 32 != 0) number('\0');
  }
  void finish() {
    file_.flush();
    if (!file_) throw std::runtime_error("cannot write a model");
  }

 private:
  std::ofstream file_;
  std::size_t written_ = 0;
};

class Maker {
 public:
  Maker(const MadeShape& shape, unsigned seed) : shape_(shape), random_(seed) {}

  MadeModel make() {
    keys();
    const int width = shape_.embedding;
    matrix("token_embd.weight", width, shape_.vocabulary, 1.0F);
    if (is("bert")) matrix("position_embd.weight", width, shape_.context, 0.3F);
    if (post_norms()) matrix("token_types.weight", width, 2, 0.3F);
    if (encoder()) norm("token_embd_norm");
    if (is("modern-bert")) norm("output_norm");
    if (!encoder()) {
      norm("output_norm");
      if (!shape_.tied) matrix("output.weight", width, shape_.vocabulary, 2 / std::sqrt(static_cast<float>(width)));
    }
    for (int l = 0; l < shape_.layers; l++) layer("blk." + std::to_string(l) + ".");
    if (is("phi3")) {
      vector("rope_factors_long.weight", shape_.head_size / 2, 3, 0.3F);
      vector("rope_factors_short.weight", shape_.head_size / 2, 1.2F, 0.1F);
    }
    return std::move(model_);
  }

 private:
  bool is(const char* architecture) const { return shape_.architecture == architecture; }
  bool any_of(std::initializer_list<const char*> names) const { return std::find(names.begin(), names.end(), shape_.architecture) != names.end(); }
  bool post_norms() const { return any_of({"bert", "nomic-bert", "jina-bert-v2", "jina-bert-v3"}); }
  bool encoder() const { return post_norms() || is("modern-bert"); }
  bool plain_feed_forward() const { return any_of({"bert", "jina-bert-v3"}); }
  bool granite() const { return any_of({"granite", "granitemoe"}); }
  bool gemma() const { return is("gemma2") || is("gemma3"); }

  void key(const std::string& name, MadeValue value) { model_.keys[shape_.architecture + "." + name] = std::move(value); }

  void keys() {
    const auto count = [](int value) { return static_cast<std::uint32_t>(value); };
    model_.keys["general.architecture"] = shape_.architecture;
    key("context_length", count(shape_.context));
    key("embedding_length", count(shape_.embedding));
    key("block_count", count(shape_.layers));
    key("feed_forward_length", count(shape_.feed_forward));
    key("attention.head_count", count(shape_.heads));
    key("attention.head_count_kv", count(shape_.kv_heads));
    key("attention.key_length", count(shape_.head_size));
    key("attention.value_length", count(shape_.head_size));
    if (encoder()) {
      key("attention.layer_norm_epsilon", 1e-5F);
      key("pooling_type", 2U);
      key("attention.causal", false);
    } else {
      key("attention.layer_norm_rms_epsilon", 1e-5F);
    }
    if (shape_.experts > 0) {
      key("expert_count", count(shape_.experts));
      key("expert_used_count", 2U);
    }
    if (shape_.shared_feed_forward > 0) key("expert_shared_feed_forward_length", count(shape_.shared_feed_forward));
    if (any_of({"qwen3moe", "gpt-oss"})) key("expert_feed_forward_length", count(shape_.feed_forward));
    family_keys();
  }
  /// What the converter writes for one family alone. Windows and contexts are short enough to matter in a test.
  void family_keys() {
    if (gemma()) {
      key("attention.sliding_window", 12U);
      key("rope.freq_base", 1e6F);
      key("final_logit_softcapping", 3.0F);
    }
    if (is("gemma2")) key("attn_logit_softcapping", 2.0F);
    if (granite()) {
      key("embedding_scale", 12.0F);
      key("residual_scale", 0.22F);
      key("attention.scale", 0.03F);
      key("logit_scale", 8.0F);
    }
    if (is("mistral3")) {
      key("rope.scaling.type", std::string("yarn"));
      key("rope.scaling.factor", 16.0F);
      key("rope.scaling.original_context_length", 96U);
      key("rope.scaling.yarn_log_multiplier", 1.0F);
      key("attention.temperature_scale", 0.1F);
    }
    if (is("gpt-oss")) {
      key("attention.sliding_window", 12U);
      key("rope.freq_base", 150000.0F);
      key("rope.scaling.type", std::string("yarn"));
      key("rope.scaling.factor", 32.0F);
      key("rope.scaling.original_context_length", 96U);
    }
    if (is("glm4")) key("rope.dimension_count", static_cast<std::uint32_t>(shape_.head_size / 2));
    if (is("nomic-bert")) key("rope.freq_base", 1000.0F);
    if (is("jina-bert-v3")) key("rope.freq_base", 20000.0F);
    if (is("modern-bert")) {
      key("attention.sliding_window", 12U);
      key("attention.sliding_window_pattern", 3U);
      key("rope.freq_base", 160000.0F);
      key("rope.freq_base_swa", 10000.0F);
      key("rope.scaling.type", std::string("none"));
    }
    if (is("phi3")) {
      key("rope.scaling.original_context_length", 96U);
      key("rope.scaling.attn_factor", 1.19F);
      key("attention.sliding_window", 12U);
    }
  }

  void tensor(const std::string& name, DType dtype, std::vector<std::int64_t> dims, float spread) {
    std::int64_t elements = 1;
    for (const std::int64_t dim : dims) elements *= dim;
    model_.tensors[name] = {std::move(dims), dtype, shape_.repeated ? repeated_weights(dtype, elements, spread) : random_weights(dtype, elements, spread, random_)};
  }
  std::vector<std::byte> repeated_weights(DType dtype, std::int64_t elements, float spread) {
    const std::vector<std::byte> pattern = random_weights(dtype, std::min<std::int64_t>(elements, 1 << 20), spread, random_);
    std::vector<std::byte> bytes(row_bytes(dtype, elements));
    for (std::size_t at = 0; at < bytes.size(); at += pattern.size()) std::memcpy(bytes.data() + at, pattern.data(), std::min(pattern.size(), bytes.size() - at));
    return bytes;
  }
  void matrix(const std::string& name, int columns, int rows, float spread) {
    const DType wanted = shape_.mixed ? mixed_dtype(name, columns) : shape_.dtype;
    const bool fits = columns % info_of(wanted).block_elements == 0;
    tensor(name, fits ? wanted : DType::f16, {columns, rows}, spread);
  }
  DType mixed_dtype(const std::string& name, int columns) const {
    const bool by_256 = columns % 256 == 0;
    bool finer = name == "output.weight" || (shape_.tied && name == "token_embd.weight");
    if (name.find("attn_v") != std::string::npos || name.find("ffn_down") != std::string::npos) {
      const int layer = std::stoi(name.substr(4));
      const int eighth = shape_.layers / 8;
      finer = layer < eighth || layer >= 7 * eighth || (layer - eighth) % 3 == 2;
    }
    if (finer) return by_256 ? DType::q6_k : DType::q8_0;
    return by_256 ? DType::q4_k : DType::q5_0;
  }
  void vector(const std::string& name, int count, float centre, float spread) {
    std::vector<float> values;
    std::normal_distribution<float> normal(centre, spread);
    for (int i = 0; i < count; i++) values.push_back(normal(random_));
    std::vector<std::byte> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    model_.tensors[name] = {{count}, DType::f32, std::move(bytes)};
  }
  void norm(const std::string& stem) {
    vector(stem + ".weight", shape_.embedding, 1, 0.2F);
    if (post_norms()) vector(stem + ".bias", shape_.embedding, 0, 0.2F);
  }
  void linear(const std::string& stem, int columns, int rows, bool bias) {
    matrix(stem + ".weight", columns, rows, 1 / std::sqrt(static_cast<float>(columns)));
    if (bias) vector(stem + ".bias", rows, 0, 0.3F);
  }

  void layer(const std::string& block) {
    const int width = shape_.embedding;
    const int queries = shape_.heads * shape_.head_size;
    const int keys = shape_.kv_heads * shape_.head_size;
    const bool biased = any_of({"bert", "qwen2", "jina-bert-v2", "jina-bert-v3", "gpt-oss", "glm4"});
    if (!post_norms() && !(is("modern-bert") && block == "blk.0.")) norm(block + "attn_norm");
    if (any_of({"phi3", "nomic-bert", "jina-bert-v3", "modern-bert"})) {
      linear(block + "attn_qkv", width, queries + 2 * keys, biased);
    } else {
      linear(block + "attn_q", width, queries, biased);
      linear(block + "attn_k", width, keys, biased);
      linear(block + "attn_v", width, keys, biased);
    }
    if (is("qwen3") || is("qwen3moe") || is("gemma3")) {
      vector(block + "attn_q_norm.weight", shape_.head_size, 1, 0.2F);
      vector(block + "attn_k_norm.weight", shape_.head_size, 1, 0.2F);
    }
    if (is("gpt-oss")) vector(block + "attn_sinks.weight", shape_.heads, 1, 1);
    linear(block + "attn_output", queries, width, any_of({"bert", "jina-bert-v2", "jina-bert-v3", "gpt-oss"}));
    norm(block + (post_norms() ? "attn_output_norm" : is("gpt-oss") ? "post_attention_norm" : "ffn_norm"));
    feed_forward(block);
    if (gemma() || is("glm4")) {
      norm(block + "post_attention_norm");
      norm(block + "post_ffw_norm");
    }
    if (post_norms()) norm(block + "layer_output_norm");
  }

  void feed_forward(const std::string& block) {
    const int width = shape_.embedding;
    const bool fused = any_of({"phi3", "glm4", "modern-bert"});
    if (shape_.experts == 0) {
      if (!fused && !plain_feed_forward()) linear(block + "ffn_gate", width, shape_.feed_forward, false);
      linear(block + "ffn_up", width, (fused ? 2 : 1) * shape_.feed_forward, plain_feed_forward());
      linear(block + "ffn_down", shape_.feed_forward, width, plain_feed_forward() || is("jina-bert-v2"));
      return;
    }
    const float spread = 1 / std::sqrt(static_cast<float>(width));
    tensor(block + "ffn_gate_inp.weight", DType::f32, {width, shape_.experts}, spread);
    tensor(block + "ffn_gate_exps.weight", shape_.dtype, {width, shape_.feed_forward, shape_.experts}, spread);
    tensor(block + "ffn_up_exps.weight", shape_.dtype, {width, shape_.feed_forward, shape_.experts}, spread);
    tensor(block + "ffn_down_exps.weight", shape_.dtype, {shape_.feed_forward, width, shape_.experts}, spread);
    if (shape_.shared_feed_forward > 0) {
      linear(block + "ffn_gate_shexp", width, shape_.shared_feed_forward, false);
      linear(block + "ffn_up_shexp", width, shape_.shared_feed_forward, false);
      linear(block + "ffn_down_shexp", shape_.shared_feed_forward, width, false);
    }
    if (!is("gpt-oss")) return;
    tensor(block + "ffn_gate_inp.bias", DType::f32, {shape_.experts}, 0.5F);
    tensor(block + "ffn_gate_exps.bias", DType::f32, {shape_.feed_forward, shape_.experts}, 0.5F);
    tensor(block + "ffn_up_exps.bias", DType::f32, {shape_.feed_forward, shape_.experts}, 0.5F);
    tensor(block + "ffn_down_exps.bias", DType::f32, {width, shape_.experts}, 0.5F);
  }

  MadeShape shape_;
  std::mt19937 random_;
  MadeModel model_;
};

void write_value(Writer& out, std::uint32_t value) { out.number(std::uint32_t{4}), out.number(value); }
void write_value(Writer& out, float value) { out.number(std::uint32_t{6}), out.number(value); }
void write_value(Writer& out, bool value) { out.number(std::uint32_t{7}), out.number(static_cast<std::uint8_t>(value)); }
void write_value(Writer& out, const std::string& value) { out.number(std::uint32_t{8}), out.text(value); }
void write_value(Writer& out, const std::vector<std::string>& values) {
  out.number(std::uint32_t{9}), out.number(std::uint32_t{8}), out.number(std::uint64_t{values.size()});
  for (const std::string& value : values) out.text(value);
}
void write_value(Writer& out, const std::vector<bool>& values) {
  out.number(std::uint32_t{9}), out.number(std::uint32_t{7}), out.number(std::uint64_t{values.size()});
  for (const bool value : values) out.number(static_cast<std::uint8_t>(value));
}

}  // namespace

std::vector<std::byte> random_weights(DType dtype, std::int64_t elements, float spread, std::mt19937& random) {
  const DTypeInfo& type = info_of(dtype);
  std::vector<std::byte> bytes(row_bytes(dtype, elements));
  if (type.block_elements == 1) {
    std::normal_distribution<float> normal(0, spread);
    for (std::byte* at = bytes.data(); at < bytes.data() + bytes.size(); at += type.block_bytes) {
      const float value = normal(random);
      const std::uint16_t half = dtype == DType::f16 ? f16_from_float(value) : bf16_from_float(value);
      if (dtype == DType::f32) std::memcpy(at, &value, sizeof value);
      if (dtype != DType::f32) std::memcpy(at, &half, sizeof half);
    }
    return bytes;
  }
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 255);
  if (dtype == DType::iq1_m) {
    // The block's scale is spread over the top four bits of four words; the values have a root mean square of some 7 eighths times a scale of some 8.
    for (std::byte* block = bytes.data(); block < bytes.data() + bytes.size(); block += type.block_bytes) {
      const std::uint16_t d = f16_from_float(spread / 7.0F);
      for (int w = 0; w < 4; w++) block[49 + 2 * w] = (block[49 + 2 * w] & std::byte{15}) | static_cast<std::byte>(((d >> (4 * w)) & 15) << 4);
    }
    return bytes;
  }
  if (dtype == DType::mxfp4) {
    // The values of E2M1 have a root mean square of 2.9; scales are powers of two, here the two around the spread.
    for (std::byte* block = bytes.data(); block < bytes.data() + bytes.size(); block += type.block_bytes) {
      *block = static_cast<std::byte>(127 + static_cast<int>(std::floor(std::log2(spread / 2.9F))) + static_cast<int>(random() % 2));
    }
    return bytes;
  }
  const Scales scales = scales_of(dtype);
  std::vector<float> values(static_cast<std::size_t>(type.block_elements));
  std::uniform_real_distribution<float> vary(0.7F, 1.3F);
  for (std::byte* block = bytes.data(); block < bytes.data() + bytes.size(); block += type.block_bytes) {
    put_f16(block + scales.d, 1);
    if (scales.m >= 0) put_f16(block + scales.m, scales.centre);
    dequantise(dtype, block, type.block_elements, values.data());
    double square = 0;
    for (const float value : values) square += static_cast<double>(value) * static_cast<double>(value);
    const float d = spread * vary(random) / static_cast<float>(std::sqrt(square / type.block_elements));
    put_f16(block + scales.d, d);
    if (scales.m >= 0) put_f16(block + scales.m, d * scales.centre);
  }
  return bytes;
}

MadeModel make_model(const MadeShape& shape, unsigned seed) { return Maker(shape, seed).make(); }

void MadeModel::write(const std::filesystem::path& path) const {
  Writer out(path);
  out.bytes("GGUF", 4);
  out.number(std::uint32_t{3});
  out.number(std::uint64_t{tensors.size()});
  out.number(std::uint64_t{keys.size()});
  for (const auto& [name, value] : keys) {
    out.text(name);
    std::visit([&](const auto& typed) { write_value(out, typed); }, value);
  }
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    out.text(name);
    out.number(static_cast<std::uint32_t>(tensor.dims.size()));
    for (const std::int64_t dim : tensor.dims) out.number(static_cast<std::uint64_t>(dim));
    out.number(static_cast<std::uint32_t>(tensor.dtype));
    out.number(offset);
    offset += (tensor.bytes.size() + 31) / 32 * 32;
  }
  for (const auto& [name, tensor] : tensors) {
    out.align();
    out.bytes(tensor.bytes.data(), tensor.bytes.size());
  }
  out.align();
  out.finish();
}

std::filesystem::path scratch_file(const std::string& name) {
  struct Folder {
    std::filesystem::path path = std::filesystem::temp_directory_path() / ("lectern-native-test-" + std::to_string(getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  };
  static const Folder folder;
  return folder.path / name;
}

}  // namespace lectern::test
