#include "reference_model.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tensor/dequantise.h"

namespace lectern::test {
namespace {

using Values = std::vector<double>;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

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

 private:
  const MadeModel& model_;

 public:
  const std::string architecture;
};

Values times(const std::vector<Values>& weight, const Values& x) {
  Values y;
  for (const Values& row : weight) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); i++) sum += row[i] * x[i];
    y.push_back(sum);
  }
  return y;
}

void add(Values& x, const Values& y, double factor = 1) {
  for (std::size_t i = 0; i < x.size(); i++) x[i] += factor * y[i];
}

Values rms_norm(const Values& x, const Values& weight, double epsilon) {
  double squares = 0;
  for (const double value : x) squares += value * value;
  const double size = std::sqrt(squares / static_cast<double>(x.size()) + epsilon);
  Values y;
  for (std::size_t i = 0; i < x.size(); i++) y.push_back(x[i] / size * weight[i]);
  return y;
}

Values layer_norm(const Values& x, const Values& weight, const Values& bias, double epsilon) {
  double mean = 0;
  for (const double value : x) mean += value / static_cast<double>(x.size());
  double variance = 0;
  for (const double value : x) variance += (value - mean) * (value - mean) / static_cast<double>(x.size());
  Values y;
  for (std::size_t i = 0; i < x.size(); i++) y.push_back((x[i] - mean) / std::sqrt(variance + epsilon) * weight[i] + bias[i]);
  return y;
}

double silu(double z) { return z / (1 + std::exp(-z)); }
double gelu_tanh(double z) { return 0.5 * z * (1 + std::tanh(std::sqrt(2 / M_PI) * (z + 0.044715 * std::pow(z, 3)))); }
double gelu_erf(double z) { return 0.5 * z * (1 + std::erf(z / std::sqrt(2.0))); }

/// One pass over a text, without a cache.
class Pass {
 public:
  Pass(const MadeModel& model, const std::vector<std::int32_t>& tokens, int second, bool long_context)
      : in_(model), tokens_(tokens), second_(second), long_context_(long_context), heads_(in_.count("attention.head_count")), kv_heads_(in_.count("attention.head_count_kv")), size_(in_.count("attention.key_length")) {
    encoder_ = in_.architecture == "bert";
    gemma_ = in_.architecture == "gemma2" || in_.architecture == "gemma3";
    epsilon_ = in_.number(encoder_ ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon", 0);
    embed();
    for (int l = 0; l < in_.count("block_count"); l++) encoder_ ? encoder_layer(l) : layer(l);
  }

  std::vector<Values> rows() const { return x_; }
  Values final_row(std::size_t row) const { return encoder_ ? x_[row] : rms_norm(x_[row], in_.vector("output_norm.weight"), epsilon_); }
  const Source& source() const { return in_; }

 private:
  void embed() {
    const std::vector<Values> table = in_.matrix("token_embd.weight");
    double scale = 1;
    if (gemma_) scale = std::sqrt(static_cast<double>(table.front().size()));
    if (in_.architecture == "granite") scale = in_.number("embedding_scale", 1);
    for (std::size_t i = 0; i < tokens_.size(); i++) {
      Values row(table[at(tokens_[i])].size(), 0.0);
      add(row, table[at(tokens_[i])], scale);
      if (encoder_) {
        add(row, in_.matrix("position_embd.weight", static_cast<std::int64_t>(i), 1).front());
        add(row, in_.matrix("token_types.weight", second_ > 0 && static_cast<int>(i) >= second_ ? 1 : 0, 1).front());
        row = layer_norm(row, in_.vector("token_embd_norm.weight"), in_.vector("token_embd_norm.bias"), epsilon_);
      }
      x_.push_back(row);
    }
  }

  bool is_local(int l) const {
    if (in_.architecture == "gemma3") return l % 6 != 5;
    return in_.architecture == "gemma2" && l % 2 == 0;
  }

  /// The angle of pair i at a position, and by what sine and cosine are multiplied.
  std::pair<double, double> angle(int l, int i, int position) const {
    const bool local3 = in_.architecture == "gemma3" && is_local(l);
    double frequency = std::pow(local3 ? 10000 : in_.number("rope.freq_base", 10000), -2.0 * i / size_);
    double magnitude = 1;
    if (in_.architecture == "phi3") {
      frequency /= in_.vector(long_context_ ? "rope_factors_long.weight" : "rope_factors_short.weight")[at(i)];
      magnitude = in_.number("rope.scaling.attn_factor", 1);
    }
    if (in_.text("rope.scaling.type") == "yarn") {
      // Peng et al. 2023: pairs with more than 32 turns over the original context stay, those with fewer than one are slowed down by the factor.
      const double original = in_.number("rope.scaling.original_context_length", 0);
      const double base = in_.number("rope.freq_base", 10000);
      const auto pair_of = [&](double turns) { return size_ * std::log(original / (turns * 2 * M_PI)) / (2 * std::log(base)); };
      const double low = std::max(0.0, std::floor(pair_of(32)));
      const double high = std::min(size_ - 1.0, std::ceil(pair_of(1)));
      const double keeps = 1 - std::clamp((i - low) / std::max(0.001, high - low), 0.0, 1.0);
      const double factor = in_.number("rope.scaling.factor", 1);
      frequency = frequency * keeps + frequency / factor * (1 - keeps);
      // Mistral 3 has mscale_all_dim equal to mscale, which cancels yarn's magnitude.
      if (in_.architecture != "mistral3") magnitude = 1 + 0.1 * std::log(factor);
    }
    return {position * frequency, magnitude};
  }

  void rotate(int l, Values& head, int position) const {
    if (in_.architecture == "smollm3" && (l + 1) % 4 == 0) return;
    const bool adjacent = in_.architecture == "llama" || in_.architecture == "smollm3" || in_.architecture == "granite" || in_.architecture == "mistral3";
    for (int i = 0; i < size_ / 2; i++) {
      double& a = head[at(adjacent ? 2 * i : i)];
      double& b = head[at(adjacent ? 2 * i + 1 : i + size_ / 2)];
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
    if (in_.has(block + "attn_qkv.weight")) {
      const int first = which == 'q' ? 0 : which == 'k' ? heads_ * size_ : (heads_ + kv_heads_) * size_;
      weight = in_.matrix(block + "attn_qkv.weight", first, heads * size_);
    } else {
      weight = in_.matrix(block + "attn_" + which + ".weight");
    }
    const std::string bias = block + "attn_" + which + ".bias";
    const std::string norm = block + "attn_" + which + "_norm.weight";
    std::vector<std::vector<Values>> result;
    for (std::size_t r = 0; r < normed.size(); r++) {
      Values whole = times(weight, normed[r]);
      if (in_.has(bias)) add(whole, in_.vector(bias));
      std::vector<Values> split;
      for (int h = 0; h < heads; h++) {
        Values head(whole.begin() + h * size_, whole.begin() + (h + 1) * size_);
        if (which != 'v' && in_.has(norm)) head = rms_norm(head, in_.vector(norm), epsilon_);
        if (which != 'v' && !encoder_) rotate(l, head, static_cast<int>(r));
        split.push_back(head);
      }
      result.push_back(split);
    }
    return result;
  }

  std::vector<Values> attention(int l, const std::vector<Values>& normed) const {
    const auto q = project(l, 'q', normed);
    const auto k = project(l, 'k', normed);
    const auto v = project(l, 'v', normed);
    double scale = 1 / std::sqrt(static_cast<double>(size_));
    if (in_.architecture == "granite") scale = in_.number("attention.scale", scale);
    const double cap = in_.number("attn_logit_softcapping", 0);
    const int window = gemma_ && is_local(l) ? in_.count("attention.sliding_window") : 0;
    std::vector<Values> out;
    for (int r = 0; r < static_cast<int>(normed.size()); r++) {
      Values row;
      for (int h = 0; h < heads_; h++) {
        const std::size_t shared = at(h / (heads_ / kv_heads_));
        Values sum(at(size_), 0.0);
        double total = 0;
        for (int p = window > 0 ? std::max(0, r - window + 1) : 0; p < static_cast<int>(normed.size()) && (encoder_ || p <= r); p++) {
          double score = 0;
          for (int d = 0; d < size_; d++) score += q[at(r)][at(h)][at(d)] * k[at(p)][shared][at(d)] * scale;
          if (cap > 0) score = cap * std::tanh(score / cap);
          total += std::exp(score);
          add(sum, v[at(p)][shared], std::exp(score));
        }
        for (const double value : sum) row.push_back(value / total);
      }
      out.push_back(row);
    }
    return out;
  }

  Values feed_forward(const std::string& block, const Values& x) const {
    if (in_.has(block + "ffn_gate_inp.weight")) return experts(block, x);
    const int width = in_.count("feed_forward_length");
    const bool fused = !in_.has(block + "ffn_gate.weight");
    Values gate = times(fused ? in_.matrix(block + "ffn_up.weight", 0, width) : in_.matrix(block + "ffn_gate.weight"), x);
    const Values up = times(fused ? in_.matrix(block + "ffn_up.weight", width, width) : in_.matrix(block + "ffn_up.weight"), x);
    for (std::size_t i = 0; i < gate.size(); i++) gate[i] = (gemma_ ? gelu_tanh(gate[i]) : silu(gate[i])) * up[i];
    return times(in_.matrix(block + "ffn_down.weight"), gate);
  }

  Values experts(const std::string& block, const Values& x) const {
    const Values scores = times(in_.matrix(block + "ffn_gate_inp.weight"), x);
    std::vector<int> order;
    for (int e = 0; e < static_cast<int>(scores.size()); e++) order.push_back(e);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return scores[at(a)] > scores[at(b)]; });
    order.resize(at(in_.count("expert_used_count")));
    double total = 0;
    for (const int e : order) total += std::exp(scores[at(e)]);
    const int width = in_.count(in_.architecture == "qwen3moe" ? "expert_feed_forward_length" : "feed_forward_length");
    Values sum(x.size(), 0.0);
    for (const int e : order) {
      Values gate = times(in_.matrix(block + "ffn_gate_exps.weight", std::int64_t{e} * width, width), x);
      const Values up = times(in_.matrix(block + "ffn_up_exps.weight", std::int64_t{e} * width, width), x);
      for (std::size_t i = 0; i < gate.size(); i++) gate[i] = silu(gate[i]) * up[i];
      const auto out = static_cast<std::int64_t>(x.size());
      add(sum, times(in_.matrix(block + "ffn_down_exps.weight", e * out, out), gate), std::exp(scores[at(e)]) / total);
    }
    return sum;
  }

  void layer(int l) {
    const std::string block = "blk." + std::to_string(l) + ".";
    const double residual = in_.architecture == "granite" ? in_.number("residual_scale", 1) : 1;
    std::vector<Values> normed;
    for (const Values& row : x_) normed.push_back(rms_norm(row, in_.vector(block + "attn_norm.weight"), epsilon_));
    const std::vector<Values> attended = attention(l, normed);
    const std::vector<Values> output = in_.matrix(block + "attn_output.weight");
    for (std::size_t r = 0; r < x_.size(); r++) {
      Values branch = times(output, attended[r]);
      if (gemma_) branch = rms_norm(branch, in_.vector(block + "post_attention_norm.weight"), epsilon_);
      add(x_[r], branch, residual);
      branch = feed_forward(block, rms_norm(x_[r], in_.vector(block + "ffn_norm.weight"), epsilon_));
      if (gemma_) branch = rms_norm(branch, in_.vector(block + "post_ffw_norm.weight"), epsilon_);
      add(x_[r], branch, residual);
    }
  }

  void encoder_layer(int l) {
    const std::string block = "blk." + std::to_string(l) + ".";
    const auto linear = [&](const std::string& stem, const Values& in) {
      Values out = times(in_.matrix(block + stem + ".weight"), in);
      add(out, in_.vector(block + stem + ".bias"));
      return out;
    };
    const auto norm = [&](const std::string& stem, const Values& in) { return layer_norm(in, in_.vector(block + stem + ".weight"), in_.vector(block + stem + ".bias"), epsilon_); };
    const std::vector<Values> attended = attention(l, x_);
    for (std::size_t r = 0; r < x_.size(); r++) {
      add(x_[r], linear("attn_output", attended[r]));
      x_[r] = norm("attn_output_norm", x_[r]);
      Values hidden = linear("ffn_up", x_[r]);
      std::transform(hidden.begin(), hidden.end(), hidden.begin(), gelu_erf);
      add(x_[r], linear("ffn_down", hidden));
      x_[r] = norm("layer_output_norm", x_[r]);
    }
  }

  Source in_;
  const std::vector<std::int32_t>& tokens_;
  int second_;
  bool long_context_;
  int heads_, kv_heads_, size_;
  bool encoder_ = false;
  bool gemma_ = false;
  double epsilon_ = 0;
  std::vector<Values> x_;
};

}  // namespace

Values reference_logits(const MadeModel& model, const std::vector<std::int32_t>& tokens, bool long_context) {
  const Pass pass(model, tokens, 0, long_context);
  const Source& in = pass.source();
  Values logits = times(in.matrix(in.has("output.weight") ? "output.weight" : "token_embd.weight"), pass.final_row(tokens.size() - 1));
  if (in.architecture == "granite") std::transform(logits.begin(), logits.end(), logits.begin(), [&](double value) { return value / in.number("logit_scale", 1); });
  const double cap = in.number("final_logit_softcapping", 0);
  if (cap > 0) std::transform(logits.begin(), logits.end(), logits.begin(), [&](double value) { return cap * std::tanh(value / cap); });
  return logits;
}

Values reference_output(const MadeModel& model, const std::vector<std::int32_t>& tokens, int second) {
  const Pass pass(model, tokens, second, false);
  const Source& in = pass.source();
  const int pooling = in.count("pooling_type");
  Values pooled = pass.final_row(pooling == 2 || (pooling == 4 && in.architecture == "bert") ? 0 : tokens.size() - 1);
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
