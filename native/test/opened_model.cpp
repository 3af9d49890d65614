#include "opened_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "harness.h"

namespace lectern::test {

OpenedModel open_model(const MadeModel& made, cpu::Arithmetic arithmetic, llm::ModelOptions options, Instructions level) {
  options.threads = 2;
  return open_model_on(cpu::make_backend(arithmetic, level), made, options);
}

OpenedModel open_model_on(std::unique_ptr<Backend> backend, const MadeModel& made, llm::ModelOptions options) {
  const std::filesystem::path path = scratch_file("model.gguf");
  made.write(path);
  auto model = std::make_unique<llm::Model>(path, *backend, options);
  return {std::move(backend), std::move(model)};
}

std::vector<std::int32_t> some_tokens(int count, int vocabulary) {
  std::vector<std::int32_t> tokens;
  for (int i = 0; i < count; i++) tokens.push_back((i * 37 + i * i * 11 + 5) % vocabulary);
  return tokens;
}

Row feed(llm::Model& model, const std::vector<std::int32_t>& tokens, int chunk, int slot, int position) {
  Row last;
  for (std::size_t first = 0; first < tokens.size(); first += static_cast<std::size_t>(chunk)) {
    std::vector<llm::BatchToken> steps;
    for (std::size_t i = first; i < std::min(tokens.size(), first + static_cast<std::size_t>(chunk)); i++) {
      steps.push_back({tokens[i], slot, position++, i + 1 == tokens.size()});
    }
    const float* logits = model.forward().decode(steps.data(), static_cast<int>(steps.size()));
    last.assign(logits, logits + model.config().vocabulary);
  }
  return last;
}

double relative_distance(const Row& a, const Row& exact) {
  double error = 0;
  double size = 0;
  for (std::size_t i = 0; i < exact.size(); i++) {
    error += std::pow(static_cast<double>(a[i]) - static_cast<double>(exact[i]), 2);
    size += std::pow(static_cast<double>(exact[i]), 2);
  }
  return std::sqrt(error / size);
}

bool same_bits(const Row& a, const Row& b) { return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0; }

void check_refused(ErrorCode code, const std::string& part, const MadeModel& made, const std::string& what, const llm::ModelOptions& options) {
  try {
    open_model(made, cpu::Arithmetic::fast, options);
  } catch (const Error& error) {
    check(error.code() == code, what + ": " + std::string(name_of(error.code())) + ", " + error.what());
    check(std::string(error.what()).find(part) != std::string::npos, what + ": the sentence names " + part + ": " + error.what());
    return;
  }
  check(false, what + ": was not refused");
}

}  // namespace lectern::test
