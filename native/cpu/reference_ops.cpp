#include "cpu/reference_ops.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <numeric>
#include <vector>

#include "tensor/dequantise.h"
#include "tensor/half.h"

namespace lectern::cpu {
namespace {

using Values = std::vector<double>;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

/// Row `index` of expert `part` as the format defines its values.
void read_row(const Matrix& matrix, int part, int index, std::vector<float>& row) {
  const Tensor& tensor = static_cast<const Tensor*>(matrix.data)[part];
  row.resize(at(matrix.columns));
  dequantise(tensor.dtype, tensor.data + at(index) * row_bytes(tensor.dtype, matrix.columns), matrix.columns, row.data());
}

/// y[r] = W in[r] + bias for each row of in.
std::vector<Values> multiply(const Matrix& weight, int part, const float* bias, const std::vector<Values>& in) {
  std::vector<Values> out(in.size(), Values(at(weight.rows)));
  std::vector<float> row;
  for (int o = 0; o < weight.rows; o++) {
    read_row(weight, part, o, row);
    for (std::size_t r = 0; r < in.size(); r++) {
      double sum = bias == nullptr ? 0 : static_cast<double>(bias[o]);
      for (std::size_t c = 0; c < row.size(); c++) sum += static_cast<double>(row[c]) * in[r][c];
      out[r][at(o)] = sum;
    }
  }
  return out;
}

Values row_of(const float* x, int row, int columns) {
  const float* begin = x + static_cast<std::ptrdiff_t>(row) * columns;
  return Values(begin, begin + columns);
}

std::vector<Values> rows_of(const float* x, int rows, int columns) {
  std::vector<Values> result;
  for (int r = 0; r < rows; r++) result.push_back(row_of(x, r, columns));
  return result;
}

void write_rows(const std::vector<Values>& rows, float* x) {
  for (const Values& row : rows) x = std::transform(row.begin(), row.end(), x, [](double value) { return static_cast<float>(value); });
}

void add_rows(const std::vector<Values>& rows, float* x) {
  for (const Values& row : rows) {
    for (const double value : row) *x = static_cast<float>(static_cast<double>(*x) + value), x++;
  }
}

Values normed(const Norm& norm, Values x) {
  const double count = static_cast<double>(x.size());
  const double mean = norm.bias == nullptr ? 0 : std::accumulate(x.begin(), x.end(), 0.0) / count;
  double squares = 0;
  for (double& value : x) {
    value -= mean;
    squares += value * value;
  }
  const double scale = 1 / std::sqrt(squares / count + static_cast<double>(norm.epsilon));
  for (std::size_t i = 0; i < x.size(); i++) {
    x[i] = x[i] * scale * static_cast<double>(norm.weight[i]) + (norm.bias == nullptr ? 0 : static_cast<double>(norm.bias[i]));
  }
  return x;
}

std::vector<Values> normed_rows(const Norm& norm, int rows, int columns, const float* x) {
  std::vector<Values> in = rows_of(x, rows, columns);
  if (norm.weight == nullptr) return in;
  for (Values& row : in) row = normed(norm, std::move(row));
  return in;
}

double silu(double z) { return z / (1 + std::exp(-z)); }

double gelu_tanh(double z) { return 0.5 * z * (1 + std::tanh(std::sqrt(2 / M_PI) * (z + 0.044715 * z * z * z))); }

double gelu(double z) { return 0.5 * z * (1 + std::erf(z * M_SQRT1_2)); }

double activate(Activation activation, double z, double u) {
  const auto limit = static_cast<double>(swiglu_limit);
  switch (activation) {
    case Activation::silu: return silu(z) * u;
    case Activation::gelu_tanh: return gelu_tanh(z) * u;
    case Activation::gelu: return gelu(z) * u;
    case Activation::clamped_swiglu: break;
  }
  const double bounded = std::min(z, limit);
  return bounded / (1 + std::exp(-static_cast<double>(swiglu_slope) * bounded)) * (std::clamp(u, -limit, limit) + 1);
}

void turn(const Rope& rope, int position, double* head) {
  for (int i = 0; i < rope.rotated / 2; i++) {
    double& a = head[rope.adjacent ? 2 * i : i];
    double& b = head[rope.adjacent ? 2 * i + 1 : i + rope.rotated / 2];
    const double angle = position * rope.frequencies[i];
    const double magnitude = static_cast<double>(rope.magnitude);
    const double cosine = std::cos(angle) * magnitude;
    const double sine = std::sin(angle) * magnitude;
    const double turned = a * cosine - b * sine;
    b = a * sine + b * cosine;
    a = turned;
  }
}

/// (layer, slot, key or value, position, heads, head_size)
std::size_t kv_offset(const KvShape& shape, int layer, int slot, bool value, int position) {
  const std::int64_t sequence = std::int64_t{2} * (std::int64_t{layer} * shape.slots + slot) + (value ? 1 : 0);
  return at(((sequence * shape.positions) + position) * shape.heads * shape.head_size);
}

float kv_get(const Kv& kv, std::size_t index) {
  if (kv.shape.dtype == DType::f32) return static_cast<const float*>(kv.data)[index];
  return float_from_f16(static_cast<const std::uint16_t*>(kv.data)[index]);
}

void kv_set(const Kv& kv, std::size_t index, double value) {
  const float rounded = static_cast<float>(value);
  if (kv.shape.dtype == DType::f32) {
    static_cast<float*>(kv.data)[index] = rounded;
  } else {
    static_cast<std::uint16_t*>(kv.data)[index] = f16_from_float(rounded);
  }
}

class ReferenceOps final : public Ops {
 public:
  bool supports(Op op, DType dtype) const override {
    return op != Op::attention || dtype == DType::f16 || dtype == DType::f32;
  }

  Matrix load_matrix(const Tensor* parts, int count) override {
    const std::vector<Tensor>& kept = placed_.emplace_back(parts, parts + count);
    return {parts->dtype, static_cast<std::int32_t>(parts->rows()), static_cast<std::int32_t>(parts->row_length()), count, kept.data()};
  }
  Matrix load_table(const Tensor& table) override { return load_matrix(&table, 1); }
  const float* load_vector(const float* values, std::size_t count) override { return vectors_.emplace_back(values, values + count).data(); }
  std::size_t kv_bytes(const KvShape& shape) const override { return reference_kv_bytes(shape); }

  void begin(const Batch& batch, const Rope& rope, const Rope& second) override {
    batch_ = batch;
    rope_ = rope;
    second_rope_ = second;
  }
  void end() override {}

  void embed(const Matrix& table, Rows rows, float* x, float scale) override {
    std::vector<float> row;
    for (int r = rows.first; r < rows.first + rows.count; r++) {
      read_row(table, 0, batch_.tokens[r], row);
      x = std::transform(row.begin(), row.end(), x, [scale](float value) { return value * scale; });
    }
  }

  void add_positions(const Matrix& positions, const float* type_row, Rows rows, float* x) override {
    std::vector<float> row(at(positions.columns));
    for (int r = rows.first; r < rows.first + rows.count; r++) {
      if (positions.data != nullptr) read_row(positions, 0, batch_.positions[r], row);
      for (int c = 0; c < positions.columns; c++) *x++ += row[at(c)] + (type_row == nullptr ? 0 : type_row[c]);
    }
  }

  void project_attention(const AttentionWeights& weights, Rows rows, const float* x, float* q, const Kv& kv, int layer, const PreparedRows&) override {
    const int size = kv.shape.head_size;
    const std::vector<Values> in = normed_rows(weights.norm, rows.count, weights.query.weight.columns, x);
    std::vector<Values> queries = multiply(weights.query.weight, 0, weights.query.bias, in);
    std::vector<Values> keys = multiply(weights.key.weight, 0, weights.key.bias, in);
    const std::vector<Values> values = multiply(weights.value.weight, 0, weights.value.bias, in);
    for (int r = 0; r < rows.count; r++) {
      const int position = batch_.cells[rows.first + r];
      const int slot = batch_.slots[rows.first + r];
      const Rope& rope = weights.second_rope ? second_rope_ : rope_;
      finish_heads(queries[at(r)], size, {weights.query_norm, nullptr, weights.norm.epsilon}, rope, batch_.positions[rows.first + r]);
      finish_heads(keys[at(r)], size, {weights.key_norm, nullptr, weights.norm.epsilon}, rope, batch_.positions[rows.first + r]);
      for (double& value : queries[at(r)]) value /= std::sqrt(static_cast<double>(size));
      for (std::size_t i = 0; i < keys[at(r)].size(); i++) {
        kv_set(kv, kv_offset(kv.shape, layer, slot, false, position) + i, keys[at(r)][i]);
        kv_set(kv, kv_offset(kv.shape, layer, slot, true, position) + i, values[at(r)][i]);
      }
    }
    write_rows(queries, q);
  }

  PreparedRows attend(int heads, Rows rows, const float* q, const Kv& kv, int layer, float* out, const AttentionReach& reach) override {
    const int size = kv.shape.head_size;
    for (int r = 0; r < rows.count; r++) {
      for (int h = 0; h < heads; h++) {
        const std::ptrdiff_t head = (std::ptrdiff_t{r} * heads + h) * size;
        attend_head(rows.first + r, h, q + head, h / (heads / kv.shape.heads), kv, layer, reach, out + head);
      }
    }
    return {};
  }

  void project(const Linear& weights, int rows, const float* in, float* out, const PreparedRows&) override {
    write_rows(multiply(weights.weight, 0, weights.bias, rows_of(in, rows, weights.weight.columns)), out);
  }

  void add_normed(const Norm& norm, int rows, int columns, const float* in, float* x) override { add_rows(normed_rows(norm, rows, columns, in), x); }

  void cap_values(float cap, std::size_t count, float* values) override {
    const auto limit = static_cast<double>(cap);
    std::transform(values, values + count, values, [limit](float value) { return static_cast<float>(limit * std::tanh(static_cast<double>(value) / limit)); });
  }

  PreparedRows project_add(const Linear& weights, int rows, const float* in, float* x, const PreparedRows&, const Norm*) override {
    add_rows(multiply(weights.weight, 0, weights.bias, rows_of(in, rows, weights.weight.columns)), x);
    return {};
  }

  PreparedRows gated(const GatedWeights& weights, int rows, const float* x, float* out, const PreparedRows&) override {
    const std::vector<Values> in = normed_rows(weights.norm, rows, weights.gate.columns, x);
    write_rows(activated(weights.activation, multiply(weights.gate, 0, nullptr, in), multiply(weights.up, 0, nullptr, in)), out);
    return {};
  }

  void project_gelu(const Linear& weights, int rows, const float* x, float* out, const PreparedRows&) override {
    std::vector<Values> result = multiply(weights.weight, 0, weights.bias, rows_of(x, rows, weights.weight.columns));
    for (Values& row : result) std::transform(row.begin(), row.end(), row.begin(), gelu);
    write_rows(result, out);
  }

  void experts(const ExpertWeights& weights, int rows, float* x) override {
    const std::vector<Values> in = normed_rows(weights.norm, rows, weights.router.columns, x);
    const std::vector<Values> scores = multiply(weights.router, 0, weights.router_bias, in);
    for (int r = 0; r < rows; r++) {
      Values share = scores[at(r)];
      const double most = *std::max_element(share.begin(), share.end());
      for (double& value : share) value = std::exp(value - most);
      std::vector<int> order(share.size());
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return share[at(a)] > share[at(b)]; });
      order.resize(at(weights.used));
      double total = 0;
      for (const int e : order) total += share[at(e)];
      Values sum(at(weights.down.rows), 0.0);
      for (const int e : order) {
        const auto bias_of = [e](const float* biases, const Matrix& matrix) { return biases == nullptr ? nullptr : biases + std::ptrdiff_t{e} * matrix.rows; };
        const std::vector<Values> gates = multiply(weights.gate, e, bias_of(weights.gate_bias, weights.gate), {in[at(r)]});
        const std::vector<Values> ups = multiply(weights.up, e, bias_of(weights.up_bias, weights.up), {in[at(r)]});
        const std::vector<Values> part = multiply(weights.down, e, bias_of(weights.down_bias, weights.down), activated(weights.activation, gates, ups));
        for (std::size_t i = 0; i < sum.size(); i++) sum[i] += share[at(e)] / total * part[0][i];
      }
      add_rows({sum}, x + std::ptrdiff_t{r} * weights.down.rows);
    }
  }

  PreparedRows normalise(const Norm& norm, int rows, int columns, float* x) override { write_rows(normed_rows(norm, rows, columns, x), x); return {}; }

  void logits(const Norm& norm, const Matrix& weights, const std::int32_t* chosen, int count, const float* x, float* logits) override {
    std::vector<Values> in;
    for (int i = 0; i < count; i++) in.push_back(normed(norm, row_of(x, chosen[i], weights.columns)));
    write_rows(multiply(weights, 0, nullptr, in), logits);
  }

  void pool(Pooling pooling, int rows, int columns, const float* x, float* out) override {
    Values sum(at(columns), 0.0);
    const int first = pooling == Pooling::last ? rows - 1 : 0;
    const int last = pooling == Pooling::first ? 0 : rows - 1;
    for (int r = first; r <= last; r++) {
      const Values row = row_of(x, r, columns);
      std::transform(row.begin(), row.end(), sum.begin(), sum.begin(), std::plus<>());
    }
    for (double& value : sum) value /= last - first + 1;
    write_rows({sum}, out);
  }

  void copy_positions(const Kv& kv, int from_slot, int to_slot, int count) override {
    const std::size_t element = kv.shape.dtype == DType::f32 ? 4 : 2;
    for (int layer = 0; layer < kv.shape.layers; layer++) {
      for (const bool value : {false, true}) {
        const std::size_t from = kv_offset(kv.shape, layer, from_slot, value, 0);
        const std::size_t to = kv_offset(kv.shape, layer, to_slot, value, 0);
        auto* bytes = static_cast<std::byte*>(kv.data);
        std::memmove(bytes + to * element, bytes + from * element, at(count) * at(kv.shape.heads) * at(kv.shape.head_size) * element);
      }
    }
  }

 private:
  static void finish_heads(Values& row, int size, const Norm& norm, const Rope& rope, int position) {
    for (std::size_t begin = 0; begin < row.size(); begin += at(size)) {
      Values head(row.begin() + static_cast<std::ptrdiff_t>(begin), row.begin() + static_cast<std::ptrdiff_t>(begin) + size);
      if (norm.weight != nullptr) head = normed(norm, std::move(head));
      turn(rope, position, head.data());
      std::copy(head.begin(), head.end(), row.begin() + static_cast<std::ptrdiff_t>(begin));
    }
  }

  void attend_head(int row, int query_head, const float* q, int head, const Kv& kv, int layer, const AttentionReach& reach, float* out) const {
    const int size = kv.shape.head_size;
    const int slot = batch_.slots[row];
    const int first = reach.local ? batch_.local_first[row] : batch_.first[row];
    const int seen = (reach.local ? batch_.local_visible[row] : batch_.visible[row]) - first;
    Values share(at(seen));
    for (int p = 0; p < seen; p++) {
      const std::size_t key = kv_offset(kv.shape, layer, slot, false, first + p) + at(head) * at(size);
      for (int d = 0; d < size; d++) share[at(p)] += static_cast<double>(q[d]) * static_cast<double>(kv_get(kv, key + at(d)));
    }
    const auto cap = static_cast<double>(reach.cap);
    for (double& value : share) value = cap > 0 ? cap * std::tanh(value / cap) : value;
    if (reach.slopes != nullptr) {
      for (int p = 0; p < seen; p++) share[at(p)] -= static_cast<double>(reach.slopes[query_head]) * std::abs(batch_.cells[row] - first - p);
    }
    double most = *std::max_element(share.begin(), share.end());
    if (reach.sinks != nullptr) most = std::max(most, static_cast<double>(reach.sinks[query_head]));
    double total = reach.sinks == nullptr ? 0 : std::exp(static_cast<double>(reach.sinks[query_head]) - most);
    for (double& value : share) total += value = std::exp(value - most);
    Values sum(at(size), 0.0);
    for (int p = 0; p < seen; p++) {
      const std::size_t value = kv_offset(kv.shape, layer, slot, true, first + p) + at(head) * at(size);
      for (int d = 0; d < size; d++) sum[at(d)] += share[at(p)] / total * static_cast<double>(kv_get(kv, value + at(d)));
    }
    write_rows({sum}, out);
  }

  static std::vector<Values> activated(Activation activation, std::vector<Values> gates, const std::vector<Values>& ups) {
    for (std::size_t r = 0; r < gates.size(); r++) {
      for (std::size_t i = 0; i < gates[r].size(); i++) gates[r][i] = activate(activation, gates[r][i], ups[r][i]);
    }
    return gates;
  }

  Batch batch_{};
  Rope rope_{}, second_rope_{};
  std::deque<std::vector<Tensor>> placed_;
  std::deque<std::vector<float>> vectors_;
};

}  // namespace

std::size_t reference_kv_bytes(const KvShape& shape) { return kv_offset(shape, shape.layers, 0, false, 0) * (shape.dtype == DType::f32 ? 4 : 2); }

std::unique_ptr<Ops> make_reference_ops(const OpsShape&) { return std::make_unique<ReferenceOps>(); }

}  // namespace lectern::cpu
