// Networks made in code: what planning, fusion, loops and memory must hold, without a pack.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "cpu/backend.h"
#include "harness.h"
#include "onnx/network.h"
#include "onnx/plan.h"
#include "onnx_graphs.h"
#include "onnx_writer.h"

namespace lectern::test {
namespace {

std::span<const std::byte> bytes_of_file(const std::string& file) { return {reinterpret_cast<const std::byte*>(file.data()), file.size()}; }

onnx::Network open(const std::string& file, bool fuse = true) {
  static const auto backend = cpu::make_backend();
  onnx::NetworkOptions options;
  options.threads = 2;
  options.fuse = fuse;
  return onnx::Network(bytes_of_file(file), *backend, options);
}

std::vector<float> noise(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = std::uniform_real_distribution<float>(-2, 2)(random);
  return values;
}

std::vector<onnx::Output> run(onnx::Network& network, const Shape& shape, const std::vector<float>& values) {
  const onnx::Input input{"x", Element::f32, shape, values.data()};
  return network.run(std::span(&input, 1));
}

bool near(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](float x, float y) { return std::abs(x - y) <= 1e-5F + 1e-5F * std::abs(y); });
}

bool same(const onnx::Output& a, const onnx::Output& b) { return a.shape == b.shape && a.bytes == b.bytes; }

LECTERN_TEST("onnx: a condition that is read again behind its If is that of this run") {
  OnnxGraph yes;
  yes.node(OnnxNode("Add", {"x", "one"}, {"more"})).output("more", Element::f32, {2});
  OnnxGraph no;
  no.node(OnnxNode("Sub", {"x", "one"}, {"less"})).output("less", Element::f32, {2});
  OnnxGraph graph;
  graph.input("x", Element::f32, {2}).input("condition", Element::boolean, {}).constant(onnx_floats("one", {}, {1})).constant(onnx_floats("zero", {}, {0}));
  graph.node(OnnxNode("If", {"condition"}, {"a"}).graph("then_branch", yes.proto).graph("else_branch", no.proto));
  graph.node(OnnxNode("Where", {"condition", "a", "zero"}, {"y"})).output("y", Element::f32, {2});
  onnx::Network network = open(graph.model());
  const std::vector<float> x = {2, 5};
  for (const std::uint8_t holds : std::array<std::uint8_t, 3>{1, 0, 1}) {
    const onnx::Input inputs[] = {{"x", Element::f32, {2}, x.data()}, {"condition", Element::boolean, {}, &holds}};
    const auto y = network.run(inputs);
    const std::vector<float> want = holds == 1 ? std::vector<float>{3, 6} : std::vector<float>{0, 0};
    check(near(y[0].as(), want), holds == 1 ? "where it holds" : "where it does not");
  }
}

LECTERN_TEST("onnx: fusion changes no result, and no value that is read") {
  for (const bool watched : {false, true}) {
    onnx::Network fused = open(conv_network(watched));
    onnx::Network plain = open(conv_network(watched), false);
    const std::vector<float> x = noise(2 * 3 * 6 * 7, 1);
    const auto got = run(fused, {2, 3, 6, 7}, x);
    const auto want = run(plain, {2, 3, 6, 7}, x);
    check(got.size() == (watched ? 4 : 1) && want.size() == got.size(), "all outputs are there");
    for (std::size_t i = 0; i < got.size(); i++) check(near(got[i].as(), want[i].as()), got[i].name + " is the same fused");
    onnx::Profile profile;
    const onnx::Input input{"x", Element::f32, {2, 3, 6, 7}, x.data()};
    (void)fused.run(std::span(&input, 1), nullptr, &profile);
    check(profile.entries.size() == (watched ? 6 : 3), "it takes " + std::to_string(profile.entries.size()) + " steps");
  }
}

LECTERN_TEST("onnx: layer normalisation, bias and gelu are found and keep their values") {
  onnx::Network fused = open(token_network());
  onnx::Network plain = open(token_network(), false);
  const std::vector<float> x = noise(2 * 4 * 3 * 5, 2);
  const auto got = run(fused, {2, 4, 3, 5}, x);
  const auto want = run(plain, {2, 4, 3, 5}, x);
  check(got[0].shape == Shape{2, 15, 6} && near(got[0].as(), want[0].as()), "the values are the same");
  onnx::Profile profile;
  const onnx::Input input{"x", Element::f32, {2, 4, 3, 5}, x.data()};
  (void)fused.run(std::span(&input, 1), nullptr, &profile);
  check(profile.entries.size() == 3, "a transposition, a normalisation and a product remain, not " + std::to_string(profile.entries.size()));
}

LECTERN_TEST("onnx: one bound holds for all that a run keeps at once, whatever part of it made it") {
  constexpr std::int64_t count = 1 << 18;  // 1 MiB of floats
  OnnxGraph graph;
  graph.input("x", Element::f32, {count}).input("s", Element::f32, {2}).node(OnnxNode("Mul", {"x", "x"}, {"square"}));
  // Where s is not zero is known only behind the first part, which must keep its result for the second.
  graph.node(OnnxNode("NonZero", {"s"}, {"places"})).node(OnnxNode("Cast", {"places"}, {"numbers"}).integer("to", 1)).node(OnnxNode("ReduceSum", {"numbers"}, {"sum"}).integer("keepdims", 0));
  graph.node(OnnxNode("Mul", {"s", "s"}, {"t"})).node(OnnxNode("NonZero", {"t"}, {"others"})).node(OnnxNode("Cast", {"others"}, {"more"}).integer("to", 1));
  graph.node(OnnxNode("ReduceSum", {"more"}, {"moreover"}).integer("keepdims", 0)).node(OnnxNode("Mul", {"square", "moreover"}, {"product"}));
  graph.output("square", Element::f32, {count}).output("product", Element::f32, {count});
  const std::string file = graph.model();
  const std::vector<float> x = noise(count, 9);
  const float s[] = {0, 3};
  const onnx::Input inputs[] = {{"x", Element::f32, {count}, x.data()}, {"s", Element::f32, {2}, s}};
  const auto run_within = [&](std::size_t kib) {
    const auto backend = cpu::make_backend();
    onnx::NetworkOptions options;
    options.threads = 1;
    options.most_bytes = kib << 10;
    onnx::Network network(bytes_of_file(file), *backend, options);
    (void)network.run(inputs);
    return network.run(inputs);
  };
  const auto got = run_within(2200);
  check(got[1].as()[5] == x[5] * x[5], "both fit, twice");
  check_throws(ErrorCode::too_large, [&] { (void)run_within(1500); }, "each fits, both do not");
}

LECTERN_TEST("onnx: what an LSTM computes in is counted, whatever it gives") {
  constexpr std::int64_t hidden = 64;
  OnnxGraph graph;
  graph.input("x", Element::f32, {-1, 1, 1}).constant(onnx_floats("w", {1, 4 * hidden, 1}, noise(4 * hidden, 3))).constant(onnx_floats("r", {1, 4 * hidden, hidden}, noise(4 * hidden * hidden, 4)));
  graph.node(OnnxNode("LSTM", {"x", "w", "r"}, {"", "last"}).integer("hidden_size", hidden)).output("last", Element::f32, {1, 1, hidden});
  const auto backend = cpu::make_backend();
  onnx::NetworkOptions options;
  options.threads = 1;
  options.most_bytes = std::size_t{2} << 20;
  onnx::Network network(bytes_of_file(graph.model()), *backend, options);
  const auto run_for = [&](std::int64_t steps) {
    const std::vector<float> x = noise(static_cast<std::size_t>(steps), 5);
    return run(network, {steps, 1, 1}, x);
  };
  check(run_for(1000)[0].shape == Shape{1, 1, hidden}, "1 MiB for a thousand steps");
  check_throws(ErrorCode::too_large, [&] { (void)run_for(3000); }, "3 MiB for three thousand");
}

LECTERN_TEST("onnx: a written layer normalisation of rows of one number takes scales of several, as unfused") {
  OnnxGraph graph;
  graph.input("x", Element::f32, {-1, -1}).constant(onnx_floats("scale", {3}, {2, -1, 0.5F})).constant(onnx_floats("bias", {3}, {7, 8, 9})).constant(onnx_floats("epsilon", {}, {1e-5F}));
  graph.node(OnnxNode("ReduceMean", {"x"}, {"mean"}).integers("axes", {-1})).node(OnnxNode("Sub", {"x", "mean"}, {"d"})).node(OnnxNode("Mul", {"d", "d"}, {"square"}));
  graph.node(OnnxNode("ReduceMean", {"square"}, {"variance"}).integers("axes", {-1})).node(OnnxNode("Add", {"variance", "epsilon"}, {"more"})).node(OnnxNode("Sqrt", {"more"}, {"root"}));
  graph.node(OnnxNode("Div", {"d", "root"}, {"normal"})).node(OnnxNode("Mul", {"normal", "scale"}, {"scaled"})).node(OnnxNode("Add", {"scaled", "bias"}, {"y"})).output("y", Element::f32, {-1, 3});
  onnx::Network fused = open(graph.model());
  onnx::Network plain = open(graph.model(), false);
  for (const std::int64_t columns : {3, 1}) {
    const std::vector<float> x = noise(static_cast<std::size_t>(4 * columns), 8);
    const auto got = run(fused, {4, columns}, x);
    const auto want = run(plain, {4, columns}, x);
    check(got[0].shape == Shape{4, 3} && near(got[0].as(), want[0].as()), "rows of " + std::to_string(columns));
  }
  onnx::Profile profile;
  const std::vector<float> x = noise(4, 8);
  const onnx::Input input{"x", Element::f32, {4, 1}, x.data()};
  (void)fused.run(std::span(&input, 1), nullptr, &profile);
  check(profile.entries.size() == 1, "it is one step: " + std::to_string(profile.entries.size()));
  check_throws(ErrorCode::invalid_model, [&] { (void)run(fused, {4, 2}, noise(8, 8)); }, "rows of two");
}

LECTERN_TEST("onnx: one picture's results are the same bits alone and in a batch, and with a plan that was used before") {
  onnx::Network network = open(conv_network(false));
  const std::vector<float> x = noise(3 * 3 * 8 * 9, 3);
  const auto all = run(network, {3, 3, 8, 9}, x);
  const std::size_t out = all[0].bytes.size() / 3;
  for (std::size_t i = 0; i < 3; i++) {
    const std::vector<float> one(x.begin() + static_cast<std::ptrdiff_t>(i * 3 * 72), x.begin() + static_cast<std::ptrdiff_t>((i + 1) * 3 * 72));
    const auto alone = run(network, {1, 3, 8, 9}, one);
    check(std::memcmp(alone[0].bytes.data(), all[0].bytes.data() + i * out, out) == 0, "picture " + std::to_string(i));
  }
  (void)run(network, {1, 3, 20, 30}, noise(3 * 600, 4));
  check(same(run(network, {3, 3, 8, 9}, x)[0], all[0]), "the first plan again");
}

std::vector<onnx::Output> run_loop(onnx::Network& network, std::int64_t trips, bool going, const Cancel* cancel = nullptr) {
  const float x[] = {1, -3};
  const std::uint8_t on = going;
  const onnx::Input inputs[] = {{"x", Element::f32, {2}, x}, {"trips", Element::i64, {}, &trips}, {"going", Element::boolean, {}, &on}};
  return network.run(inputs, cancel);
}

LECTERN_TEST("onnx: loops carry, collect, end early and never run for ever") {
  onnx::Network network = open(loop_network());
  const auto got = run_loop(network, 3, true);
  check(got[0].as()[0] == 8 && got[0].as()[1] == -24, "x is doubled three times");
  check(got[1].shape == Shape{3, 2} && near(got[1].as(), std::vector<float>{2, -6, 4, -12, 8, -24}), "every step is collected");
  check(got[2].as<std::int64_t>()[0] == 3, "what follows knows the size");
  const auto none = run_loop(network, 0, true);
  check(none[1].shape == Shape{0, 2} && none[0].as()[1] == -3, "no iteration gives nothing");
  check(run_loop(network, 5, false)[1].shape == Shape{0, 2}, "a condition that is false from the start");
  check_throws(ErrorCode::too_large, [&] { (void)run_loop(network, std::numeric_limits<std::int64_t>::max(), true); }, "no end in sight");
  check(run_loop(network, 2, true)[0].as()[0] == 4, "it runs on after the error");
}

LECTERN_TEST("onnx: the branch that is chosen runs") {
  onnx::Network network = open(if_network());
  const float x[] = {1, 2, 3};
  for (const std::uint8_t yes : {std::uint8_t{1}, std::uint8_t{0}}) {
    const onnx::Input inputs[] = {{"x", Element::f32, {3}, x}, {"condition", Element::boolean, {}, &yes}};
    const auto got = network.run(inputs);
    check(got[0].as()[2] == (yes != 0 ? 4 : -7), "condition " + std::to_string(yes));
  }
}

LECTERN_TEST("onnx: sizes that depend on contents") {
  onnx::Network network = open(detection_network());
  const float boxes[] = {0, 0, 1, 1, 0, 0.1F, 1, 1.1F, 0, 10, 1, 11, 0, 20, 1, 21};
  for (const float third : {0.75F, 0.05F, NAN}) {
    const float scores[] = {0.9F, 0.8F, third, 0.5F};
    const onnx::Input inputs[] = {{"boxes", Element::f32, {1, 4, 4}, boxes}, {"scores", Element::f32, {1, 1, 4}, scores}};
    const auto got = network.run(inputs);
    const bool three = third == 0.75F;
    check(got[0].shape == Shape{three ? 3 : 2, 4}, "the third box counts only with its score");
    check(got[0].as()[4] == 0 && got[0].as()[5] == (three ? 10 : 20), "the second box is the one that overlaps with none");
  }
}

LECTERN_TEST("onnx: weights in 16 bits are widened at load") {
  onnx::Network network = open(half_network());
  const auto got = run(network, {1, 2}, {2, 4});
  check(near(got[0].as(), std::vector<float>{14, -3, -3}), "the product is right");
  onnx::Profile profile;
  const float x[] = {2, 4};
  const onnx::Input input{"x", Element::f32, {1, 2}, x};
  (void)network.run(std::span(&input, 1), nullptr, &profile);
  check(profile.entries.size() == 1, "nothing is cast in a run");
}

LECTERN_TEST("onnx: a cancelled run stops at the next node") {
  onnx::Network network = open(conv_network(false));
  const std::vector<float> x = noise(3 * 16, 5);
  const onnx::Input input{"x", Element::f32, {1, 3, 4, 4}, x.data()};
  Cancel cancel;
  cancel.request();
  onnx::Profile profile;
  check_throws(ErrorCode::cancelled, [&] { (void)network.run(std::span(&input, 1), &cancel, &profile); }, "it is cancelled");
  check(profile.entries.empty(), "and has done nothing");
  onnx::Network loop = open(loop_network());
  check_throws(ErrorCode::cancelled, [&] { (void)run_loop(loop, 1000, true, &cancel); }, "so is a loop");
}

LECTERN_TEST("onnx: memory is laid out without overlap, and used again") {
  std::mt19937 random(6);
  std::size_t total = 0;
  std::size_t used = 0;
  for (int round = 0; round < 50; round++) {
    std::vector<onnx::Storage> storages;
    for (int i = 0; i < 60; i++) storages.push_back({random() % 5000, i, i + static_cast<int>(random() % 8), 0});
    const std::size_t size = onnx::lay_out(storages);
    bool apart = true;
    for (std::size_t a = 0; a < storages.size(); a++) {
      total += storages[a].bytes;
      apart = apart && storages[a].offset % 64 == 0 && storages[a].offset + storages[a].bytes <= size;
      for (std::size_t b = 0; b < a; b++) {
        const bool together = storages[a].first <= storages[b].last && storages[b].first <= storages[a].last && storages[a].bytes > 0 && storages[b].bytes > 0;
        apart = apart && !(together && storages[a].offset < storages[b].offset + storages[b].bytes && storages[b].offset < storages[a].offset + storages[a].bytes);
      }
    }
    check(apart, "round " + std::to_string(round));
    used += size;
  }
  check(used * 4 < total, "what lives for a few steps takes a fraction of all: " + std::to_string(used) + " of " + std::to_string(total));
}

}  // namespace
}  // namespace lectern::test
