// A layer of decode rows through each GEMV kernel, for every weight type and odd shapes: the ring kernel has the bits of the register kernel, and the
// tensor-core kernel agrees with it.
#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "backend/ops.h"
#include "cuda/runtime/backend.h"
#include "cuda/emulation/faults.h"
#include "cuda/emulation/fibers.h"
#include "cuda_places.h"
#include "error.h"
#include "harness.h"
#include "kernel_switches.h"
#include "made_product.h"
#include "opened_model.h"
#include "tensor/dtype.h"

namespace lectern {
namespace {

using test::check;
using test::Row;

struct LayerShape {
  int embedding;
  int heads;
  int kv_heads;
  int head_size;
  int feed_forward;
  int vocabulary;
  int longest;  // columns of one more product
  bool adjacent = false;  // of RoPE
};

/// A layer with weights of one type, and of type `more` for the values and the down projection.
class MadeLayer {
 public:
  MadeLayer(Backend& backend, const LayerShape& shape, DType type, DType more) : backend_(backend), shape_(shape) {
    OpsShape ops{};
    ops.rows = ops.part_rows = ops.logit_rows = most_rows;
    ops.columns = ops.outputs = std::max({shape.embedding, shape.heads * shape.head_size, shape.feed_forward, shape.longest});
    ops.heads = shape.heads;
    ops.rotated = shape.head_size / 2;
    ops.kv = kv_.shape = {1, most_rows, 8, shape.kv_heads, shape.head_size, DType::f16};
    ops.records = false;
    ops_ = backend.make_ops(ops);
    const int queries = shape.heads * shape.head_size;
    const int keys = shape.kv_heads * shape.head_size;
    attention_ = {norm(), {matrix(type, queries, shape.embedding), bias(queries)}, {matrix(type, keys, shape.embedding), nullptr}, {matrix(more, keys, shape.embedding), bias(keys)}, nullptr, nullptr, shape.heads};
    output_ = {matrix(type, shape.embedding, queries), bias(shape.embedding)};
    gated_ = {norm(), matrix(type, shape.feed_forward, shape.embedding), matrix(type, shape.feed_forward, shape.embedding)};
    down_ = {matrix(more, shape.embedding, shape.feed_forward), nullptr};
    head_ = matrix(more, shape.vocabulary, shape.embedding);
    head_norm_ = norm();
    long_ = {matrix(type, long_outputs, shape.longest), bias(long_outputs)};
    input_ = numbers(most_rows * shape.embedding);
    const std::vector<float> long_input = numbers(most_rows * shape.longest);
    long_in_ = Memory(backend, long_input.size() * sizeof(float));
    backend.upload(long_in_.data(), long_input.data(), long_input.size() * sizeof(float));
    long_out_ = Memory(backend, most_rows * long_outputs * sizeof(float));
    cache_ = Memory(backend, ops_->kv_bytes(kv_.shape));
    kv_.data = cache_.data();
    x_ = Memory(backend, input_.size() * sizeof(float));
    q_ = Memory(backend, static_cast<std::size_t>(most_rows * queries) * sizeof(float));
    hidden_ = Memory(backend, static_cast<std::size_t>(most_rows * std::max(queries, shape.feed_forward)) * sizeof(float));
    logits_ = Memory(backend, static_cast<std::size_t>(most_rows * shape.vocabulary) * sizeof(float));
  }

  /// The outputs of some rows. Attention over one position returns its value, so the queries are compared by themselves.
  struct Outputs {
    Row queries, layer, logits, more;  // more: the outputs of one more product
    const Row& part(int number) const { return number == 0 ? queries : number == 1 ? layer : number == 2 ? logits : more; }
    static constexpr int parts = 4;
  };

  /// Runs the layer on `rows` rows.
  Outputs run(int rows) {
    const Row zeros_out(most_rows * long_outputs, 0.25F);
    backend_.upload(x_.data(), input_.data(), input_.size() * sizeof(float));
    backend_.upload(long_out_.data(), zeros_out.data(), zeros_out.size() * sizeof(float));
    std::vector<std::int32_t> slots;
    for (int row = 0; row < rows; row++) slots.push_back(row);
    const std::vector<std::int32_t> zeros(static_cast<std::size_t>(rows), 0), ones(static_cast<std::size_t>(rows), 1);
    const std::vector<double> frequencies(static_cast<std::size_t>(shape_.head_size / 4), 0.5);
    ops_->begin({rows, rows, zeros.data(), slots.data(), ones.data(), zeros.data(), zeros.data(), ones.data()}, {frequencies.data(), shape_.head_size / 2, 1.0F, shape_.adjacent});
    ops_->project_attention(attention_, {0, rows}, x_.floats(), q_.floats(), kv_, 0);
    const PreparedRows attended = ops_->attend(shape_.heads, {0, rows}, q_.floats(), kv_, 0, hidden_.floats());
    const PreparedRows residual = ops_->project_add(output_, rows, hidden_.floats(), x_.floats(), attended, &gated_.norm);
    const PreparedRows gated = ops_->gated(gated_, rows, x_.floats(), hidden_.floats(), residual);
    ops_->project_add(down_, rows, hidden_.floats(), x_.floats(), gated);
    ops_->project_add(long_, rows, long_in_.floats(), long_out_.floats());
    ops_->logits(head_norm_, head_, slots.data(), rows, x_.floats(), logits_.floats());
    ops_->end();
    const auto some = [&](const Memory& memory, int columns) {
      Row all(static_cast<std::size_t>(rows * columns));
      backend_.download(all.data(), memory.data(), all.size() * sizeof(float));
      return all;
    };
    return {some(q_, shape_.heads * shape_.head_size), some(x_, shape_.embedding), some(logits_, shape_.vocabulary), some(long_out_, long_outputs)};
  }

  static constexpr int most_rows = 4;
  static constexpr int long_outputs = 35;

 private:
  std::vector<float> numbers(int count) {
    std::uniform_real_distribution<float> some(-1.0F, 1.0F);
    std::vector<float> all(static_cast<std::size_t>(count));
    for (float& one : all) one = some(random_);
    return all;
  }
  const float* bias(int rows) {
    const std::vector<float> all = numbers(rows);
    return ops_->load_vector(all.data(), all.size());
  }
  Norm norm() { return {bias(shape_.embedding), nullptr, 1e-5F}; }
  Matrix matrix(DType type, int rows, int columns) { return test::place_random(backend_, *ops_, type, rows, columns, 1.0F / 16, random_); }

  Backend& backend_;
  LayerShape shape_;
  std::mt19937 random_{7};
  std::unique_ptr<Ops> ops_;
  AttentionWeights attention_{};
  Linear output_{}, down_{}, long_{};
  GatedWeights gated_{};
  Matrix head_{};
  Norm head_norm_{};
  std::vector<float> input_;
  Kv kv_{};
  Memory cache_, x_, q_, hidden_, logits_, long_in_, long_out_;
};

/// Shapes that weights of a type may have: one quant block and one unit, fewer units than warps, odd numbers of rows, rows of several stages of which the
/// last has a single quant block; heads whose RoPE pairs are no multiple of eight, or are adjacent.
std::vector<LayerShape> layer_shapes(DType type) {
  if (info_of(type).block_elements == 256) return {{512, 4, 1, 64, 256, 1, 25 * 256}};
  return {{32, 1, 1, 32, 32, 1, 201 * 32}, {37 * 32, 3, 1, 32, 96, 35, 9 * 32, true}, {128, 2, 1, 80, 32, 16, 129 * 32}};
}

using LayerRows = MadeLayer::Outputs;

bool all_numbers(const LayerRows& outputs) {
  float sum = 0.0F;
  for (int part = 0; part < LayerRows::parts; part++) {
    for (const float one : outputs.part(part)) sum += one * 0.0F;
  }
  return sum == 0.0F;
}

/// Compares as many rows as `few` has.
bool same_bits(const LayerRows& many, const LayerRows& few) {
  for (int part = 0; part < LayerRows::parts; part++) {
    const Row& of_few = few.part(part);
    if (!test::same_bits(Row(many.part(part).begin(), many.part(part).begin() + static_cast<std::ptrdiff_t>(of_few.size())), of_few)) return false;
  }
  return true;
}

/// A layer whose products are computed by `kind`, a name that GemvKernelScope takes.
std::unique_ptr<MadeLayer> layer_by(const char* kind, Backend& backend, const LayerShape& shape, DType type) {
  const test::GemvKernelScope scope(kind);
  return std::make_unique<MadeLayer>(backend, shape, type, type == DType::q4_k ? DType::q6_k : type == DType::q4_0 ? DType::q8_0 : type);
}

/// Runs a layer by `kind` with each number of rows (the short form: with one row and another number in turn), with threads in both orders, and calls visit(name, outputs, expected), where the register kernel gives `expected`.
template <class Visit>
void each_layer(const char* kind, const Visit& visit) {
  for (const test::Place& place : test::places_and_warpgroups()) {
    if (place.name == "emulated") continue;  // the emulated device without bulk copies
    const std::unique_ptr<Backend> backend = place.make();
    int turn = 0;
    for (const DTypeInfo& type : dtype_table) {
      // Of the types with code books one lies on the device as itself.
      if (type.block_elements == 1 || (has_code_book(type.dtype) && type.dtype != DType::iq2_s)) continue;
      for (const LayerShape& shape : layer_shapes(type.dtype)) {
        const std::unique_ptr<MadeLayer> plain = layer_by("registers", *backend, shape, type.dtype);
        const std::unique_ptr<MadeLayer> layer = layer_by(kind, *backend, shape, type.dtype);
        const int further = 2 + turn++ % (MadeLayer::most_rows - 1);
        for (int rows = 1; rows <= MadeLayer::most_rows; rows++) {
          if (!test::is_long_form() && rows != 1 && rows != further) continue;
          const std::string name = place.name + ", " + std::string(type.name) + " of " + std::to_string(shape.embedding) + ", " + std::to_string(rows) + " rows";
          cuda::emulation::bulk_copy_count = 0;
          const LayerRows expected = plain->run(rows);
          check(cuda::emulation::bulk_copy_count == 0, name + ": by registers");
          check(all_numbers(expected), name + ": numbers");
          cuda::emulation::dp4a_count = 0;
          visit(name, layer->run(rows), expected);
          // Another kernel than the expected one would give the same numbers. Heads whose RoPE pairs are no multiple of eight use the ring kernel.
          const bool rings = std::string(kind) == "rings" || shape.head_size / 4 % 8 != 0;
          if (place.name != "device") check((cuda::emulation::dp4a_count > 0) == rings, name + ": each product by " + kind);
          if (place.name != "device") check(cuda::emulation::bulk_copy_count > 0, name + ": by copies of the device's own");
          if (rows != 2) continue;
          cuda::emulation::set_reverse(true);
          visit(name + ", threads in reverse", layer->run(rows), expected);
          cuda::emulation::set_reverse(false);
        }
      }
    }
  }
}

LECTERN_TEST("cuda: decode rows: the ring kernel has the bits of the register kernel, for every weight type and odd shapes") {
  each_layer("rings", [](const std::string& name, const LayerRows& outputs, const LayerRows& expected) { check(same_bits(outputs, expected), name); });
}

LECTERN_TEST("cuda: decode rows: the tensor-core kernel agrees with the register kernel, for every weight type and odd shapes, with the same bits beside other rows") {
  LayerRows alone;
  each_layer("tiles", [&alone](const std::string& name, const LayerRows& outputs, const LayerRows& expected) {
    // One product differs only in the order of a sum; behind another product an input may be quantised to another byte.
    for (int part = 0; part < LayerRows::parts; part++) {
      const double distance = test::relative_distance(outputs.part(part), expected.part(part));
      check(distance < (part == 0 || part == 3 ? 2e-6 : 2e-2), name + ": part " + std::to_string(part) + ", distance " + std::to_string(distance));
    }
    if (outputs.more.size() == MadeLayer::long_outputs) alone = outputs;
    else check(same_bits(outputs, alone), name + ": beside others");
  });
}

/// The names of the kernels whose bits a device gives after a trial, and what was remarked.
std::pair<std::string, std::string> tried_kinds(const test::Place& place) {
  const std::unique_ptr<Backend> backend = place.make();
  const LayerShape shape = layer_shapes(DType::q4_k).front();
  cuda::take_remarks();
  cuda::emulation::remarks.clear();
  cuda::emulation::forget_trials();
  const std::unique_ptr<MadeLayer> tried = layer_by("trial", *backend, shape, DType::q4_k);
  std::string remarks = place.name == "device" ? cuda::take_remarks() : cuda::emulation::remarks;
  cuda::emulation::mma_s8_is_wrong = cuda::emulation::bulk_copies_are_wrong = false;
  cuda::emulation::bulk_copy_count = 0;
  const LayerRows outputs = tried->run(2);
  if (place.name != "device" && cuda::emulation::bulk_copy_count == 0) return {"registers", std::move(remarks)};
  std::string kinds;
  for (const char* kind : {"rings", "tiles"}) {
    if (same_bits(layer_by(kind, *backend, shape, DType::q4_k)->run(2), outputs)) kinds += kind;
  }
  return {kinds, std::move(remarks)};
}

LECTERN_TEST("cuda: decode rows: the tensor-core kernel is used where a trial finds it right") {
  for (const test::Place& place : test::places_and_warpgroups()) {
    if (place.name == "emulated") continue;
    const auto [kinds, remarks] = tried_kinds(place);
    check(remarks.empty(), place.name + ": " + remarks);
    check(kinds == "tiles", place.name + ": by the tensor cores, not " + kinds);
  }
}

LECTERN_TEST("cuda: decode rows: the trial rejects tensor cores and ring buffers that give wrong results") {
  if (!test::tests_emulation()) return;
  cuda::emulation::mma_s8_is_wrong = true;
  const auto [kinds, remarks] = tried_kinds(test::warpgroup_place());
  check(kinds == "rings", "by rings, not " + kinds);
  check(remarks.find("without the tensor cores") != std::string::npos, remarks);
  cuda::emulation::bulk_copies_are_wrong = true;
  const auto [plain, plain_remarks] = tried_kinds(test::warpgroup_place());
  check(plain == "registers", "by registers, not " + plain);
  check(plain_remarks.find("without ring buffers") != std::string::npos, plain_remarks);
}

LECTERN_TEST("cuda: decode rows: a model that is loaded later uses the result of the first trial") {
  if (!test::tests_emulation()) return;
  cuda::emulation::mma_s8_is_wrong = true;
  check(tried_kinds(test::warpgroup_place()).first == "rings", "by rings");
  const std::unique_ptr<Backend> later = test::warpgroup_place().make();
  cuda::emulation::bulk_copies_are_wrong = true;
  cuda::emulation::remarks.clear();
  const std::unique_ptr<MadeLayer> layer = layer_by("trial", *later, layer_shapes(DType::q4_k).front(), DType::q4_k);
  cuda::emulation::bulk_copies_are_wrong = false;
  check(cuda::emulation::remarks.find("Decode ") == std::string::npos, "nothing was tried again: " + cuda::emulation::remarks);
  cuda::emulation::bulk_copy_count = 0;
  layer->run(1);
  check(cuda::emulation::bulk_copy_count > 0, "the ring kernel again");
}

LECTERN_TEST("cuda: decode rows: without memory for a trial the ring kernel is used, and that is remarked") {
  if (!test::tests_emulation()) return;
  cuda::emulation::fail_at(1, cuda::emulation::Fault::memory);
  const auto [kinds, remarks] = tried_kinds(test::warpgroup_place());
  cuda::emulation::fail_never();
  check(kinds == "rings", "by rings, not " + kinds);
  check(remarks.find("no memory") != std::string::npos, remarks);
}

LECTERN_TEST("cuda: decode rows: a trial that never ends is an error that names the way out") {
  if (!test::tests_emulation()) return;
  const std::unique_ptr<Backend> backend = test::warpgroup_place().make();
  std::string said;
  cuda::emulation::forget_trials();
  cuda::emulation::hang();
  try {
    layer_by("trial", *backend, layer_shapes(DType::q4_k).front(), DType::q4_k);
  } catch (const Error& error) {
    said = error.what();
  }
  cuda::emulation::fail_never();
  check(said.find("did not respond") != std::string::npos && said.find("LECTERN_DECODE=registers") != std::string::npos, said);
}

}  // namespace
}  // namespace lectern
