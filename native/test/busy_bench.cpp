#include "busy_bench.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "opened_model.h"

namespace lectern::test {
namespace {

constexpr int rounds = 7;
constexpr int busy_threads = 2;

double tokens_per_second(llm::Model& model, int tokens) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < tokens; i++) {
    const llm::BatchToken step{i, 0, i, true, true};
    (void)model.forward().decode(&step, 1);
  }
  return tokens / std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The work of others, as long as it lives.
class Busy {
 public:
  Busy() {
    for (int i = 0; i < busy_threads; i++) threads_.emplace_back([this] { while (!over_.load(std::memory_order_relaxed)) turns_.fetch_add(1, std::memory_order_relaxed); });
  }
  ~Busy() {
    over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  std::atomic<bool> over_{false};
  std::atomic<long> turns_{0};
  std::vector<std::thread> threads_;
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + rounds / 2, values.end());
  return values[rounds / 2];
}

}  // namespace

void bench_busy() {
  for (const int scale : {1, 4}) {
    const OpenedModel opened = open_model(make_model({.dtype = DType::q4_k, .layers = 8, .embedding = 256 * scale, .heads = 4 * scale, .kv_heads = 2, .feed_forward = 1024 * scale,
                                                      .vocabulary = 4096, .repeated = true}));
    std::vector<double> alone, beside, shares;
    (void)tokens_per_second(*opened.model, 50);
    for (int round = 0; round < rounds; round++) {
      alone.push_back(tokens_per_second(*opened.model, 150));
      const Busy busy;
      beside.push_back(tokens_per_second(*opened.model, 150));
      shares.push_back(beside.back() / alone.back());
    }
    std::printf("decode %4d wide, 2 threads: alone %7.1f, beside %d busy threads %7.1f tokens/s (%2.0f %%)\n", 256 * scale, median(alone), busy_threads, median(beside), 100 * median(shares));
  }
}

}  // namespace lectern::test
