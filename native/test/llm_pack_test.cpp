// Every model of a conformance pack within its bar: logits, greedy tokens and embeddings, as the pack's README defines them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "cpu/backend.h"
#include "cuda/runtime/backend.h"
#include "cuda/runtime/device.h"
#include "cuda/emulation/backend.h"
#include "harness.h"
#include "json.h"
#include "llm/model.h"
#include "options.h"
#include "sanitized.h"

namespace lectern {
namespace {

using test::check;
using test::Json;
namespace fs = std::filesystem;

using Row = std::vector<float>;

fs::path model_path(const fs::path& pack, const std::string& name) {
  const fs::path inside = pack / "models" / (name + ".gguf");
  return fs::exists(inside) ? inside : pack / "../../models" / (name + ".gguf");
}

double square(double value) { return value * value; }

struct Sum {
  double total = 0;
  double count = 0;
  void add(double value) { total += value, count += 1; }
  double mean() const { return total / count; }
};

double mean_square_difference(const Row& a, const Row& b) {
  Sum sum;
  for (std::size_t i = 0; i < b.size(); i++) sum.add(square(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return sum.mean();
}

double variance(const Row& row) {
  Sum sum;
  for (const float value : row) sum.add(static_cast<double>(value));
  Sum squares;
  for (const float value : row) squares.add(square(static_cast<double>(value) - sum.mean()));
  return squares.mean();
}

double largest_difference(const Row& a, const Row& b) {
  double most = 0;
  for (std::size_t i = 0; i < b.size(); i++) most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return most;
}

std::vector<double> log_softmax(const Row& row) {
  const double most = static_cast<double>(*std::max_element(row.begin(), row.end()));
  double total = 0;
  for (const float value : row) total += std::exp(static_cast<double>(value) - most);
  std::vector<double> result;
  for (const float value : row) result.push_back(static_cast<double>(value) - most - std::log(total));
  return result;
}

double divergence(const Row& exact, const Row& engine) {
  const std::vector<double> p = log_softmax(exact);
  const std::vector<double> q = log_softmax(engine);
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); i++) sum += std::exp(p[i]) * (p[i] - q[i]);
  return sum;
}

bool usable(const Row& got, const Row& exact) {
  return got.size() == exact.size() && std::all_of(got.begin(), got.end(), [](float value) { return std::isfinite(value); });
}

/// One sequence in slot 0, fed as a chat would: the prompt in one pass, then token by token.
class Sequence {
 public:
  explicit Sequence(llm::Model& model) : model_(model) {}

  /// Logits of the tokens at `wanted` (ascending).
  std::vector<Row> feed(const std::vector<int>& tokens, const std::vector<int>& wanted, bool generated = false) {
    std::vector<llm::BatchToken> steps;
    for (std::size_t i = 0; i < tokens.size(); i++) {
      const bool wants = std::find(wanted.begin(), wanted.end(), static_cast<int>(i)) != wanted.end();
      steps.push_back({tokens[i], 0, position_++, wants, generated});
    }
    const float* logits = model_.forward().decode(steps.data(), static_cast<int>(steps.size()));
    std::vector<Row> rows;
    for (std::size_t i = 0; i < wanted.size(); i++) {
      const float* row = logits + static_cast<std::ptrdiff_t>(i) * model_.config().vocabulary;
      rows.emplace_back(row, row + model_.config().vocabulary);
    }
    return rows;
  }
  Row feed(int token) { return feed({token}, {0}, true).front(); }

 private:
  llm::Model& model_;
  std::int32_t position_ = 0;
};

struct Distances {
  Sum errors, variances, divergences;
  double largest = 0;

  void add(const Row& got, const Row& exact) {
    errors.add(mean_square_difference(got, exact));
    variances.add(variance(exact));
    divergences.add(divergence(exact, got));
    largest = std::max(largest, largest_difference(got, exact));
  }
  double relative() const { return std::sqrt(errors.mean() / variances.mean()); }
};

int argmax(const Row& row) { return static_cast<int>(std::max_element(row.begin(), row.end()) - row.begin()); }

void check_greedy(llm::Model& model, const Json& expected, const Json& prompt, const std::string& name) {
  const std::vector<int> tokens = prompt["ids"].integers();
  const std::vector<int> greedy = prompt["greedy_exact"].integers();
  const double bar = expected["bar"]["rel_rms"].number;
  {
    Sequence sequence(model);
    Row row = sequence.feed(tokens, {static_cast<int>(tokens.size()) - 1}).front();
    for (std::size_t k = 0; k < greedy.size(); k++) {
      const int best = argmax(row);
      if (best != greedy[k]) {
        // Only a near tie excuses another token; what follows it is another text.
        const double gap = prompt["greedy_gap"].list[k].number;
        check(gap <= 4 * bar * expected["logit_std"].number, name + ": greedy step " + std::to_string(k) + " has a gap of " + std::to_string(gap));
        break;
      }
      row = sequence.feed(best);
    }
  }
  Sequence sequence(model);
  Row row = sequence.feed(tokens, {static_cast<int>(tokens.size()) - 1}).front();
  for (const int token : greedy) row = sequence.feed(token);
  const Row exact = test::floats_of(prompt["after_greedy_exact"]);
  if (!check(usable(row, exact), name + ": logits after the greedy text")) return;
  const double distance = std::sqrt(mean_square_difference(row, exact) / variance(exact));
  check(distance <= 2 * bar, name + ": after the greedy text rel_rms " + std::to_string(distance));
}

void check_decoder(llm::Model& model, const Json& expected, const std::string& name) {
  Distances distances;
  for (const Json& prompt : expected["prompts"].list) {
    std::vector<int> positions;
    std::vector<Row> exact;
    for (const Json& row : prompt["rows"].list) {
      positions.push_back(static_cast<int>(row["position"].number));
      exact.push_back(test::floats_of(row["exact"]));
    }
    const std::vector<Row> rows = Sequence(model).feed(prompt["ids"].integers(), positions);
    for (std::size_t i = 0; i < rows.size(); i++) {
      if (!check(usable(rows[i], exact[i]), name + ": logits")) return;
      distances.add(rows[i], exact[i]);
    }
    if (prompt.find("greedy_exact") != nullptr) check_greedy(model, expected, prompt, name);
  }
  const Json& bar = expected["bar"];
  char line[160];
  std::snprintf(line, sizeof line, "%-20s rel_rms %.2e (bar %.2e)  max_abs %.2e (%.2e)  kl %.2e (%.2e)", name.c_str(), distances.relative(),
                bar["rel_rms"].number, distances.largest, bar["max_abs"].number, distances.divergences.mean(), bar["kl"].number);
  test::note(line);
  check(distances.relative() <= bar["rel_rms"].number, name + ": rel_rms");
  check(distances.largest <= bar["max_abs"].number, name + ": max_abs");
  check(distances.divergences.mean() <= bar["kl"].number, name + ": kl");
}

void check_encoder(llm::Model& model, const Json& expected, const std::string& name) {
  double best = std::numeric_limits<double>::infinity();
  double cosine = best;
  for (const char* kind : {"embedding_exact_tanh", "embedding_exact_erf"}) {
    Sum errors, squares;
    double furthest = 0;
    for (const Json& prompt : expected["prompts"].list) {
      const std::vector<int> ids = prompt["ids"].integers();
      const float* embedding = model.forward().embed(ids.data(), static_cast<int>(ids.size()), Cancel{});
      Row got(embedding, embedding + model.config().embedding);
      const double length = std::sqrt(std::inner_product(got.begin(), got.end(), got.begin(), 0.0));
      for (float& value : got) value = static_cast<float>(value / length);
      const Row exact = test::floats_of(prompt[kind]);
      if (!check(usable(got, exact), name + ": embedding")) return;
      errors.add(mean_square_difference(got, exact));
      squares.add(mean_square_difference(Row(exact.size(), 0.0F), exact));
      furthest = std::max(furthest, 1 - std::inner_product(got.begin(), got.end(), exact.begin(), 0.0));
    }
    const double distance = std::sqrt(errors.mean() / squares.mean());
    if (distance < best) best = distance, cosine = furthest;
  }
  const Json& bar = expected["bar"];
  char line[160];
  std::snprintf(line, sizeof line, "%-20s rel_rms %.2e (bar %.2e)  cos_dist %.2e (%.2e)", name.c_str(), best, bar["rel_rms"].number, cosine, bar["cos_dist"].number);
  test::note(line);
  check(best <= bar["rel_rms"].number, name + ": rel_rms");
  check(cosine <= bar["cos_dist"].number, name + ": cos_dist");
}

int longest_text(const Json& expected) {
  std::size_t longest = 0;
  for (const Json& prompt : expected["prompts"].list) {
    const Json* greedy = prompt.find("greedy_exact");
    longest = std::max(longest, prompt["ids"].list.size() + (greedy == nullptr ? 0 : greedy->list.size()));
  }
  return static_cast<int>(longest);
}

/// Null, with the reason printed, where the models cannot run: a failure only where CUDA was promised.
std::unique_ptr<Backend> backend_for(cpu::Arithmetic arithmetic) {
  if (test::options().device == DeviceKind::cpu) return cpu::make_backend(arithmetic);
  if (test::options().emulated) return cuda_emulated::make_backend();
  if (!cuda::devices().empty()) return cuda::make_backend(0);
  test::note(std::string("skipped: ") + (cuda::compiled_in() ? "there is no CUDA device" : "this build holds no CUDA code"));
  check(!test::options().require_cuda, "--require-cuda: the models run on CUDA");
  return nullptr;
}

void run_model(const fs::path& pack, const fs::path& file, Backend& backend) {
  const std::string name = file.stem();
  const Json expected = test::read_json(file);
  llm::ModelOptions options;
  options.rows = longest_text(expected);
  options.context = options.rows;
  llm::Model model(model_path(pack, name), backend, options);
  if (model.config().embeds()) {
    check_encoder(model, expected, name);
  } else {
    check_decoder(model, expected, name);
  }
}

/// Where only threads are watched a type or two are enough: they share every type's work in the same way.
bool is_wanted(const std::string& name, const std::string& part) {
  if (test::thread_sanitized && name.find("Q4_K_M") == std::string::npos && name.find("F32") == std::string::npos) return false;
  return name.find(part) != std::string::npos;
}

/// Of every pack the models whose names hold `part`.
void run_packs(cpu::Arithmetic arithmetic, const std::string& part) {
  const std::unique_ptr<Backend> backend = backend_for(arithmetic);
  if (backend == nullptr) return;
  for (const fs::path& pack : test::llm_packs()) {
    if (!fs::exists(pack / "expected")) {
      test::note("skipped: there is no conformance pack at " + pack.string());
      check(test::options().llm_packs.empty(), "the pack that --llm-pack names is there");
      continue;
    }
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(pack / "expected")) {
      if (entry.path().extension() == ".json" && is_wanted(entry.path().stem(), part)) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    check(!files.empty() || !part.empty(), "the pack holds something");
    for (const fs::path& file : files) run_model(pack, file, *backend);
  }
}

LECTERN_TEST("llm: a conformance pack") { run_packs(test::options().plain ? cpu::Arithmetic::plain : cpu::Arithmetic::fast, ""); }

// It dequantises every row of every pass, and what the types mean is checked where dequantisation is: all of a pack with --plain.
LECTERN_TEST("llm: the float models of a conformance pack, through the plain twin") {
  if (test::thread_sanitized) {
    test::note("skipped: the plain twin has no threads to watch");
    check(true, "nothing to watch");
    return;
  }
  run_packs(cpu::Arithmetic::plain, "F32");
}

}  // namespace
}  // namespace lectern
