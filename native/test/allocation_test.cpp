// A pass takes no memory, nor does the choice of a token: every malloc of the process is counted while what has run before runs again.
#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "harness.h"
#include "llm/sampler.h"
#include "made_model.h"
#include "opened_model.h"

namespace lectern {
namespace {

std::atomic<bool> counting{false};
std::atomic<int> allocations{0};

void note_allocation() {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace
}  // namespace lectern

// Of a sanitizer its own hook; of glibc its allocator behind ours, which the executable's names go before.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LECTERN_COUNTS_ALLOCATIONS 1
// Part of the runtime; its header does not come with every compiler.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, std::size_t), void (*on_free)(const volatile void*));
[[maybe_unused]] static const int installed_hook =
    __sanitizer_install_malloc_and_free_hooks([](const volatile void*, std::size_t) { lectern::note_allocation(); }, [](const volatile void*) {});
#elif defined(__GLIBC__)
#define LECTERN_COUNTS_ALLOCATIONS 1
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

// Without these lines the linker would hide them with everything else of ours.
__attribute__((visibility("default"))) void* malloc(std::size_t bytes) {
  lectern::note_allocation();
  return __libc_malloc(bytes);
}
__attribute__((visibility("default"))) void* calloc(std::size_t count, std::size_t bytes) {
  lectern::note_allocation();
  return __libc_calloc(count, bytes);
}
__attribute__((visibility("default"))) void* realloc(void* memory, std::size_t bytes) {
  lectern::note_allocation();
  return __libc_realloc(memory, bytes);
}
__attribute__((visibility("default"))) void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  lectern::note_allocation();
  return __libc_memalign(alignment, bytes);
}
}
#endif

namespace lectern {
namespace {

using llm::BatchToken;
using test::check;
using test::make_model;
using test::MadeShape;
using test::open_model;
using test::OpenedModel;

/// How often memory was asked for in `work`, by any thread.
template <class Work>
int count_allocations(Work&& work) {
  allocations = 0;
  counting = true;
  work();
  counting = false;
  return allocations;
}

/// Two slots, each a token further.
void decode_two(llm::Model& model, int position) {
  const BatchToken steps[2] = {{position % 90, 0, position, true, true}, {position % 70, 1, position, true, true}};
  (void)model.forward().decode(steps, 2);
}

void check_decoder(const MadeShape& shape, const std::string& name) {
  const OpenedModel opened = open_model(make_model(shape));
  llm::Model& model = *opened.model;
  std::vector<BatchToken> prompt;
  for (int i = 0; i < 100; i++) prompt.push_back({i % shape.vocabulary, 0, i, i == 99});
  const auto pass = [&](int position) {
    (void)model.forward().decode(prompt.data(), 100);
    model.ops().copy_positions(model.cache().kv(), 0, 1, 100);
    for (int i = 0; i < 5; i++) decode_two(model, position + i);
  };
  pass(100);
  check(count_allocations([&] { pass(105); }) == 0, name + ": a prompt, a copy and five tokens of two slots: " + std::to_string(allocations) + " allocations");
}

LECTERN_TEST("allocation: a pass that ran before takes no memory") {
#if defined(LECTERN_COUNTS_ALLOCATIONS)
  check(count_allocations([] { std::make_unique<std::string>(100, 'x').reset(); }) >= 2, "what allocates is counted");
  check_decoder({.dtype = DType::f32}, "llama F32");
  check_decoder({.dtype = DType::q4_k, .heads = 6, .kv_heads = 2, .head_size = 48}, "llama Q4_K");
  check_decoder({.architecture = "qwen2", .dtype = DType::q8_0, .tied = true}, "qwen2 Q8_0");
  check_decoder({.architecture = "qwen3", .dtype = DType::iq4_xs}, "qwen3 IQ4_XS");
  check_decoder({.dtype = DType::q5_k, .feed_forward = 256, .experts = 4}, "experts Q5_K");

  const OpenedModel encoder = open_model(make_model({.architecture = "bert", .dtype = DType::f16, .kv_heads = 4}));
  const std::vector<std::int32_t> tokens = test::some_tokens(150, 96);
  const auto embed = [&] { (void)encoder.model->forward().embed(tokens.data(), 150, Cancel{}); };
  embed();
  check(count_allocations(embed) == 0, "an embedding: " + std::to_string(allocations) + " allocations");
#else
  test::note("skipped: there is no hook into this system's allocator");
  check(true, "nothing to count with");
#endif
}

LECTERN_TEST("allocation: a choice takes no memory once the window of the penalties is full") {
#if defined(LECTERN_COUNTS_ALLOCATIONS)
  constexpr int vocabulary = 5000;
  std::vector<float> logits;
  for (int id = 0; id < vocabulary; id++) logits.push_back(static_cast<float>(id * 37 % 1009) * 0.01F);
  const llm::TokenMask mask(vocabulary / 32 + 1, 0xFFFFFFF7U);
  llm::SamplingOptions plain;
  llm::SamplingOptions penalised;
  penalised.repeat_penalty = 1.1F;
  penalised.top_k = 40;
  penalised.min_p = 0.01F;
  llm::SamplingOptions nucleus;
  nucleus.top_p = 0.9F;
  llm::SamplingOptions typical;
  typical.typical_p = 0.9F;
  llm::SamplingOptions surprise;
  surprise.mirostat = 2;
  llm::SamplingOptions excluding;
  excluding.top_n_sigma = 2;
  excluding.xtc_probability = 0.5F;
  excluding.dynatemp_range = 0.5F;
  excluding.top_k = 40;
  for (const llm::SamplingOptions& options : {plain, penalised, nucleus, typical, surprise, excluding}) {
    llm::Sampler sampler(options, vocabulary);
    const auto choose = [&] {
      for (int i = 0; i < 100; i++) (void)sampler.sample(logits.data(), i % 2 == 0 ? &mask : nullptr);
    };
    choose();
    check(count_allocations(choose) == 0, "100 choices: " + std::to_string(allocations) + " allocations");
  }
#else
  test::note("skipped: there is no hook into this system's allocator");
  check(true, "nothing to count with");
#endif
}

}  // namespace
}  // namespace lectern
