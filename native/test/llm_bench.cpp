#include "llm_bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "backend/instructions.h"
#include "cpu/backend.h"
#include "cpu/fast_ops.h"
#include "cpu/kernels/kernels.h"
#include "cpu/packed.h"
#include "cpu/threads.h"
#include "llm/model.h"
#include "llm/sampler.h"
#include "made_model.h"

namespace lectern::test {
namespace {

double seconds_of(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The best of a few runs: the speed of the machine when no other process uses it.
double best_seconds(int runs, const auto& work) {
  double best = 1e9;
  for (int i = 0; i < runs; i++) best = std::min(best, seconds_of(work));
  return best;
}

/// Operations a second on 8-bit numbers, of all threads together.
double peak_operations(cpu::Threads& threads) {
  std::vector<std::int64_t> operations(16);
  auto work = [&](int part, int) { operations[static_cast<std::size_t>(part)] = cpu::kernels_of(available_instructions())->exercise(200000); };
  const double seconds = best_seconds(5, [&] { threads.each(16, work); });
  return static_cast<double>(std::accumulate(operations.begin(), operations.end(), std::int64_t{0})) / seconds;
}

/// One matrix type by itself: a matrix beyond the caches with one row, one within them with many.
void bench_kernel(cpu::Threads& threads, DType dtype) {
  constexpr int columns = 2048;
  constexpr int many = 64;
  const cpu::Kernels& kernels = *cpu::kernels_of(available_instructions());
  const std::size_t group_bytes = cpu::packed_group_bytes(dtype, columns);
  const int groups = static_cast<int>((std::size_t{256} << 20) / group_bytes);
  const cpu::LargeMemory packed(group_bytes * static_cast<std::size_t>(groups));
  std::mt19937 random(1);
  const std::vector<std::byte> rows = random_weights(dtype, 16 * columns, 1, random);
  for (int g = 0; g < groups; g++) cpu::pack_group(dtype, rows.data(), columns, 16, packed.data() + static_cast<std::size_t>(g) * group_bytes);
  const cpu::LargeMemory activations(std::size_t{many} * columns * 4);
  const cpu::LargeMemory out(std::size_t{many} * 16 * 64 * 4 * static_cast<std::size_t>(threads.count()));
  const int chunk = 16;
  const auto run = [&](int count, int chunks, bool same) {
    auto work = [&](int part, int thread) {
      const int first = same ? thread * chunk : part * chunk;
      kernels.multiply[static_cast<int>(dtype)](packed.data() + static_cast<std::size_t>(first) * group_bytes, group_bytes, columns, chunk,
                                                activations.data(), count, out.floats() + thread * many * 16 * 64, 16 * chunk);
    };
    return best_seconds(5, [&] { threads.each(chunks, work); });
  };
  const int chunks = groups / chunk;
  const double gigabytes = static_cast<double>(chunks * chunk) * static_cast<double>(group_bytes) / 1e9;
  const double operations = 2.0 * columns * 16 * chunk * many * 64;
  std::printf("  %-7s one row %6.1f GB/s   %d rows %6.3f TOPS\n", std::string(info_of(dtype).name).c_str(), gigabytes / run(1, chunks, false), many,
              operations / run(many, 64, true) / 1e12);
}

/// The choice of one token by itself, on one thread.
void bench_sampler() {
  constexpr int vocabulary = 151936;
  constexpr int choices = 100;
  std::mt19937 random(1);
  std::vector<float> logits(vocabulary);
  std::normal_distribution<float> normal(0, 3);
  for (float& logit : logits) logit = normal(random);
  const auto bench = [&](const char* name, const llm::SamplingOptions& options) {
    llm::Sampler sampler(options, vocabulary);
    for (int id = 0; id < 64; id++) sampler.accept(id * 100);
    const double seconds = best_seconds(7, [&] {
      for (int i = 0; i < choices; i++) sampler.sample(logits.data(), nullptr);
    });
    std::printf("  choice of %d, %-48s %6.3f ms\n", vocabulary, name, seconds / choices * 1e3);
  };
  llm::SamplingOptions options;
  bench("plain draw", options);
  options.top_p = 0.9F;
  bench("top_p 0.9", options);
  options.top_k = 40;
  options.temperature = 0.8F;
  options.repeat_penalty = 1.1F;
  bench("penalties, top_k 40, top_p 0.9, temperature 0.8", options);
  options.logprobs = 5;
  bench("the same with 5 logprobs", options);
  options = {};
  options.temperature = 0;
  bench("temperature 0", options);
}

struct Named {
  const char* name;
  MadeShape shape;
};

double prefill_rate(llm::Model& model, int count) {
  const double seconds = best_seconds(3, [&] {
    std::vector<llm::BatchToken> steps;
    for (int first = 0; first < count; first += model.forward().rows()) {
      steps.clear();
      for (int i = first; i < std::min(count, first + model.forward().rows()); i++) steps.push_back({i * 7 % 50000, 0, i, i + 1 == count});
      model.forward().decode(steps.data(), static_cast<int>(steps.size()));
    }
  });
  return count / seconds;
}

double decode_rate(llm::Model& model, int slots, int count) {
  const double seconds = best_seconds(3, [&] {
    for (int i = 0; i < count; i++) {
      const llm::BatchToken steps[2] = {{i * 7 % 50000, 0, 64 + i, true, true}, {i * 11 % 50000, 1, 64 + i, true, true}};
      model.forward().decode(steps, slots);
    }
  });
  return slots * count / seconds;
}

double embed_rate(llm::Model& model, int count) {
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(count));
  std::iota(tokens.begin(), tokens.end(), 5);
  return count / best_seconds(2, [&] { model.forward().embed(tokens.data(), count, Cancel{}); });
}

void bench_model(const Named& named, double bandwidth) {
  const std::filesystem::path path = scratch_file("bench.gguf");
  make_model(named.shape).write(path);
  const double gigabytes = static_cast<double>(std::filesystem::file_size(path)) / 1e9;
  const std::unique_ptr<Backend> backend = cpu::make_backend();
  llm::ModelOptions options;
  options.context = 1024;
  std::unique_ptr<llm::Model> model;
  const double load = seconds_of([&] { model = std::make_unique<llm::Model>(path, *backend, options); });
  std::filesystem::remove(path);
  std::printf("%-22s %5.2f GB, load %5.2f s", named.name, gigabytes, load);
  if (model->config().embeds()) {
    std::printf("   embed %7.1f tokens/s\n", embed_rate(*model, 512));
  } else {
    const double one = decode_rate(*model, 1, 32);
    // Every byte of the file is read for a token: the models here keep one matrix for both ends.
    std::printf("   prefill %7.1f   decode %6.1f (%2.0f %% of the bandwidth)   two slots %6.1f tokens/s\n", prefill_rate(*model, 512), one,
                100 * one * gigabytes * 1e9 / bandwidth, decode_rate(*model, 2, 32));
  }
  std::fflush(stdout);
}

}  // namespace

double read_bandwidth(cpu::Threads& threads) {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  constexpr int parts = 256;
  const cpu::LargeMemory memory(bytes);
  std::fill_n(reinterpret_cast<std::uint64_t*>(memory.data()), bytes / 8, std::uint64_t{1});
  std::vector<std::uint64_t> sums(parts);
  auto work = [&](int part, int) {
    const auto* from = reinterpret_cast<const std::uint64_t*>(memory.data() + bytes / parts * static_cast<std::size_t>(part));
    std::uint64_t sum[8] = {};
    for (std::size_t i = 0; i < bytes / parts / 8; i += 8) {
      for (std::size_t k = 0; k < 8; k++) sum[k] += from[i + k];
    }
    sums[static_cast<std::size_t>(part)] = std::accumulate(sum, sum + 8, std::uint64_t{0});
  };
  const double seconds = best_seconds(5, [&] { threads.each(parts, work); });
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}) == 0 ? 0 : static_cast<double>(bytes) / seconds;
}

void bench_llm() {
  cpu::Threads threads(0);
  const double bandwidth = read_bandwidth(threads);
  std::printf("%d threads, %s; read bandwidth %.1f GB/s, 8-bit products %.2f TOPS\n", threads.count(),
              std::string(name_of(available_instructions())).c_str(), bandwidth / 1e9, peak_operations(threads) / 1e12);
  bench_sampler();
  std::fflush(stdout);
  for (const DType dtype : {DType::q4_0, DType::q5_0, DType::q8_0, DType::q4_k, DType::q5_k, DType::q6_k, DType::q3_k, DType::q2_k, DType::iq4_xs, DType::f16, DType::bf16, DType::f32}) {
    bench_kernel(threads, dtype);
  }
  const MadeShape half_billion{.architecture = "qwen2", .layers = 24, .embedding = 896, .heads = 14, .kv_heads = 2, .head_size = 64, .feed_forward = 4864,
                               .vocabulary = 151936, .context = 2048, .tied = true, .mixed = true, .repeated = true};
  MadeShape one_billion{.layers = 16, .embedding = 2048, .heads = 32, .kv_heads = 8, .head_size = 64, .feed_forward = 8192,
                        .vocabulary = 128256, .context = 2048, .tied = true, .mixed = true, .repeated = true};
  const MadeShape embedder{.architecture = "bert", .dtype = DType::f16, .layers = 24, .embedding = 1024, .heads = 16, .kv_heads = 16, .head_size = 64,
                           .feed_forward = 4096, .vocabulary = 10000, .context = 1024, .repeated = true};
  bench_model({"qwen2.5 0.5B Q4_K_M", half_billion}, bandwidth);
  bench_model({"llama 3.2 1B Q4_K_M", one_billion}, bandwidth);
  one_billion.mixed = false;
  one_billion.dtype = DType::q8_0;
  bench_model({"llama 3.2 1B Q8_0", one_billion}, bandwidth);
  bench_model({"bge-m3 F16", embedder}, bandwidth);
}

}  // namespace lectern::test
