// Several texts in one pass of an encoder: each comes out as alone, bit for bit, on the processor and on the CUDA kernels; and those that
// wait for their turn are taken along.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cpu/backend.h"
#include "cuda_places.h"
#include "engine/embedding_batcher.h"
#include "harness.h"
#include "made_model.h"
#include "opened_model.h"

namespace lectern {
namespace {

using test::check;
using test::MadeModel;
using test::OpenedModel;
using test::Row;
using test::some_tokens;

MadeModel encoder(DType dtype) {
  return test::make_model({.architecture = "bert", .dtype = dtype, .layers = 1, .heads = 2, .kv_heads = 2, .feed_forward = 256, .context = 320});
}

/// Texts that end before, at and behind a tile, and one of a single token; the last is of more rows than a pass takes beside the others.
std::vector<std::vector<std::int32_t>> some_texts(int vocabulary) {
  std::vector<std::vector<std::int32_t>> texts;
  for (const int length : {20, 64, 1, 70, 100}) {
    texts.push_back(some_tokens(length + 3, vocabulary));
    texts.back().erase(texts.back().begin(), texts.back().begin() + 3);
  }
  return texts;
}

llm::Text text_of(const std::vector<std::int32_t>& ids) { return {ids.data(), static_cast<int>(ids.size())}; }

void check_together(const OpenedModel& opened, const std::string& name) {
  llm::Forward& forward = opened.model->forward();
  const std::vector<std::vector<std::int32_t>> ids = some_texts(opened.model->config().vocabulary);
  std::vector<llm::Text> texts;
  std::vector<Row> alone;
  const Cancel never;
  for (const std::vector<std::int32_t>& each : ids) {
    texts.push_back(text_of(each));
    const float* values = forward.embed(each.data(), static_cast<int>(each.size()), never);
    alone.emplace_back(values, values + forward.outputs());
  }
  // 64 + 64 + 64 + 128 cells, and no room for 100 more.
  check(forward.fitting(texts.data(), 5) == 4, name + ": four of the texts fit");
  test::check_throws(ErrorCode::invalid_request, [&] { forward.embed(texts.data(), 5, never); }, name + ": five are refused");
  for (const bool backwards : {false, true}) {
    std::vector<llm::Text> order(texts.begin(), texts.begin() + 4);
    if (backwards) std::reverse(order.begin(), order.end());
    const float* values = forward.embed(order.data(), 4, never);
    for (std::size_t i = 0; i < 4; i++) {
      const Row got(values + static_cast<std::ptrdiff_t>(i) * forward.outputs(), values + static_cast<std::ptrdiff_t>(i + 1) * forward.outputs());
      check(test::same_bits(got, alone[backwards ? 3 - i : i]), name + ": text " + std::to_string(i) + (backwards ? " backwards" : ""));
    }
  }
}

LECTERN_TEST("ragged: texts in one pass are embedded as alone") {
  for (const DType dtype : {DType::f16, DType::q8_0}) {
    const std::string type(info_of(dtype).name);
    const MadeModel made = encoder(dtype);
    check_together(test::open_model(made, cpu::Arithmetic::plain), "plain, " + type);
    check_together(test::open_model(made), "fast, " + type);
    for (const test::Place& place : test::places()) check_together(test::open_model_on(place.make(), made), place.name + ", " + type);
  }
}

LECTERN_TEST("ragged: who waits is taken along, who left or cannot be is not") {
  const OpenedModel opened = test::open_model(encoder(DType::f16));
  llm::Forward& forward = opened.model->forward();
  int passes = 0;
  forward.tap_context = &passes;
  forward.tap = [](void* context, int stage, const float*, int) { *static_cast<int*>(context) += stage == 0 ? 1 : 0; };
  const std::vector<std::vector<std::int32_t>> ids = some_texts(opened.model->config().vocabulary);
  std::vector<Row> alone;
  const Cancel never;
  for (const std::vector<std::int32_t>& each : ids) {
    const float* values = forward.embed(each.data(), static_cast<int>(each.size()), never);
    alone.emplace_back(values, values + forward.outputs());
  }
  passes = 0;
  EmbeddingBatcher waiting;
  std::vector<std::shared_ptr<EmbeddingBatcher::Text>> texts;
  const auto gone = std::make_shared<Cancel>();
  const auto add = [&](std::vector<std::int32_t> tokens, const std::shared_ptr<Cancel>& cancel) { texts.push_back(waiting.add(std::move(tokens), 0, cancel)); };
  add(ids[0], gone);
  add(ids[1], std::make_shared<Cancel>());
  add({1, -5}, std::make_shared<Cancel>());
  add(ids[2], gone);
  add(ids[3], std::make_shared<Cancel>());
  add(ids[4], std::make_shared<Cancel>());
  add(ids[0], std::make_shared<Cancel>());
  gone->request();
  check(test::same_bits(waiting.embed(texts[1], forward, never), alone[1]), "the first that is still there");
  test::check_throws(ErrorCode::invalid_request, [&] { waiting.embed(texts[2], forward, never); }, "a token out of range is its own text's error");
  const int before = passes;
  check(before == 1, "one pass so far");
  check(test::same_bits(waiting.embed(texts[4], forward, never), alone[3]) && passes == before, "the next was taken along");
  Cancel now;
  now.request();
  test::check_throws(ErrorCode::cancelled, [&] { waiting.embed(texts[6], forward, now); }, "one that is cancelled in its pass");
}

}  // namespace
}  // namespace lectern
