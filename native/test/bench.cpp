// native_bench: how long each job takes on this machine, best and median of several runs; with --llm language models instead,
// with --layers layers of networks, with --gpu DEVICE (cuda, emulated) SECONDS FOLDER PART a GPU: part 0
// what it reaches at most, from 1 on a language model each, the last loading a file of 10 GB in the folder,
// with --networks DEVICE (cuda, emulated, cpu) ONNX-PACK the networks of a pack on it. --network FILE THREADS times one network on command, --profile FILE THREADS RUNS 1x3x48x320 INPUT tells
// what its nodes cost.
// --make-model FOLDER NAME writes a model for benchmarks, --model FILE THREADS holds one open and times it on command,
// --tokenizer FILE times the tokenizer of one. In front of these stand the debug switches of kernel_switches.h, if any.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <random>
#include <vector>

#include "backend/instructions.h"
#include "bench_models.h"
#include "busy_bench.h"
#include "cpu/backend.h"
#include "cuda/runtime/backend.h"
#include "cuda/emulation/backend.h"
#include "gpu_bench.h"
#include "grammar_bench.h"
#include "kernel_switches.h"
#include "llm_bench.h"
#include "model_bench.h"
#include "network_bench.h"
#include "network_device_bench.h"
#include "network_serve.h"
#include "page.h"
#include "tokenizer_bench.h"
#include "vision/skew_angle.h"
#include "vision/image.h"

namespace {

void measure(const char* name, double megapixels, const std::function<void()>& job) {
  std::vector<double> times;
  for (int run = 0; run < 15; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    job();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  std::printf("%-44s best %7.2f ms  median %7.2f ms  %6.0f Mpixel/s\n", name, times.front(), times[times.size() / 2],
              megapixels / times.front() * 1000);
}

int run_model(const char* verb, const char* first, const char* second) {
  try {
    if (std::strcmp(verb, "--tokenizer") == 0) lectern::test::bench_tokenizer_of(first);
    else if (std::strcmp(verb, "--make-model") == 0) lectern::test::write_bench_model(first, second);
    else if (std::strcmp(verb, "--network") == 0) lectern::test::serve_network_bench(first, std::atoi(second));
    else lectern::test::serve_model_bench(first, std::atoi(second));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

/// 3 where there is no such part.
int run_gpu(const char* device, const char* seconds, const char* folder, const char* part) {
  try {
    return lectern::test::bench_gpu({std::strcmp(device, "emulated") == 0, std::atof(seconds), folder, std::atoi(part)}) ? 0 : 3;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

/// device: cuda, emulated or cpu.
int run_networks(const char* device, const char* pack) {
  const bool emulated = std::strcmp(device, "emulated") == 0;
  try {
    const auto host = lectern::cpu::make_backend();
    const auto chosen = emulated ? lectern::cuda_emulated::make_backend() : std::strcmp(device, "cpu") == 0 ? lectern::cpu::make_backend() : lectern::cuda::make_backend(0);
    lectern::test::bench_networks(*chosen, *host, pack, emulated);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

int profile(char** arguments) {
  try {
    lectern::test::profile_network(arguments[0], std::atoi(arguments[1]), std::atoi(arguments[2]), arguments[3], arguments[4]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace

int main(int count, char** arguments) {
  using namespace lectern;
  // Switches of the kernels come first.
  while (count > 2 && test::take_kernel_switch(arguments[1], arguments[2])) {
    arguments += 2;
    count -= 2;
  }
  const auto is = [&](const char* verb) { return std::strcmp(arguments[1], verb) == 0; };
  if (count == 7 && is("--profile")) return profile(arguments + 2);
  if (count == 4 && (is("--make-model") || is("--model") || is("--network"))) return run_model(arguments[1], arguments[2], arguments[3]);
  if (count == 4 && is("--networks")) return run_networks(arguments[2], arguments[3]);
  if (count == 3 && is("--tokenizer")) return run_model(arguments[1], arguments[2], nullptr);
  if (count == 6 && is("--gpu")) return run_gpu(arguments[2], arguments[3], arguments[4], arguments[5]);
  if (count == 2 && is("--llm")) {
    test::bench_busy();
    test::bench_llm();
    return 0;
  }
  std::printf("instructions: %s\n", std::string(name_of(available_instructions())).c_str());
  if (count == 2 && is("--layers")) {
    test::bench_network_layers();
    return 0;
  }
  std::mt19937 random(1);
  // A4 at 150 and 300 dpi.
  for (const int scale : {1, 2}) {
    test::Page page(1240 * scale, 1754 * scale, 1.3);
    page.text(120 * scale, 120 * scale, 1120 * scale, 1640 * scale, 8 * scale, random);
    const double megapixels = 1.240 * 1.754 * scale * scale;
    const char* dpi = scale == 1 ? "150" : "300";
    char name[80];
    std::snprintf(name, sizeof name, "deskew_angle, A4 at %s dpi", dpi);
    measure(name, megapixels, [&] { vision::deskew_angle(page.bitmap(), Cancel{}); });
    for (const int side : {640, 1280}) {
      const auto plane = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
      std::vector<float> out(plane * 3);
      std::snprintf(name, sizeof name, "resize, A4 at %s dpi to %d x %d", dpi, side, side);
      measure(name, megapixels, [&] {
        vision::resize(page.bitmap(), {side, side, {0.5F, 0.5F, 0.5F}, {0.5F, 0.5F, 0.5F}}, out, Cancel{});
      });
    }
  }
  test::bench_tokenizer();
  test::bench_grammar();
  return 0;
}
