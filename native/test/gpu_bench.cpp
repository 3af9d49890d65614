#include "gpu_bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cuda/runtime/backend.h"
#include "cuda/runtime/ceilings.h"
#include "cuda/emulation/backend.h"
#include "error.h"
#include "gguf/mapped_file.h"
#include "layered_model.h"
#include "made_model.h"

namespace lectern::test {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

template <class Work>
double seconds_of(const Work& work) {
  const Clock::time_point begin = Clock::now();
  work();
  return seconds_since(begin);
}

template <class... Values>
void tell(const char* format, Values... values) {
  std::printf(format, values...);
  // The reader of the report gets what there is, also when the rest never comes.
  std::fflush(stdout);
}

class GpuBench {
 public:
  explicit GpuBench(const GpuBenchOptions& options) : options_(options), begin_(Clock::now()) {}

  bool run() {
    const std::vector<BenchShape> shapes = bench_shapes(options_.emulated);
    const auto last = static_cast<int>(shapes.size()) + 1;
    if (options_.part > last) return false;
    const Device device = make_backend()->info();
    if (options_.part == last) {
      // Behind what is worth more: on some machines writing the file alone takes minutes.
      tell_load();
      return true;
    }
    measure_peak_rates(device.name);
    if (options_.part == 0) {
      tell("%s, %.0f GB.\n\n", device.name.c_str(), static_cast<double>(device.memory_total_bytes) / 1e9);
      tell_ceilings();
      return true;
    }
    const BenchShape& shape = shapes[static_cast<std::size_t>(options_.part) - 1];
    try {
      if (shape.encoder) tell_texts(shape);
      else tell_decoder(shape);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::device_lost) throw;
      tell("\n%s: not measured: %s\n", shape.name.c_str(), error.what());
    }
    return true;
  }

 private:
  std::unique_ptr<Backend> make_backend() const { return options_.emulated ? cuda_emulated::make_backend() : cuda::make_backend(0); }
  bool has_time() const { return seconds_since(begin_) < options_.seconds; }

  /// The yardsticks are what the card shows, or what is known of its kind where that is more: single warps reach some 60 % of what its tensor
  /// cores do.
  void measure_peak_rates(const std::string& name) {
    shown_ = options_.emulated ? cuda_emulated::measure_peak_rates(0, 1 << 16, 4) : cuda::measure_peak_rates(0, std::size_t{4} << 30, 1 << 15);
    const bool is_h200 = name.find("H200") != std::string::npos;
    const bool is_h100 = name.find("H100") != std::string::npos;
    bytes_ = std::max(shown_.read_bytes_per_second, is_h200 ? 4.3e12 : 0.0);
    operations_ = std::max(shown_.bf16_operations_per_second, is_h200 || is_h100 ? 790e12 : 0.0);
  }

  void tell_ceilings() const {
    tell("| ceiling | shown | yardstick |\n|---|---|---|\n");
    tell("| reading, TB/s | %.3f | %.3f |\n", shown_.read_bytes_per_second / 1e12, bytes_ / 1e12);
    tell("| bf16 by mma.sync from registers, TFLOP/s | %.1f | %.1f |\n", shown_.bf16_operations_per_second / 1e12, operations_ / 1e12);
  }

  /// A file that was just written, so that its bytes come from the page cache; matrices of Q4_K of 70B's largest shape.
  void tell_load() {
    const int columns = options_.emulated ? 256 : 8192;
    const int rows = options_.emulated ? 100 : 28672;
    const std::size_t matrix = row_bytes(DType::q4_k, columns) * static_cast<std::size_t>(rows);
    const int count = options_.emulated ? 3 : static_cast<int>(std::size_t{10'000'000'000} / matrix) + 1;
    const std::filesystem::path path = options_.folder / "load-rate.bin";
    tell("\n| loading, from the page cache | GB | seconds | GB/s |\n|---|---|---|---|\n");
    {
      std::mt19937 random(3);
      const std::vector<std::byte> some = random_weights(DType::q4_k, std::int64_t{64} * columns, 0.02F, random);
      std::ofstream file(path, std::ios::binary);
      for (std::size_t written = 0; written < matrix * static_cast<std::size_t>(count); written += some.size()) {
        file.write(reinterpret_cast<const char*>(some.data()), static_cast<std::streamsize>(some.size()));
      }
      file.close();
      if (!file) {
        tell("| not measured: there is no room for the file | | | |\n");
        std::filesystem::remove(path);
        return;
      }
    }
    for (int turn = 0; turn < 2 && has_time(); turn++) load(path, rows, columns, count, turn);
    std::filesystem::remove(path);
  }

  void load(const std::filesystem::path& path, int rows, int columns, int count, int turn) const {
    const std::unique_ptr<Backend> backend = make_backend();
    OpsShape shape{};
    shape.rows = shape.part_rows = shape.logit_rows = shape.heads = 1;
    shape.columns = shape.outputs = std::max(rows, columns);
    shape.kv = {1, 1, 1, 1, 64, DType::f16};
    const std::size_t matrix = row_bytes(DType::q4_k, columns) * static_cast<std::size_t>(rows);
    const gguf::MappedFile file(path.string());
    const std::unique_ptr<Ops> ops = backend->make_ops(shape);
    const double seconds = seconds_of([&] {
      for (int i = 0; i < count; i++) {
        const Tensor tensor{"load", DType::q4_k, {columns, rows, 1, 1}, 2, file.bytes().data() + static_cast<std::size_t>(i) * matrix, matrix};
        ops->load_matrix(&tensor, 1);
      }
      backend->synchronise();
    });
    const double bytes = static_cast<double>(matrix) * count;
    tell("| %s | %.3f | %.3f | %.2f |\n", turn == 0 ? "first time" : "again", bytes / 1e9, seconds, bytes / seconds / 1e9);
  }

  /// What the device does not do as it should: the rows below are slower for it.
  void tell_remarks() const {
    const std::string remarks = cuda::take_remarks();
    if (!remarks.empty()) tell(" %s", remarks.c_str());
  }

  /// As many layers as there is memory for; times are reported for all.
  LayeredOptions fitting(const Backend& backend, const BenchShape& shape, LayeredOptions options) const {
    const std::size_t room = backend.info().memory_free_bytes / 20 * 19;
    while (options.layers > 1 && LayeredModel::bytes(backend, shape, options) > room) options.layers--;
    return options;
  }

  void tell_decoder(const BenchShape& shape) {
    if (!has_time()) return tell("\n%s: not measured: the time was over\n", shape.name.c_str());
    const std::unique_ptr<Backend> backend = make_backend();
    const int pass = options_.emulated ? 24 : backend->pass_rows();
    const std::vector<int> contexts = options_.emulated ? std::vector{0, 20} : std::vector{0, 2048, 8192};
    const std::vector<int> prompts = options_.emulated ? std::vector{10, 40} : std::vector{512, 2048, 8192};
    const int positions = std::max(contexts.back(), prompts.back()) + 1;
    const LayeredOptions chosen = fitting(*backend, shape, {pass, positions, 2, shape.layers});
    std::unique_ptr<LayeredModel> model;
    const double seconds = seconds_of([&] {
      model = std::make_unique<LayeredModel>(*backend, shape, chosen);
      backend->synchronise();
    });
    const double whole = static_cast<double>(shape.layers) / chosen.layers;
    tell("\n## %s\n\nMade on the device in %.2f s, %.2f GB of weights.", shape.name.c_str(), seconds, static_cast<double>(model->file_bytes()) / 1e9);
    if (chosen.layers < shape.layers) tell(" %d of %d layers fit: times are told for all, EXTRAPOLATED.", chosen.layers, shape.layers);
    tell_remarks();
    tell("\n\n| answers at once | context | tokens/s together | TB/s | of reading |\n|---|---|---|---|---|\n");
    for (const int slots : {1, 2}) {
      for (const int context : contexts) tell_decode(*model, slots, context, whole);
    }
    tell_remarks();
    if (!sound_) tell("\nLogits were no numbers: what was timed is not what a model does.\n");
    tell("\n| prompt | tokens/s | TFLOP/s | of bf16 |\n|---|---|---|---|\n");
    model->prompt(std::min(pass, prompts.front()), 0, true);
    for (const int tokens : prompts) {
      if (!has_time()) {
        tell("| %d | not measured: the time was over | | |\n", tokens);
        continue;
      }
      const double taken = whole * seconds_of([&] {
        for (int from = 0; from < tokens; from += pass) model->prompt(std::min(pass, tokens - from), from, from + pass >= tokens);
      });
      const double operations = whole * model->operations(tokens, tokens / 2.0);
      tell("| %d | %.0f | %.1f | %.1f %% |\n", tokens, tokens / taken, operations / taken / 1e12, 100 * operations / taken / operations_);
    }
    // Where the time goes is asked of the largest.
    if (options_.part != 1) return;
    tell_parts("an answer at 0", model->time_parts(1, 0, 0));
    tell_parts("two answers at 0", model->time_parts(2, 0, 0));
    tell_parts("an answer at " + std::to_string(contexts.back()), model->time_parts(1, 0, contexts.back()));
    tell_parts("a prompt of " + std::to_string(std::min(pass, prompts[1])), model->time_parts(0, std::min(pass, prompts[1]), 0));
  }

  /// For each op of a layer, queued by itself and not recorded: where a kernel is shorter than its launch, the launch is reported.
  void tell_parts(const std::string& what, const std::vector<LayeredModel::PartTime>& times) const {
    tell("\n| %s: a layer's | us | TB/s | of reading | TFLOP/s | of bf16 |\n|---|---|---|---|---|---|\n", what.c_str());
    for (const LayeredModel::PartTime& time : times) {
      tell("| %s | %.1f | %.3f | %.1f %% | %.1f | %.1f %% |\n", time.name, 1e6 * time.seconds, time.bytes / time.seconds / 1e12, 100 * time.bytes / time.seconds / bytes_,
           time.operations / time.seconds / 1e12, 100 * time.operations / time.seconds / operations_);
    }
  }

  /// The median of several tokens, after some that are not timed.
  void tell_decode(LayeredModel& model, int slots, int context, double whole) {
    if (!has_time()) return tell("| %d | %d | not measured: the time was over | | |\n", slots, context);
    for (int i = 0; i < (options_.emulated ? 2 : 5); i++) sound_ = model.decode(slots, context) && sound_;
    std::vector<double> times;
    for (int i = 0; i < (options_.emulated ? 1 : 25); i++) times.push_back(whole * seconds_of([&] { model.decode(slots, context); }));
    std::sort(times.begin(), times.end());
    const double taken = times[times.size() / 2];
    const double bytes = whole * model.bytes_read(slots, context + 1);
    tell("| %d | %d | %.1f | %.3f | %.1f %% |\n", slots, context, slots / taken, bytes / taken / 1e12, 100 * bytes / taken / bytes_);
  }

  void tell_texts(const BenchShape& shape) {
    if (!has_time()) return tell("\n%s: not measured: the time was over\n", shape.name.c_str());
    const std::unique_ptr<Backend> backend = make_backend();
    const int pass = options_.emulated ? 48 : backend->text_rows();
    LayeredModel model(*backend, shape, {pass, pass, 1, shape.layers});
    tell("\n## %s\n\n", shape.name.c_str());
    tell_remarks();
    tell("\n| texts at once | tokens each | tokens/s | texts/s | TFLOP/s | of bf16 |\n|---|---|---|---|---|---|\n");
    for (const int length : options_.emulated ? std::vector{16} : std::vector{16, 512}) {
      for (const int texts : {1, pass / length}) {
        model.embed(texts, length);
        double taken = 1e9;
        for (int i = 0; i < (options_.emulated ? 1 : 10); i++) taken = std::min(taken, seconds_of([&] { model.embed(texts, length); }));
        const double operations = model.operations(texts * length, length);
        tell("| %d | %d | %.0f | %.1f | %.1f | %.1f %% |\n", texts, length, texts * length / taken, texts / taken, operations / taken / 1e12, 100 * operations / taken / operations_);
      }
    }
    const int length = options_.emulated ? 16 : 512;
    tell_parts(std::to_string(pass / length) + " texts of " + std::to_string(length), model.time_text_parts(pass / length, length));
  }

  GpuBenchOptions options_;
  Clock::time_point begin_;
  cuda::PeakRates shown_{};
  double bytes_ = 0;       // per second, the basis of reported shares
  double operations_ = 0;  // the same
  bool sound_ = true;      // all logits so far were numbers
};

}  // namespace

bool bench_gpu(const GpuBenchOptions& options) { return GpuBench(options).run(); }

}  // namespace lectern::test
