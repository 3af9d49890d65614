#include "model_bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "backend/instructions.h"
#include "cpu/backend.h"
#include "cpu/threads.h"
#include "llm/model.h"
#include "llm/sampler.h"
#include "llm_bench.h"
#include "opened_model.h"

namespace lectern::test {
namespace {

/// Per slot; the peer gets the same.
constexpr int context = 1024;
/// What stands in a slot when decoding begins.
constexpr int prompt = 64;

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

class Measured {
 public:
  Measured(const std::string& path, int threads) : backend_(cpu::make_backend()), threads_(threads) {
    llm::ModelOptions options;
    options.context = context;
    options.threads = threads;
    const Clock::time_point begin = Clock::now();
    model_ = std::make_unique<llm::Model>(path, *backend_, options);
    const double seconds = since(begin);
    std::printf("ready %.6f %zu %d %s\n", seconds, llm::memory_need(model_->file(), *backend_, options).kv, threads, std::string(name_of(available_instructions())).c_str());
    tokens_ = some_tokens(context, model_->config().vocabulary);
  }

  double run(const std::string& line) {
    std::istringstream words(line);
    std::string verb;
    int first = 0;
    int second = 0;
    words >> verb >> first >> second;
    if (verb == "bandwidth") return bandwidth();
    if (verb == "prefill" && first > 0 && first <= context && !embeds()) return prefill(first, 0);
    if (verb == "embed" && first > 0 && first <= context && embeds()) return embed(first);
    if (verb == "decode" && (first == 1 || first == 2) && second > 0 && prompt + second <= context && !embeds()) return decode(first, second);
    throw std::invalid_argument("cannot: " + line);
  }

 private:
  bool embeds() const { return model_->config().embeds(); }

  double bandwidth() const {
    cpu::Threads threads(threads_);
    return read_bandwidth(threads);
  }

  double prefill(int count, int slot) {
    const Clock::time_point begin = Clock::now();
    feed(*model_, {tokens_.begin(), tokens_.begin() + count}, model_->forward().rows(), slot);
    return since(begin);
  }

  double embed(int count) {
    const Clock::time_point begin = Clock::now();
    model_->forward().embed(tokens_.data(), count, Cancel{});
    return since(begin);
  }

  /// Each slot goes on with the likeliest token.
  double decode(int slots, int count) {
    const auto vocabulary = static_cast<std::size_t>(model_->config().vocabulary);
    llm::SamplingOptions likeliest;
    likeliest.temperature = 0;
    llm::Sampler sampler(likeliest, model_->config().vocabulary);
    std::vector<llm::BatchToken> steps;
    for (int slot = 0; slot < slots; slot++) {
      prefill(prompt, slot);
      steps.push_back({tokens_[static_cast<std::size_t>(slot)], slot, prompt, true, true});
    }
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < count; i++) {
      const float* logits = model_->forward().decode(steps.data(), slots);
      for (std::size_t slot = 0; slot < steps.size(); slot++) {
        steps[slot].token = sampler.sample(logits + slot * vocabulary, nullptr).id;
        steps[slot].position++;
      }
    }
    return since(begin);
  }

  std::unique_ptr<Backend> backend_;
  int threads_;
  std::unique_ptr<llm::Model> model_;
  std::vector<std::int32_t> tokens_;
};

}  // namespace

void serve_model_bench(const std::string& path, int threads) {
  std::setvbuf(stdout, nullptr, _IOLBF, 4096);
  Measured measured(path, threads);
  std::string line;
  while (std::getline(std::cin, line)) {
    try {
      std::printf("done %.9g\n", measured.run(line));
    } catch (const std::exception& error) {
      std::printf("failed %s\n", error.what());
    }
  }
}

}  // namespace lectern::test
