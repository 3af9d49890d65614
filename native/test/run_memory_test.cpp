// What a run of a network holds beside its tensors counts within its bound, and a long operation ends with its caller.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "backend/graph_ops.h"
#include "cancel.h"
#include "cpu/backend.h"
#include "harness.h"
#include "onnx/network.h"
#include "onnx_writer.h"

namespace lectern::test {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

onnx::Network open_within(const std::string& file, Backend& backend, std::size_t most_bytes, int threads = 1) {
  onnx::NetworkOptions options;
  options.threads = threads;
  options.most_bytes = most_bytes;
  return onnx::Network({reinterpret_cast<const std::byte*>(file.data()), file.size()}, backend, options);
}

LECTERN_TEST("run memory: what each thread computes in is counted") {
  // The sums of a plane of 4 MiB, by each thread; the picture is the caller's, the result 4 MiB.
  OnnxGraph graph;
  graph.input("x", Element::f32, {1, 1, -1, -1}).constant(onnx_floats("w", {1, 1, 3, 3}, std::vector<float>(9, 0.5F)));
  graph.node(OnnxNode("ConvTranspose", {"x", "w"}, {"y"}).integers("pads", {1, 1, 1, 1})).output("y", Element::f32, {1, 1, -1, -1});
  const std::string file = graph.model();
  const auto backend = cpu::make_backend();
  const std::vector<float> x(std::size_t{1024} * 1024, 1.0F);
  const onnx::Input large{"x", Element::f32, {1, 1, 1024, 1024}, x.data()}, small{"x", Element::f32, {1, 1, 64, 64}, x.data()};
  for (const int threads : {1, 3}) {
    const std::size_t need = 4 * mib * static_cast<std::size_t>(1 + threads);
    onnx::Network wide = open_within(file, *backend, need + mib, threads);
    const float middle = wide.run({&large, 1})[0].as()[512 * 1024 + 512];
    check(middle == 4.5F, "nine halves");
    onnx::Network narrow = open_within(file, *backend, need - mib, threads);
    check_throws(ErrorCode::too_large, [&] { (void)narrow.run({&large, 1}); }, std::to_string(threads) + " planes do not fit");
    check(narrow.run({&small, 1})[0].as()[65] == 4.5F, "a smaller picture does, afterwards");
  }
}

LECTERN_TEST("run memory: what a choice among boxes sorts is counted") {
  constexpr std::int64_t count = 50'000;
  OnnxGraph graph;
  graph.input("boxes", Element::f32, {1, -1, 4}).input("scores", Element::f32, {1, 1, -1}).constant(onnx_integers("most", {3}));
  graph.node(OnnxNode("NonMaxSuppression", {"boxes", "scores", "most"}, {"chosen"})).output("chosen", Element::i64, {-1, 3});
  const std::string file = graph.model();
  std::vector<float> boxes, scores;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<float>(i);
    boxes.insert(boxes.end(), {at, 0, at + 0.5F, 1});
    scores.push_back(at / static_cast<float>(count));
  }
  const onnx::Input inputs[] = {{"boxes", Element::f32, {1, count, 4}, boxes.data()}, {"scores", Element::f32, {1, 1, count}, scores.data()}};
  const auto backend = cpu::make_backend();
  check(open_within(file, *backend, 8 * mib).run(inputs)[0].shape == Shape{3, 3}, "the three best");
  // An order of 8 bytes a box, as much to sort it, as much of what is kept, and four numbers.
  check_throws(ErrorCode::too_large, [&] { (void)open_within(file, *backend, mib + mib / 2).run(inputs); }, "1.9 MiB to sort in");
}

LECTERN_TEST("run memory: a caller that leaves ends a recurrent layer between its steps") {
  constexpr std::int64_t steps = 400, hidden = 8;
  Recurrent r{};
  r.directions = 2;
  r.steps = steps;
  r.batch = 1;
  r.inputs = 4;
  r.hidden = hidden;
  for (std::size_t i = 0; i < 6; i++) r.activations[i] = {i % 3 == 0 ? UnaryKind::sigmoid : UnaryKind::tanh};
  const std::vector<float> x(steps * 4, 0.5F), weights(2 * 4 * hidden * 4, 0.1F), recurrence(2 * 4 * hidden * hidden, 0.1F);
  for (const auto arithmetic : {cpu::Arithmetic::plain, cpu::Arithmetic::fast}) {
    const auto backend = cpu::make_backend(arithmetic);
    const auto ops = backend->make_graph_ops(2, FloatStorage::floats);
    std::vector<float> y(steps * 2 * hidden, 7.0F), sums(2 * steps * 4 * hidden);
    Cancel cancel;
    RecurrentTensors tensors{x.data(), weights.data(), recurrence.data(), nullptr, nullptr, nullptr, nullptr, nullptr, y.data(), nullptr, nullptr, nullptr, sums.data(), &cancel};
    ops->recur(r, tensors);
    bool all = true;
    for (const float value : y) all = all && value < 1;
    check(all, "a caller that stays gets every step");
    std::fill(y.begin(), y.end(), 7.0F);
    cancel.request();
    check_throws(ErrorCode::cancelled, [&] { ops->recur(r, tensors); }, "one that left gets none");
    check(y[steps * hidden] == 7.0F || y[steps * hidden] == 0.0F, "no step was made for it");
  }
}

}  // namespace
}  // namespace lectern::test
