#include "reference_model.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <stdexcept>

#include "reference_math.h"
#include "tensor/dequantise.h"

namespace lectern::test {
namespace {

/// The keys and weights of a made model by name.
class Source {
 public:
  explicit Source(const MadeModel& model) : model_(model), architecture(std::get<std::string>(model.keys.at("general.architecture"))) {}

  double number(const std::string& name, double otherwise) const {
    const auto found = model_.keys.find(architecture + "." + name);
    if (found == model_.keys.end()) return otherwise;
    if (const auto* whole = std::get_if<std::uint32_t>(&found->second)) return *whole;
    return static_cast<double>(std::get<float>(found->second));
  }
  int count(const std::string& name) const { return static_cast<int>(number(name, 0)); }
  std::string text(const std::string& name) const {
    const auto found = model_.keys.find(architecture + "." + name);
    return found == model_.keys.end() ? "" : std::get<std::string>(found->second);
  }
  bool has(const std::string& name) const { return model_.tensors.contains(name); }
  bool has_key(const std::string& name) const { return model_.keys.contains(architecture + "." + name); }
  bool is(std::initializer_list<const char*> names) const { return std::find(names.begin(), names.end(), architecture) != names.end(); }
  /// A key that holds a list of truths; empty where it is absent or something else.
  std::vector<bool> truths(const std::string& name) const {
    const auto found = model_.keys.find(architecture + "." + name);
    const auto* list = found == model_.keys.end() ? nullptr : std::get_if<std::vector<bool>>(&found->second);
    return list == nullptr ? std::vector<bool>() : *list;
  }

  /// `rows` rows of a matrix from row `first` on; all of them for 0.
  std::vector<Values> matrix(const std::string& name, std::int64_t first = 0, std::int64_t rows = 0) const {
    const MadeTensor& tensor = model_.tensors.at(name);
    const std::int64_t columns = tensor.dims[0];
    const std::int64_t all = tensor.dims.size() > 1 ? tensor.dims[1] * (tensor.dims.size() > 2 ? tensor.dims[2] : 1) : 1;
    std::vector<Values> result;
    std::vector<float> row(at(columns));
    for (std::int64_t r = first; r < (rows > 0 ? first + rows : all); r++) {
      dequantise(tensor.dtype, tensor.bytes.data() + at(r) * row_bytes(tensor.dtype, columns), columns, row.data());
      result.emplace_back(row.begin(), row.end());
    }
    return result;
  }
  Values vector(const std::string& name) const { return matrix(name).front(); }
  /// Zeros for a tensor that is absent.
  Values vector_or_zeros(const std::string& name, std::size_t count) const { return has(name) ? vector(name) : Values(count, 0.0); }

 private:
  const MadeModel& model_;

 public:
  const std::string architecture;
};

/// One pass over a text, without a cache.
class Pass {
 public:
  Pass(const MadeModel& model, const std::vector<std::int32_t>& tokens, int second, bool long_context)
      : in_(model), tokens_(tokens), second_(second), long_context_(long_context), heads_(in_.count("attention.head_count")), kv_heads_(in_.count("attention.head_count_kv")), size_(in_.count("attention.key_length")) {
    encoder_ = in_.is({"bert", "nomic-bert", "jina-bert-v2", "jina-bert-v3", "modern-bert"});
    post_norms_ = encoder_ && in_.architecture != "modern-bert";
    gemma_ = in_.is({"gemma2", "gemma3"});
    branch_norms_ = gemma_ || in_.architecture == "glm4";
    rotated_ = in_.is({"bert", "jina-bert-v2"}) ? 0 : static_cast<int>(in_.number("rope.dimension_count", size_));
    epsilon_ = in_.number(encoder_ ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon", 0);
    embed();
    for (int l = 0; l < in_.count("block_count"); l++) post_norms_ ? post_norm_layer(l) : layer(l);
  }

  std::vector<Values> rows() const { return x_; }
  Values final_row(std::size_t row) const { return post_norms_ ? x_[row] : norm("output_norm", x_[row]); }
  bool is_encoder() const { return encoder_; }
  const Source& source() const { return in_; }

 private:
  /// Layer norms of encoders, RMS norms of decoders.
  Values norm(const std::string& stem, const Values& x) const {
    const Values weight = in_.vector(stem + ".weight");
    return encoder_ ? layer_norm(x, weight, in_.vector_or_zeros(stem + ".bias", x.size()), epsilon_) : rms_norm(x, weight, epsilon_);
  }
  Values linear(const std::string& stem, const Values& x) const {
    Values y = times(in_.matrix(stem + ".weight"), x);
    if (in_.has(stem + ".bias")) add(y, in_.vector(stem + ".bias"));
    return y;
  }

  void embed() {
    const std::vector<Values> table = in_.matrix("token_embd.weight");
    double scale = 1;
    if (gemma_) scale = std::sqrt(static_cast<double>(table.front().size()));
    if (in_.is({"granite", "granitemoe"})) scale = in_.number("embedding_scale", 1);
    for (std::size_t i = 0; i < tokens_.size(); i++) {
      Values row(table[at(tokens_[i])].size(), 0.0);
      add(row, table[at(tokens_[i])], scale);
      if (in_.architecture == "bert") add(row, in_.matrix("position_embd.weight", static_cast<std::int64_t>(i), 1).front());
      if (in_.has("token_types.weight")) add(row, in_.matrix("token_types.weight", second_ > 0 && static_cast<int>(i) >= second_ ? 1 : 0, 1).front());
      if (encoder_) row = norm("token_embd_norm", row);
      x_.push_back(row);
    }
  }

  bool is_local(int l) const {
    if (!in_.is({"gemma2", "gemma3", "gpt-oss", "modern-bert"})) return false;
    const std::vector<bool> list = in_.truths("attention.sliding_window_pattern");
    if (!list.empty()) return list[at(l)];
    // Every sixth layer of Gemma 3 is global, every other one of Gemma 2 and GPT-OSS; of ModernBERT the first of three.
    if (in_.architecture == "modern-bert") return l % 3 != 0;
    return in_.architecture == "gemma3" ? l % 6 != 5 : l % 2 == 0;
  }

  double base_of(int l) const {
    const double base = in_.number("rope.freq_base", 10000);
    if (!is_local(l)) return base;
    return in_.number("rope.freq_base_swa", in_.is({"gemma3", "modern-bert"}) ? 10000 : base);
  }

  /// The angle of pair i at a position, and by what sine and cosine are multiplied.
  std::pair<double, double> angle(int l, int i, int position) const {
    double frequency = std::pow(base_of(l), -2.0 * i / rotated_);
    double magnitude = 1;
    if (in_.architecture == "phi3") {
      frequency /= in_.vector(long_context_ ? "rope_factors_long.weight" : "rope_factors_short.weight")[at(i)];
      magnitude = in_.number("rope.scaling.attn_factor", 1);
    }
    // The local layers of Gemma 3 are never scaled.
    if (in_.architecture == "gemma3" && is_local(l)) return {position * frequency, magnitude};
    const double factor = in_.number("rope.scaling.factor", 1);
    if (in_.text("rope.scaling.type") == "linear") frequency /= factor;
    if (in_.text("rope.scaling.type") == "yarn") {
      // Peng et al. 2023: pairs with more than beta_fast turns over the original context stay, those with fewer than beta_slow are slowed down by the factor.
      const double original = in_.number("rope.scaling.original_context_length", 0);
      const auto pair_of = [&](double turns) { return rotated_ * std::log(original / (turns * 2 * M_PI)) / (2 * std::log(base_of(l))); };
      const double low = std::max(0.0, std::floor(pair_of(in_.number("rope.scaling.yarn_beta_fast", 32))));
      const double high = std::min(rotated_ - 1.0, std::ceil(pair_of(in_.number("rope.scaling.yarn_beta_slow", 1))));
      const double keeps = 1 - std::clamp((i - low) / std::max(0.001, high - low), 0.0, 1.0);
      frequency = frequency * keeps + frequency / factor * (1 - keeps);
      // Mistral 3 has mscale_all_dim equal to mscale, which cancels yarn's magnitude.
      if (in_.architecture != "mistral3") magnitude = 1 + 0.1 * std::log(factor);
    }
    return {position * frequency, magnitude};
  }

  /// Of a head only the first elements are rotated, where the file says so.
  void rotate(int l, Values& head, int position) const {
    if (in_.architecture == "smollm3" && (l + 1) % 4 == 0) return;
    const bool adjacent = in_.is({"llama", "smollm3", "granite", "granitemoe", "mistral3", "glm4"});
    for (int i = 0; i < rotated_ / 2; i++) {
      double& a = head[at(adjacent ? 2 * i : i)];
      double& b = head[at(adjacent ? 2 * i + 1 : i + rotated_ / 2)];
      const auto [turned, magnitude] = angle(l, i, position);
      const double first = a;
      a = magnitude * (first * std::cos(turned) - b * std::sin(turned));
      b = magnitude * (first * std::sin(turned) + b * std::cos(turned));
    }
  }

  /// (rows, heads of this projection, head size): rotated where `which` is no value.
  std::vector<std::vector<Values>> project(int l, char which, const std::vector<Values>& normed) const {
    const std::string block = "blk." + std::to_string(l) + ".";
    const int heads = which == 'q' ? heads_ : kv_heads_;
    std::vector<Values> weight;
    Values fused_bias;
    if (in_.has(block + "attn_qkv.weight")) {
      const int first = which == 'q' ? 0 : which == 'k' ? heads_ * size_ : (heads_ + kv_heads_) * size_;
      weight = in_.matrix(block + "attn_qkv.weight", first, heads * size_);
      const Values all = in_.vector_or_zeros(block + "attn_qkv.bias", at((heads_ + 2 * kv_heads_) * size_));
      fused_bias.assign(all.begin() + first, all.begin() + first + heads * size_);
    } else {
      weight = in_.matrix(block + "attn_" + which + ".weight");
    }
    const std::string bias = block + "attn_" + which + ".bias";
    const std::string norm = block + "attn_" + which + "_norm.weight";
    std::vector<std::vector<Values>> result;
    for (std::size_t r = 0; r < normed.size(); r++) {
      Values whole = times(weight, normed[r]);
      if (in_.has(bias)) add(whole, in_.vector(bias));
      if (!fused_bias.empty()) add(whole, fused_bias);
      std::vector<Values> split;
      for (int h = 0; h < heads; h++) {
        Values head(whole.begin() + h * size_, whole.begin() + (h + 1) * size_);
        if (which != 'v' && in_.has(norm)) head = rms_norm(head, in_.vector(norm), epsilon_);
        if (which != 'v') rotate(l, head, static_cast<int>(r));
        split.push_back(head);
      }
      result.push_back(split);
    }
    return result;
  }

  std::vector<Values> attention(int l, const std::vector<Values>& normed) const {
    const std::string block = "blk." + std::to_string(l) + ".";
    const auto q = project(l, 'q', normed);
    const auto k = project(l, 'k', normed);
    const auto v = project(l, 'v', normed);
    double scale = 1 / std::sqrt(static_cast<double>(size_));
    if (in_.is({"granite", "granitemoe"})) scale = in_.number("attention.scale", scale);
    const double cap = in_.number("attn_logit_softcapping", 0);
    const int window = is_local(l) ? in_.count("attention.sliding_window") : 0;
    const Values sinks = in_.has(block + "attn_sinks.weight") ? in_.vector(block + "attn_sinks.weight") : Values();
    std::vector<Values> out;
    for (int r = 0; r < static_cast<int>(normed.size()); r++) {
      Values row;
      for (int h = 0; h < heads_; h++) {
        const std::size_t shared = at(h / (heads_ / kv_heads_));
        Values sum(at(size_), 0.0);
        double total = sinks.empty() ? 0 : std::exp(sinks[at(h)]);
        for (int p = 0; p < static_cast<int>(normed.size()); p++) {
          if (!encoder_ && p > r) continue;
          if (window > 0 && (encoder_ ? std::abs(r - p) > window / 2 : r - p >= window)) continue;
          double score = 0;
          for (int d = 0; d < size_; d++) score += q[at(r)][at(h)][at(d)] * k[at(p)][shared][at(d)] * scale;
          if (cap > 0) score = cap * std::tanh(score / cap);
          if (in_.architecture == "jina-bert-v2") score -= slope_of(h) * std::abs(r - p);
          total += std::exp(score);
          add(sum, v[at(p)][shared], std::exp(score));
        }
        for (const double value : sum) row.push_back(value / total);
      }
      out.push_back(row);
    }
    return out;
  }

  /// Press et al. 2021: a geometric series; heads beyond a power of two take every other member of the series for twice as many.
  double slope_of(int head) const {
    int low = 1;
    while (2 * low <= heads_) low *= 2;
    const double ratio = std::pow(2, -8.0 / low);
    return head < low ? std::pow(ratio, head + 1) : std::pow(std::sqrt(ratio), 2 * (head - low) + 1);
  }

  double activated(double gate, double up) const {
    if (gemma_) return gelu_tanh(gate) * up;
    if (in_.is({"jina-bert-v2", "modern-bert"})) return gelu_erf(gate) * up;
    if (in_.architecture != "gpt-oss") return silu(gate) * up;
    const double bounded = std::min(gate, 7.0);
    return bounded / (1 + std::exp(-1.702 * bounded)) * (std::clamp(up, -7.0, 7.0) + 1);
  }

  Values feed_forward(const std::string& block, const Values& x) const {
    if (in_.has(block + "ffn_gate_inp.weight")) {
      Values sum = experts(block, x);
      if (in_.has(block + "ffn_up_shexp.weight")) add(sum, shared(block, x));
      return sum;
    }
    const int width = in_.count("feed_forward_length");
    const bool fused = !in_.has(block + "ffn_gate.weight");
    Values gate = times(fused ? in_.matrix(block + "ffn_up.weight", 0, width) : in_.matrix(block + "ffn_gate.weight"), x);
    const Values up = times(fused ? in_.matrix(block + "ffn_up.weight", width, width) : in_.matrix(block + "ffn_up.weight"), x);
    for (std::size_t i = 0; i < gate.size(); i++) gate[i] = activated(gate[i], up[i]);
    return linear(block + "ffn_down", gate);
  }

  /// Granite's layer beside the experts, which every token passes.
  Values shared(const std::string& block, const Values& x) const {
    Values gate = linear(block + "ffn_gate_shexp", x);
    const Values up = linear(block + "ffn_up_shexp", x);
    for (std::size_t i = 0; i < gate.size(); i++) gate[i] = silu(gate[i]) * up[i];
    return linear(block + "ffn_down_shexp", gate);
  }

  Values experts(const std::string& block, const Values& x) const {
    const Values scores = linear(block + "ffn_gate_inp", x);
    std::vector<int> order;
    for (int e = 0; e < static_cast<int>(scores.size()); e++) order.push_back(e);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return scores[at(a)] > scores[at(b)]; });
    order.resize(at(in_.count("expert_used_count")));
    double total = 0;
    for (const int e : order) total += std::exp(scores[at(e)]);
    const int width = in_.count(in_.is({"qwen3moe", "gpt-oss"}) ? "expert_feed_forward_length" : "feed_forward_length");
    Values sum(x.size(), 0.0);
    for (const int e : order) {
      const auto product = [&](const std::string& stem, std::int64_t rows, const Values& in) {
        Values y = times(in_.matrix(block + stem + ".weight", e * rows, rows), in);
        if (in_.has(block + stem + ".bias")) add(y, in_.matrix(block + stem + ".bias")[at(e)]);
        return y;
      };
      Values gate = product("ffn_gate_exps", width, x);
      const Values up = product("ffn_up_exps", width, x);
      for (std::size_t i = 0; i < gate.size(); i++) gate[i] = activated(gate[i], up[i]);
      add(sum, product("ffn_down_exps", static_cast<std::int64_t>(x.size()), gate), std::exp(scores[at(e)]) / total);
    }
    return sum;
  }

  void layer(int l) {
    const std::string block = "blk." + std::to_string(l) + ".";
    const double residual = in_.is({"granite", "granitemoe"}) ? in_.number("residual_scale", 1) : 1;
    // The first layer of ModernBERT has no norm before attention; GPT-OSS calls the second norm by the name of what it follows.
    const bool bare = in_.architecture == "modern-bert" && l == 0;
    const std::string second = in_.architecture == "gpt-oss" ? "post_attention_norm" : "ffn_norm";
    std::vector<Values> normed;
    for (const Values& row : x_) normed.push_back(bare ? row : norm(block + "attn_norm", row));
    const std::vector<Values> attended = attention(l, normed);
    for (std::size_t r = 0; r < x_.size(); r++) {
      Values branch = linear(block + "attn_output", attended[r]);
      if (branch_norms_) branch = norm(block + "post_attention_norm", branch);
      add(x_[r], branch, residual);
      branch = feed_forward(block, norm(block + second, x_[r]));
      if (branch_norms_) branch = norm(block + "post_ffw_norm", branch);
      add(x_[r], branch, residual);
    }
  }

  void post_norm_layer(int l) {
    const std::string block = "blk." + std::to_string(l) + ".";
    const std::vector<Values> attended = attention(l, x_);
    for (std::size_t r = 0; r < x_.size(); r++) {
      add(x_[r], linear(block + "attn_output", attended[r]));
      x_[r] = norm(block + "attn_output_norm", x_[r]);
      if (in_.is({"bert", "jina-bert-v3"})) {
        Values hidden = linear(block + "ffn_up", x_[r]);
        std::transform(hidden.begin(), hidden.end(), hidden.begin(), gelu_erf);
        add(x_[r], linear(block + "ffn_down", hidden));
      } else {
        add(x_[r], feed_forward(block, x_[r]));
      }
      x_[r] = norm(block + "layer_output_norm", x_[r]);
    }
  }

  Source in_;
  const std::vector<std::int32_t>& tokens_;
  int second_;
  bool long_context_;
  int heads_, kv_heads_, size_;
  int rotated_ = 0;  // elements of a head
  bool encoder_ = false;
  bool post_norms_ = false;
  bool branch_norms_ = false;
  bool gemma_ = false;
  double epsilon_ = 0;
  std::vector<Values> x_;
};

}  // namespace

Values reference_logits(const MadeModel& model, const std::vector<std::int32_t>& tokens, bool long_context) {
  const Pass pass(model, tokens, 0, long_context);
  const Source& in = pass.source();
  Values logits = times(in.matrix(in.has("output.weight") ? "output.weight" : "token_embd.weight"), pass.final_row(tokens.size() - 1));
  if (in.is({"granite", "granitemoe"})) std::transform(logits.begin(), logits.end(), logits.begin(), [&](double value) { return value / in.number("logit_scale", 1); });
  const double cap = in.number("final_logit_softcapping", 0);
  if (cap > 0) std::transform(logits.begin(), logits.end(), logits.begin(), [&](double value) { return cap * std::tanh(value / cap); });
  return logits;
}

Values reference_output(const MadeModel& model, const std::vector<std::int32_t>& tokens, int second) {
  const Pass pass(model, tokens, second, false);
  const Source& in = pass.source();
  const int pooling = in.count("pooling_type");
  Values pooled = pass.final_row(pooling == 2 || (pooling == 4 && pass.is_encoder()) ? 0 : tokens.size() - 1);
  if (pooling == 1) {
    pooled.assign(pooled.size(), 0.0);
    for (std::size_t r = 0; r < tokens.size(); r++) add(pooled, pass.final_row(r), 1 / static_cast<double>(tokens.size()));
  }
  if (pooling != 4) return pooled;
  if (in.has("cls.weight")) {
    pooled = times(in.matrix("cls.weight"), pooled);
    add(pooled, in.vector("cls.bias"));
    std::transform(pooled.begin(), pooled.end(), pooled.begin(), [](double value) { return std::tanh(value); });
  }
  Values classes = times(in.matrix("cls.output.weight"), pooled);
  if (in.has("cls.output.bias")) add(classes, in.vector("cls.output.bias"));
  // Qwen3-Reranker: the share of "yes", which comes first, in the softmax of both; as a logit that is their difference.
  return classes.size() == 2 ? Values{classes[0] - classes[1]} : classes;
}

}  // namespace lectern::test
