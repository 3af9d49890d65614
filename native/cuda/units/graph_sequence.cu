// Sequential kernels: recurrent layers, and attention.
#include "cuda/graph/elements.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {
namespace {

constexpr int recurrent_threads = 256;

struct Layer {
  bool gru, reverse, linear_before_reset, input_forget;
  int directions;
  Count steps, batch, inputs, hidden;
  Unary activations[6];
  float clip;
};

template <class T>
struct LayerTensors {
  const T *x, *weights, *recurrence, *bias, *initial_hidden, *initial_cell, *peepholes;
  const std::int32_t* lengths;
  T *y, *last_hidden, *last_cell;
};

/// One direction of one sequence: a warp for each row of a product.
template <class T>
class Cell {
 public:
  __device__ Cell(const Layer& layer, const LayerTensors<T>& tensors, int direction) : l_(layer), gates_(layer.gru ? 3 : 4), direction_(direction) {
    const Count rows = gates_ * l_.hidden;
    weights_ = tensors.weights + direction * rows * l_.inputs;
    recurrence_ = tensors.recurrence + direction * rows * l_.hidden;
    bias_ = tensors.bias == nullptr ? nullptr : tensors.bias + direction * 2 * rows;
    peepholes_ = tensors.peepholes == nullptr ? nullptr : tensors.peepholes + direction * 3 * l_.hidden;
  }

  /// The input's part of a gate, the same in all lanes.
  __device__ float input_sum(Count row, const T* x) const {
    float sum = 0;
    for (Count k = thread_number() % 32; k < l_.inputs; k += 32) sum += value_of(weights_[row * l_.inputs + k]) * value_of(x[k]);
    return warp_sum(sum) + (bias_ == nullptr ? 0.0F : value_of(bias_[row]));
  }
  /// The hidden state's part, with h in shared memory.
  __device__ float hidden_sum(Count row, const float* h) const {
    float sum = 0;
    for (Count k = thread_number() % 32; k < l_.hidden; k += 32) sum += value_of(recurrence_[row * l_.hidden + k]) * h[k];
    return warp_sum(sum) + (bias_ == nullptr ? 0.0F : value_of(bias_[gates_ * l_.hidden + row]));
  }
  __device__ float gate(int which, float sum) const { return activated(which, l_.clip > 0 ? clamped(sum, -l_.clip, l_.clip) : sum); }
  __device__ float activated(int which, float x) const { return applied<float>(l_.activations[direction_ * 3 + which], x); }
  __device__ float peep(int which, Count j, float cell) const { return peepholes_ == nullptr ? 0.0F : value_of(peepholes_[which * l_.hidden + j]) * cell; }

  /// Gates i, o, f, c; peepholes of i, o, f. h and c are read, next and c written.
  __device__ void step_lstm(const T* x, const float* h, float* c, float* next) const {
    const Count n = l_.hidden;
    for (Count j = thread_number() / 32; j < n; j += recurrent_threads / 32) {
      const float old = c[j];
      const float input = gate(0, input_sum(j, x) + hidden_sum(j, h) + peep(0, j, old));
      const float forget_sum = input_sum(2 * n + j, x) + hidden_sum(2 * n + j, h) + peep(2, j, old);
      const float forget = l_.input_forget ? 1 - input : gate(0, forget_sum);
      const float candidate = gate(1, input_sum(3 * n + j, x) + hidden_sum(3 * n + j, h));
      const float cell = forget * old + input * candidate;
      const float output = gate(0, input_sum(n + j, x) + hidden_sum(n + j, h) + peep(1, j, cell));
      if (thread_number() % 32 != 0) continue;
      c[j] = cell;
      next[j] = output * activated(2, cell);
    }
  }

  /// Gates z, r, h. `faded` is scratch: the hidden state after the reset gate.
  __device__ void step_gru(const T* x, const float* h, float* reset, float* faded, float* next) const {
    const Count n = l_.hidden;
    for (Count j = thread_number() / 32; j < n; j += recurrent_threads / 32) {
      const float value = gate(0, input_sum(n + j, x) + hidden_sum(n + j, h));
      if (thread_number() % 32 != 0) continue;
      reset[j] = value;
      faded[j] = value * h[j];
    }
    synchronise_block();
    for (Count j = thread_number() / 32; j < n; j += recurrent_threads / 32) {
      const float update = gate(0, input_sum(j, x) + hidden_sum(j, h));
      const float before = l_.linear_before_reset ? reset[j] * hidden_sum(2 * n + j, h) : hidden_sum(2 * n + j, faded);
      const float candidate = gate(1, input_sum(2 * n + j, x) + before);
      if (thread_number() % 32 == 0) next[j] = (1 - update) * candidate + update * h[j];
    }
  }

 private:
  const Layer& l_;
  Count gates_;
  int direction_;
  const T *weights_, *recurrence_, *bias_, *peepholes_;
};

/// A block for each sequence in each direction, which loops over the steps.
template <class T>
__global__ void LECTERN_LAUNCH_BOUNDS(recurrent_threads, 2) run_layer(Layer layer, LayerTensors<T> t) {
  auto* const h = reinterpret_cast<float*>(dynamic_shared());
  float* const c = h + layer.hidden;
  float* const next = c + layer.hidden;
  float* const reset = next + layer.hidden;
  const Count b = block_x();
  const int direction = block_y();
  const bool backwards = direction == 1 || layer.reverse;
  const Cell<T> cell(layer, t, direction);
  const Count state = (direction * layer.batch + b) * layer.hidden;
  for (Count j = thread_number(); j < layer.hidden; j += recurrent_threads) {
    h[j] = t.initial_hidden == nullptr ? 0.0F : value_of(t.initial_hidden[state + j]);
    c[j] = t.initial_cell == nullptr ? 0.0F : value_of(t.initial_cell[state + j]);
  }
  Count length = layer.steps;
  if (t.lengths != nullptr && t.lengths[b] < length) length = t.lengths[b] < 0 ? 0 : t.lengths[b];
  for (Count i = 0; i < length; ++i) {
    const Count step = backwards ? length - 1 - i : i;
    const T* x = t.x + (step * layer.batch + b) * layer.inputs;
    synchronise_block();
    if (layer.gru) cell.step_gru(x, h, reset, c, next);
    else cell.step_lstm(x, h, c, next);
    synchronise_block();
    for (Count j = thread_number(); j < layer.hidden; j += recurrent_threads) {
      h[j] = next[j];
      if (t.y != nullptr) t.y[((step * layer.directions + direction) * layer.batch + b) * layer.hidden + j] = element_of<T>(next[j]);
    }
  }
  for (Count step = length; t.y != nullptr && step < layer.steps; ++step) {
    for (Count j = thread_number(); j < layer.hidden; j += recurrent_threads) t.y[((step * layer.directions + direction) * layer.batch + b) * layer.hidden + j] = element_of<T>(0.0F);
  }
  synchronise_block();
  for (Count j = thread_number(); j < layer.hidden; j += recurrent_threads) {
    if (t.last_hidden != nullptr) t.last_hidden[state + j] = element_of<T>(h[j]);
    if (t.last_cell != nullptr) t.last_cell[state + j] = element_of<T>(c[j]);
  }
}

constexpr int attention_warps = 4;
/// Values of a head that a lane accumulates, 32 apart; wider heads take several blocks.
constexpr int lane_values = 4;

/// A warp for each query: it goes through the keys by 32, a lane each, with an online
/// softmax.
template <class T>
__global__ void LECTERN_LAUNCH_BOUNDS(32 * attention_warps, 4) attend_queries(Attention a, const T* q, const T* k, const T* v, const T* mask, T* out) {
  LECTERN_SHARED float shares[attention_warps][32];
  const int lane = thread_number() % 32;
  const int warp = thread_number() / 32;
  float* const query = reinterpret_cast<float*>(dynamic_shared()) + warp * a.size;
  const Count tiles = (a.queries + attention_warps - 1) / attention_warps;
  const Count pair = block_x() / tiles;
  const Count batch = pair / a.heads;
  const Count head = pair % a.heads;
  const Count row = block_x() % tiles * attention_warps + warp;
  const bool wanted = row < a.queries;
  const Count first_value = static_cast<Count>(block_y()) * 32 * lane_values;
  if (wanted) {
    for (Count i = lane; i < a.size; i += 32) query[i] = value_of(q[batch * a.q_batch + head * a.q_head + row * a.q_row + i]);
  }
  synchronise_block();
  float most = -INFINITY;
  float total = 0;
  float sums[lane_values] = {};
  for (Count first = 0; first < a.keys; first += 32) {
    float score = -INFINITY;
    if (wanted && first + lane < a.keys) {
      const T* key = k + batch * a.k_batch + head * a.k_head + (first + lane) * a.k_row;
      score = 0;
      for (Count i = 0; i < a.size; ++i) score += query[i] * value_of(key[i]);
      score *= a.scale;
      if (mask != nullptr) score += value_of(mask[batch * a.mask_batch + head * a.mask_head + row * a.mask_row + first + lane]);
    }
    const float greater = fmaxf(most, warp_max(score));
    // Only masked keys so far: there is no difference to compute.
    const float fade = greater == -INFINITY ? 1.0F : expf(most - greater);
    float share = greater == -INFINITY ? 0.0F : expf(score - greater);
    if (score != score) share = score;
    most = greater;
    total = total * fade + warp_sum(share);
    shares[warp][lane] = share;
    synchronise_block();
    const Count count = a.keys - first < 32 ? a.keys - first : 32;
    LECTERN_UNROLL
    for (int n = 0; n < lane_values; ++n) {
      const Count at = first_value + lane + 32 * n;
      sums[n] *= fade;
      if (!wanted || at >= a.value_size) continue;
      const T* value = v + batch * a.v_batch + head * a.v_head + first * a.v_row + at;
      for (Count j = 0; j < count; ++j) sums[n] += shares[warp][j] * value_of(value[j * a.v_row]);
    }
    synchronise_block();
  }
  LECTERN_UNROLL
  for (int n = 0; n < lane_values; ++n) {
    const Count at = first_value + lane + 32 * n;
    if (wanted && at < a.value_size) out[batch * a.out_batch + head * a.out_head + row * a.out_row + at] = element_of<T>(sums[n] / total);
  }
}

}  // namespace

void DeviceGraphOps::recur(const Recurrent& r, const RecurrentTensors& t) {
  Layer layer{r.gru, r.reverse, r.linear_before_reset, r.input_forget, r.directions, r.steps, r.batch, r.inputs, r.hidden, {}, r.clip};
  for (std::size_t i = 0; i < r.activations.size(); ++i) layer.activations[i] = r.activations[i];
  const std::size_t shared_bytes = 4 * static_cast<std::size_t>(r.hidden) * sizeof(float);
  constexpr std::size_t most_shared = std::size_t{96} << 10;
  if (shared_bytes > most_shared) throw Error(ErrorCode::invalid_model, "Recurrent layers of more than 6,144 cells do not run on GPUs.");
  with_floats(halves_, [&](auto type) {
    using T = decltype(type);
    const auto kept = [](const float* tensor) { return reinterpret_cast<const T*>(tensor); };
    const auto made = [](float* tensor) { return reinterpret_cast<T*>(tensor); };
    const LayerTensors<T> tensors{kept(t.x),          kept(t.weights),     kept(t.recurrence), kept(t.bias),         kept(t.initial_hidden), kept(t.initial_cell),
                                  kept(t.peepholes), t.lengths, made(t.y),         made(t.last_hidden), made(t.last_cell)};
    blocks(run_layer<T>, Grid{static_cast<int>(r.batch), r.directions}, recurrent_threads, shared_bytes, layer, tensors);
  });
}

void DeviceGraphOps::attend(const Attention& a, const float* q, const float* k, const float* v, const float* mask, float* out) {
  const Count tiles = (a.queries + attention_warps - 1) / attention_warps * a.batch * a.heads;
  const Count parts = (a.value_size + 32 * lane_values - 1) / (32 * lane_values);
  const std::size_t shared_bytes = attention_warps * static_cast<std::size_t>(a.size) * sizeof(float);
  with_floats(halves_, [&](auto type) {
    using T = decltype(type);
    const auto kept = [](const float* tensor) { return reinterpret_cast<const T*>(tensor); };
    blocks(attend_queries<T>, Grid{static_cast<int>(tiles), static_cast<int>(parts)}, 32 * attention_warps, shared_bytes, a, kept(q), kept(k), kept(v), kept(mask), reinterpret_cast<T*>(out));
  });
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
