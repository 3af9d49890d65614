// Decode passes that were recorded and launched as CUDA graphs: the same bits as call by call, whatever changes between passes.
#include <algorithm>
#include <string>
#include <vector>

#include "cuda/emulation/faults.h"
#include "cuda_places.h"
#include "harness.h"
#include "made_model.h"
#include "opened_model.h"

namespace lectern {
namespace {

using llm::BatchToken;
using test::check;
using test::Row;

/// Logits of one pass that writes a token in each of the slots, each at its own position; `wanted`: how many of the last rows give them.
Row pass(llm::Model& model, int slots, int turn, int wanted) {
  std::vector<BatchToken> steps;
  for (int slot = 0; slot < slots; slot++) steps.push_back({(7 * turn + 3 * slot + 1) % model.config().vocabulary, slot, 2 * slot + turn, slot >= slots - wanted, true});
  const float* logits = model.forward().decode(steps.data(), slots);
  return {logits, logits + std::ptrdiff_t{wanted} * model.config().vocabulary};
}

/// Decode of 1 to 5 rows in turn, so that every number comes back after others; prefill passes, and passes that do not give all logits.
std::vector<Row> all_passes(llm::Model& model) {
  std::vector<Row> all;
  for (int slot = 0; slot < 5; slot++) test::feed(model, test::some_tokens(2 * slot + 1, model.config().vocabulary), 3, slot);
  int turn = 0;
  for (int round = 0; round < 3; round++) {
    for (int slots = 1; slots <= 5; slots++) all.push_back(pass(model, slots, turn++, slots));
  }
  all.push_back(pass(model, 3, turn++, 1));
  all.push_back(pass(model, 3, turn++, 3));
  all.push_back(test::feed(model, test::some_tokens(4, model.config().vocabulary), 4, 1, turn));
  all.push_back(pass(model, 2, turn + 4, 2));
  return all;
}

LECTERN_TEST("recorded passes: a launched graph gives the bits of single calls") {
  for (const test::Place& place : test::places_and_warpgroups()) {
    for (const test::MadeShape& shape : {test::MadeShape{.dtype = DType::q4_k, .layers = 2, .heads = 2, .kv_heads = 1, .feed_forward = 256},
                                         test::MadeShape{.dtype = DType::q8_0, .layers = 1, .embedding = 64, .heads = 2, .kv_heads = 1, .head_size = 32, .feed_forward = 64, .experts = 4},
                                         test::MadeShape{.architecture = "qwen2", .dtype = DType::f16, .layers = 1, .embedding = 64, .heads = 2, .kv_heads = 1, .head_size = 32, .feed_forward = 64}}) {
      const test::MadeModel made = test::make_model(shape);
      llm::ModelOptions options;
      options.slots = 5;
      options.records = false;
      const std::vector<Row> expected = all_passes(*test::open_model_on(place.make(), made, options).model);
      const std::uint64_t before = cuda::emulation::graphs_launched;
      options.records = true;
      const std::vector<Row> got = all_passes(*test::open_model_on(place.make(), made, options).model);
      for (std::size_t i = 0; i < expected.size(); i++) check(test::same_bits(got[i], expected[i]), place.name + ", " + shape.architecture + ": pass " + std::to_string(i));
      // Of five numbers of rows the second and the third pass, and two of the four at the end: not the one without all logits.
      if (place.name != "device") check(cuda::emulation::graphs_launched - before == 12, std::to_string(cuda::emulation::graphs_launched - before) + " passes were launched as one");
    }
  }
}

LECTERN_TEST("recorded passes: without memory for a recording, passes run call by call from then on") {
  if (!test::tests_emulation()) return;
  const test::MadeModel made = test::make_model({.dtype = DType::q4_k, .layers = 2, .heads = 2, .kv_heads = 1, .feed_forward = 256});
  const test::Place place = test::places().front();
  llm::ModelOptions options;
  options.slots = 5;
  options.records = false;
  const std::vector<Row> expected = all_passes(*test::open_model_on(place.make(), made, options).model);
  options.records = true;
  const test::OpenedModel opened = test::open_model_on(place.make(), made, options);
  const std::uint64_t before = cuda::emulation::graphs_launched;
  cuda::emulation::remarks.clear();
  // Nothing else allocates in a pass.
  cuda::emulation::fail_at(1, cuda::emulation::Fault::memory);
  const std::vector<Row> got = all_passes(*opened.model);
  check(cuda::emulation::has_failed(), "a recording finds no memory");
  cuda::emulation::fail_never();
  for (std::size_t i = 0; i < expected.size(); i++) check(test::same_bits(got[i], expected[i]), "pass " + std::to_string(i));
  check(cuda::emulation::graphs_launched == before, "no pass was launched as one");
  check(cuda::emulation::remarks.find("call by call") != std::string::npos, "said: " + cuda::emulation::remarks);
  cuda::emulation::remarks.clear();
}

LECTERN_TEST("recorded passes: rows can be read between two calls") {
  for (const test::Place& place : test::places_and_warpgroups()) {
    const test::MadeModel made = test::make_model({.dtype = DType::q8_0, .layers = 1, .embedding = 64, .heads = 2, .kv_heads = 1, .head_size = 32, .feed_forward = 64});
    const test::OpenedModel opened = test::open_model_on(place.make(), made);
    std::vector<Row> seen;
    opened.model->forward().tap_context = &seen;
    opened.model->forward().tap = [](void* context, int, const float* rows, int count) { static_cast<std::vector<Row>*>(context)->emplace_back(rows, rows + std::ptrdiff_t{count} * 64); };
    for (int turn = 0; turn < 3; turn++) pass(*opened.model, 1, turn, 1);
    check(seen.size() == 6, std::to_string(seen.size()) + " looks");
    for (std::size_t i = 0; i + 1 < seen.size(); i++) check(!test::same_bits(seen[i], seen[i + 1]), place.name + ": look " + std::to_string(i) + " differs from the next");
  }
}

}  // namespace
}  // namespace lectern
