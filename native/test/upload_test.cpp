// The upload of a model: complete, by several threads, and without leaks where a call on the way fails.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cuda/emulation/backend.h"
#include "cuda/emulation/faults.h"
#include "cuda/runtime/staged_copy.h"
#include "cuda_places.h"
#include "error.h"
#include "harness.h"
#include "made_model.h"
#include "opened_model.h"

namespace lectern {
namespace {

using test::check;
namespace emulation = cuda::emulation;

LECTERN_TEST("upload: staged data are not overwritten before they were copied") {
  if (!test::tests_emulation()) return;
  // On the stream whose copies are done when they are waited for, and not before.
  const cuda_emulated::Stream copies = cuda_emulated::open_copy_stream();
  const std::vector<int> first = {1, 2, 3};
  const std::vector<int> second = {7, 8, 9, 10, 11};
  cuda_emulated::StagedCopy told(cuda_emulated::StagedCopy::filled(20) + 16);
  const auto send = [&](const std::vector<int>& numbers) {
    told.begin();
    const int* const there = told.add(numbers.data(), numbers.size());
    const std::uint8_t byte = 5;
    check(reinterpret_cast<std::uintptr_t>(told.add(&byte, 1)) % 16 == 0, "parts are aligned");
    told.send(copies);
    return there;
  };
  const int* const there = send(first);
  check(!std::equal(first.begin(), first.end(), there), "nothing has arrived yet");
  told.begin();
  check(std::equal(first.begin(), first.end(), there), "whoever writes again has waited");
  check(send(second) == there, "in the same place");
  cuda_emulated::synchronise(copies);
  check(std::equal(second.begin(), second.end(), there), "the second has arrived");
}

/// The outcome of loading the model and one pass: the code of the error, or the logits.
struct Outcome {
  bool threw = false;
  ErrorCode code = ErrorCode::internal;
  test::Row logits;
};

Outcome load_and_run(const test::MadeModel& made) {
  Outcome outcome;
  try {
    const test::OpenedModel opened = test::open_model_on(cuda_emulated::make_backend(), made);
    outcome.logits = test::feed(*opened.model, test::some_tokens(2, opened.model->config().vocabulary), 2);
  } catch (const Error& error) {
    outcome.threw = true;
    outcome.code = error.code();
  }
  return outcome;
}

/// Every `step`-th call fails until none is left to fail.
void check_faults(const test::MadeModel& made, emulation::Fault fault, ErrorCode code, int step, const test::Row& expected) {
  const std::size_t before = emulation::living_allocations();
  int failures = 0;
  for (int call = 1;; call += step) {
    emulation::fail_at(call, fault);
    const Outcome outcome = load_and_run(made);
    const bool failed = emulation::has_failed();
    emulation::fail_never();
    check(emulation::living_allocations() == before, "call " + std::to_string(call) + ": everything is released");
    if (!failed) break;
    ++failures;
    if (outcome.threw) check(outcome.code == code, "call " + std::to_string(call) + ": " + std::string(name_of(outcome.code)));
    else check(test::same_bits(outcome.logits, expected), "call " + std::to_string(call) + " failed after the last result was there");
    if (call % 8 == 1) check(test::same_bits(load_and_run(made).logits, expected), "after call " + std::to_string(call) + ": the next load works");
  }
  check(failures > 10, std::to_string(failures) + " calls failed, one after the other");
}

LECTERN_TEST("upload: a failing runtime call is an error with its code, and leaks nothing") {
  if (!test::tests_emulation()) return;
  // Rows that do not fill a part of the ring, matrices of one part and of several.
  const test::MadeModel made = test::make_model({.dtype = DType::q4_0, .layers = 1, .embedding = 32, .heads = 1, .kv_heads = 1, .head_size = 32, .feed_forward = 160, .vocabulary = 130, .context = 8});
  const test::Row expected = load_and_run(made).logits;
  check(!expected.empty(), "it works where nothing fails");
  check_faults(made, emulation::Fault::memory, ErrorCode::out_of_memory, 1, expected);
  check_faults(made, emulation::Fault::lost, ErrorCode::device_lost, 5, expected);
}

LECTERN_TEST("upload: the device memory of a model is known before anything is allocated") {
  if (!test::tests_emulation()) return;
  const test::MadeModel made = test::make_model({.dtype = DType::q4_k, .layers = 2, .context = 64});
  const std::filesystem::path path = test::scratch_file("need.gguf");
  made.write(path);
  std::size_t work[2];
  for (const int device : {0, 1}) {
    const std::unique_ptr<Backend> backend = cuda_emulated::make_backend(device);
    const llm::MemoryNeed need = llm::memory_need(gguf::ModelFile(path.string()), *backend, {});
    const std::size_t told = need.weights + need.kv + need.work;
    const std::size_t before = emulation::living_device_bytes();
    const llm::Model model(path.string(), *backend, {});
    const std::size_t taken = emulation::living_device_bytes() - before;
    // Every allocation is rounded up, which vectors of a few numbers show.
    check(taken <= told + (std::size_t{16} << 10), std::to_string(taken) + " bytes are taken, " + std::to_string(told) + " were told");
    check(told <= taken + taken / 20, "no more is told than is taken: " + std::to_string(told) + ", " + std::to_string(taken));
    work[device] = need.work;
  }
  check(work[0] < work[1], "room for unpacked weights is taken where there are warpgroups to multiply them");
}

}  // namespace
}  // namespace lectern
