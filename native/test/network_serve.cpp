#include "network_serve.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "backend/backend.h"
#include "backend/instructions.h"
#include "cpu/backend.h"
#include "onnx/network.h"

namespace lectern::test {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

class Measured {
 public:
  Measured(const std::string& path, int threads) : backend_(cpu::make_backend()), network_(onnx::Network::open(path, *backend_, options_of(threads))) {}

  /// The middle one.
  double run(int count, const std::string& sizes, const std::string& file) {
    std::vector<double> times;
    for (int i = 0; i < count; i++) {
      load(sizes, file);
      const Clock::time_point begin = Clock::now();
      network_.run({&input_, 1});
      times.push_back(since(begin));
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }

  onnx::Profile profile(const std::string& sizes, const std::string& file) {
    load(sizes, file);
    onnx::Profile profile;
    network_.run({&input_, 1}, nullptr, &profile);
    return profile;
  }

 private:
  static onnx::NetworkOptions options_of(int threads) {
    onnx::NetworkOptions options;
    options.threads = threads;
    return options;
  }

  void load(const std::string& sizes, const std::string& file) {
    if (file == file_ && sizes == sizes_) return;
    Shape shape;
    std::istringstream words(sizes);
    for (std::string size; std::getline(words, size, 'x') && shape.rank < max_rank;) shape.push(std::stoll(size));
    std::ifstream stream(file, std::ios::binary);
    values_.resize(static_cast<std::size_t>(shape.elements()));
    if (!stream.read(reinterpret_cast<char*>(values_.data()), static_cast<std::streamsize>(values_.size() * sizeof(float)))) throw std::invalid_argument("too short: " + file);
    input_ = {network_.inputs().front().name, Element::f32, shape, values_.data()};
    sizes_ = sizes;
    file_ = file;
  }

  std::unique_ptr<Backend> backend_;
  onnx::Network network_;
  onnx::Input input_{};
  std::vector<float> values_;
  std::string sizes_;
  std::string file_;
};

}  // namespace

void serve_network_bench(const std::string& path, int threads) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const Clock::time_point begin = Clock::now();
  Measured measured(path, threads);
  std::printf("ready %.6f 0 %d %s\n", since(begin), threads, std::string(name_of(available_instructions())).c_str());
  for (std::string line; std::getline(std::cin, line);) {
    try {
      std::istringstream words(line);
      std::string verb;
      std::string sizes;
      std::string file;
      int count = 0;
      words >> verb >> count >> sizes >> std::ws;
      std::getline(words, file);
      if (verb != "run" || count < 1) throw std::invalid_argument("cannot: " + line);
      std::printf("done %.9g\n", measured.run(count, sizes, file));
    } catch (const std::exception& error) {
      std::printf("failed %s\n", error.what());
    }
  }
}

void profile_network(const std::string& path, int threads, int count, const std::string& shape, const std::string& input) {
  Measured measured(path, threads);
  const double whole = measured.run(count, shape, input);
  // Of each node the least of all runs: what it costs when nothing comes between.
  onnx::Profile least = measured.profile(shape, input);
  for (int i = 1; i < count; i++) {
    const onnx::Profile next = measured.profile(shape, input);
    for (std::size_t n = 0; n < std::min(least.entries.size(), next.entries.size()); n++) least.entries[n].seconds = std::min(least.entries[n].seconds, next.entries[n].seconds);
  }
  struct Kind {
    double seconds = 0;
    int count = 0;
  };
  std::map<std::string, Kind> kinds;
  double sum = 0;
  for (const auto& [op, name, seconds] : least.entries) {
    kinds[op].seconds += seconds;
    kinds[op].count++;
    sum += seconds;
  }
  std::printf("%.3f ms a run; its %zu nodes alone %.3f ms\n", whole * 1e3, least.entries.size(), sum * 1e3);
  std::vector<std::pair<std::string, Kind>> by_cost(kinds.begin(), kinds.end());
  std::sort(by_cost.begin(), by_cost.end(), [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
  for (const auto& [op, kind] : by_cost) std::printf("%9.3f ms %5.1f %% %5d x %s\n", kind.seconds * 1e3, 100 * kind.seconds / sum, kind.count, op.c_str());
  std::sort(least.entries.begin(), least.entries.end(), [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  for (std::size_t i = 0; i < std::min<std::size_t>(25, least.entries.size()); i++) {
    std::printf("%9.3f ms  %s  %s\n", least.entries[i].seconds * 1e3, least.entries[i].op.c_str(), least.entries[i].name.c_str());
  }
}

}  // namespace lectern::test
