// Loading watched from outside: progress, cancel, a file that changes, and what a model will need.
#include <chrono>
#include <filesystem>
#include <memory>
#include <vector>

#include "cpu/backend.h"
#include "harness.h"
#include "llm/model.h"
#include "made_model.h"

namespace lectern {
namespace {

using test::check;
using test::check_near;
using test::check_throws;

std::filesystem::path made(const test::MadeShape& shape) {
  const std::filesystem::path path = test::scratch_file("placed.gguf");
  test::make_model(shape).write(path);
  return path;
}

llm::ModelOptions two_threads() {
  llm::ModelOptions options;
  options.threads = 2;
  return options;
}

LECTERN_TEST("weight loader: loading reports its progress, from the first matrix to all of them") {
  for (const bool tied : {false, true}) {
    const auto path = made({.layers = 3, .tied = tied});
    const auto backend = cpu::make_backend();
    std::vector<double> told;
    const llm::Model model(path, *backend, two_threads(), {nullptr, [&](double fraction) { told.push_back(fraction); }});
    check(told.size() == 3 * 7 + 1, "once a matrix");
    bool rises = told.front() > 0;
    for (std::size_t i = 1; i < told.size(); i++) rises = rises && told[i] >= told[i - 1];
    check(rises && told.back() <= 1 && told.back() > 0.9, "rising to 1");
  }
}

LECTERN_TEST("weight loader: a cancel takes effect between tensors") {
  const auto path = made({});
  const auto backend = cpu::make_backend();
  Cancel cancel;
  int matrices = 0;
  const auto stop_at_third = [&](double) {
    if (++matrices == 3) cancel.request();
  };
  check_throws(ErrorCode::cancelled, [&] { llm::Model(path, *backend, two_threads(), {&cancel, stop_at_third}); }, "load");
  check(matrices == 3, "at the next tensor");
}

LECTERN_TEST("weight loader: a file that shrinks or is written to while it loads is refused") {
  const auto backend = cpu::make_backend();
  for (const bool shrinks : {true, false}) {
    const auto path = made({});
    bool done = false;
    const auto change = [&](double) {
      // Only the end of the file is cut: the bytes that loading reads before its next check are still there.
      if (!done && shrinks) std::filesystem::resize_file(path, std::filesystem::file_size(path) - 32);
      if (!done && !shrinks) std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::seconds(1));
      done = true;
    };
    check_throws(ErrorCode::invalid_model, [&] { llm::Model(path, *backend, two_threads(), {nullptr, change}); }, shrinks ? "shrunk" : "written to");
  }
}

LECTERN_TEST("weight loader: the need of a model grows with its weights, slots and context, and refuses as loading does") {
  const auto backend = cpu::make_backend();
  const auto need = [&](const test::MadeShape& shape, const llm::ModelOptions& options) {
    return llm::memory_need(gguf::ModelFile(made(shape)), *backend, options);
  };
  const llm::MemoryNeed one = need({}, two_threads());
  check(one.weights > 0 && one.kv > 0 && one.work > 0, "three parts");
  llm::ModelOptions more = two_threads();
  more.slots = 4;
  more.context = 128;
  // 192 and 128 positions are both whole tiles of 64; the padding at the end is some bytes.
  check_near(static_cast<double>(need({}, more).kv), static_cast<double>(one.kv) * 2 * 128 / 192, 256, "keys and values");
  check(need({.layers = 4}, two_threads()).weights > one.weights * 3 / 2, "weights");
  more.context = 100000;
  check_throws(ErrorCode::invalid_request, [&] { need({}, more); }, "context");
  test::MadeModel damaged = test::make_model({});
  damaged.tensors.erase("blk.1.ffn_up.weight");
  const auto path = test::scratch_file("damaged.gguf");
  damaged.write(path);
  check_throws(ErrorCode::invalid_model, [&] { llm::memory_need(gguf::ModelFile(path), *backend, two_threads()); }, "tensor");
}

}  // namespace
}  // namespace lectern
