// Tokens chosen where the logits are, by the kernels on the emulation or a device, against the processor's sampler: the same tokens and
// logprobs for the same seeds.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "backend/ops.h"
#include "cuda/emulation/backend.h"
#include "cuda/emulation/faults.h"
#include "cuda/emulation/fibers.h"
#include "cuda_places.h"
#include "error.h"
#include "grammar_vocabulary.h"
#include "harness.h"
#include "llm/sampler.h"
#include "llm/scheduler.h"
#include "made_model.h"
#include "opened_model.h"
#include "random_draws.h"

namespace lectern {
namespace {

using llm::Choice;
using llm::Sampler;
using llm::SamplingOptions;
using llm::TokenId;
using llm::TokenMask;
using test::below;
using test::check;
using test::Place;
using test::places;
using test::Random;
using test::uniform;

constexpr float infinite = std::numeric_limits<float>::infinity();


/// Rows of many kinds: smooth, with ties, with hardly a token left, with zeros of both signs, with one far above the rest, broken ones.
void fill(Random& random, float* logits, std::size_t count) {
  const std::size_t kind = below(random, 12);
  const float spread = uniform(random, 0.1, 12);
  for (std::size_t i = 0; i < count; i++) {
    float sum = -3;
    for (int part = 0; part < 6; part++) sum += uniform(random, 0, 1);
    logits[i] = sum * spread;
    if (kind == 1) logits[i] = std::floor(sum * 3);
    if (kind == 2) logits[i] = 1.5F;
    if (kind == 3 && below(random, 3) == 0) logits[i] = below(random, 2) == 0 ? 1e30F : -1e30F;
    if (kind == 4 && below(random, 20) != 0) logits[i] = -infinite;
    if (kind == 5) logits[i] = below(random, 2) == 0 ? 0.0F : -0.0F;
    if (kind == 8) logits[i] = std::numeric_limits<float>::denorm_min() * static_cast<float>(below(random, 3));
  }
  if (kind == 6) logits[below(random, count)] += 60;
  if (kind == 7) logits[below(random, count)] = std::numeric_limits<float>::max();
  if (kind == 9 && below(random, 3) == 0) logits[below(random, count)] = below(random, 2) == 0 ? infinite : std::numeric_limits<float>::quiet_NaN();
  if (kind == 10 && below(random, 3) == 0) std::fill(logits, logits + count, -infinite);
}

SamplingOptions random_options(Random& random, std::size_t vocabulary) {
  SamplingOptions options;
  options.seed = random();
  const auto wanted = [&] { return below(random, 3) == 0; };
  const std::vector<float> temperatures = {0, 1e-6F, 0.1F, 0.7F, 1.5F, 100};
  if (wanted()) options.temperature = temperatures[below(random, temperatures.size())];
  if (wanted()) options.top_k = 1 + static_cast<int>(below(random, below(random, 2) == 0 ? 60 : vocabulary + 4));
  if (wanted()) options.top_p = below(random, 6) == 0 ? 0 : uniform(random, 0, 1);
  if (wanted()) options.min_p = below(random, 6) == 0 ? 1 : below(random, 6) == 0 ? 1e-12F : uniform(random, 0, 0.3);
  if (wanted()) options.repeat_penalty = uniform(random, 0.5, 3);
  if (wanted()) options.presence_penalty = uniform(random, -2, 2);
  if (wanted()) options.frequency_penalty = uniform(random, -2, 2);
  if (wanted()) options.repeat_last_n = static_cast<int>(below(random, 6)) - 1;
  if (wanted()) {
    for (std::size_t i = 1 + below(random, 8); i > 0; i--) {
      options.logit_bias.emplace_back(static_cast<TokenId>(below(random, std::min<std::size_t>(vocabulary, 9))), below(random, 3) == 0 ? -infinite : uniform(random, -9, 9));
    }
  }
  if (wanted()) options.logprobs = static_cast<int>(below(random, 21));
  return options;
}

/// What came of a choice, errors too.
struct Outcome {
  Choice choice;
  std::string error;
};

template <class Work>
Outcome outcome_of(const Work& work) {
  try {
    return {work(), ""};
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}

bool same(const Outcome& a, const Outcome& b) {
  if (a.error != b.error || a.choice.id != b.choice.id || std::memcmp(&a.choice.logprob, &b.choice.logprob, sizeof(float)) != 0) return false;
  const auto equal = [](const llm::Logprob& one, const llm::Logprob& other) { return one.id == other.id && std::memcmp(&one.logprob, &other.logprob, sizeof(float)) == 0; };
  return std::equal(a.choice.top.begin(), a.choice.top.end(), b.choice.top.begin(), b.choice.top.end(), equal);
}

std::string shown(const SamplingOptions& options) {
  return "temperature " + std::to_string(options.temperature) + ", top_k " + std::to_string(options.top_k) + ", top_p " + std::to_string(options.top_p) + ", min_p " + std::to_string(options.min_p) +
         ", repeat " + std::to_string(options.repeat_penalty) + ", biases " + std::to_string(options.logit_bias.size()) + ", logprobs " + std::to_string(options.logprobs);
}

/// Sequences of a few rows beside each other, each with two samplers of the same options: one has the logits, one the device's choices.
class Bench {
 public:
  Bench(Backend& backend, int vocabulary, int rows) : backend_(backend), vocabulary_(static_cast<std::size_t>(vocabulary)), rows_(static_cast<std::size_t>(rows)), logits_(vocabulary_ * rows_) {
    OpsShape shape{};
    shape.rows = shape.part_rows = rows;
    shape.columns = shape.outputs = 32;
    shape.logit_rows = rows;
    shape.vocabulary = vocabulary;
    shape.heads = 1;
    shape.kv = {1, rows, 8, 1, 32, DType::f16};
    ops_ = backend.make_ops(shape);
    memory_ = Memory(backend, logits_.size() * sizeof(float));
  }

  std::size_t rows() const { return rows_; }
  float* logits(std::size_t row) { return logits_.data() + row * vocabulary_; }
  Ops& ops() { return *ops_; }

  /// One choice of every row; how many of them differ.
  int turn(std::vector<Sampler>& plain, std::vector<Sampler>& quick, const std::vector<SamplingOptions>& options, const std::vector<const TokenMask*>& masks) {
    backend_.upload(memory_.data(), logits_.data(), logits_.size() * sizeof(float));
    std::vector<TokenRule> rules;
    for (std::size_t row = 0; row < rows_; row++) {
      // The last row first: rules say which row is theirs.
      rules.push_back(quick[rows_ - 1 - row].rule(masks[rows_ - 1 - row]).value());
      rules.back().row = static_cast<std::int32_t>(rows_ - 1 - row);
      check(ops_->chooses(rules.back()), "the device takes it");
    }
    std::vector<TokenChoice> chosen(rows_);
    ops_->choose_tokens(rules.data(), static_cast<int>(rows_), memory_.floats(), chosen.data());
    int wrong = 0;
    for (std::size_t row = 0; row < rows_; row++) {
      const Outcome expected = outcome_of([&] { return plain[row].sample(logits(row), masks[row]); });
      const Outcome got = outcome_of([&] { return quick[row].take(chosen[rows_ - 1 - row], masks[row] != nullptr); });
      errors += expected.error.empty() ? 0 : 1;
      if (same(expected, got)) continue;
      if (wrong++ == 0) test::note(shown(options[row]) + ": " + std::to_string(expected.choice.id) + expected.error + " and " + std::to_string(got.choice.id) + got.error);
    }
    return wrong;
  }

  int errors = 0;

 private:
  Backend& backend_;
  std::size_t vocabulary_, rows_;
  std::vector<float> logits_;
  std::unique_ptr<Ops> ops_;
  Memory memory_;
};

/// `turns` choices of each row of `bench`, of random options; how many differ.
int compare(Bench& bench, Random& random, int vocabulary, int turns) {
  const auto tokens = static_cast<std::size_t>(vocabulary);
  std::vector<SamplingOptions> options;
  std::vector<Sampler> plain;
  std::vector<Sampler> quick;
  std::vector<TokenMask> masks(bench.rows(), TokenMask((tokens + 31) / 32));
  for (std::size_t row = 0; row < bench.rows(); row++) {
    options.push_back(random_options(random, tokens));
    plain.emplace_back(options.back(), vocabulary);
    for (std::size_t i = below(random, 12); i > 0; i--) plain.back().accept(static_cast<TokenId>(below(random, std::min<std::size_t>(tokens, 9))));
    quick.push_back(plain.back());
  }
  int wrong = 0;
  for (int turn = 0; turn < turns; turn++) {
    std::vector<const TokenMask*> chosen_masks;
    for (std::size_t row = 0; row < bench.rows(); row++) {
      fill(random, bench.logits(row), tokens);
      for (std::uint32_t& word : masks[row]) word = below(random, 3) == 0 ? 0 : below(random, 2) == 0 ? UINT32_MAX : static_cast<std::uint32_t>(random());
      chosen_masks.push_back(below(random, 3) == 0 ? &masks[row] : nullptr);
    }
    wrong += bench.turn(plain, quick, options, chosen_masks);
  }
  return wrong;
}

LECTERN_TEST("cuda: sampling on the device chooses the tokens and logprobs of the CPU's sampler, bit for bit") {
  for (const Place& place : places()) {
    const std::unique_ptr<Backend> backend = place.make();
    Random random(1);
    int choices = 0;
    int errors = 0;
    for (const bool reverse : {false, true}) {
      cuda::emulation::set_reverse(reverse);
      for (const int vocabulary : {1, 2, 31, 33, 127, 1023, 1024, 1025, 2500}) {
        Bench bench(*backend, vocabulary, 4);
        const int rounds = 15;
        int wrong = 0;
        for (int round = 0; round < rounds; round++) wrong += compare(bench, random, vocabulary, 2);
        choices += 8 * rounds;
        errors += bench.errors;
        check(wrong == 0, place.name + ", " + std::to_string(vocabulary) + " tokens: " + std::to_string(wrong) + " of " + std::to_string(8 * rounds) + " choices differ");
      }
    }
    cuda::emulation::set_reverse(false);
    check(choices > 2000 && errors > 20 && errors * 5 < choices, place.name + ": " + std::to_string(choices) + " choices, " + std::to_string(errors) + " of them refused by both");
    test::note(place.name + ": " + std::to_string(choices) + " choices compared, " + std::to_string(errors) + " refused by both");
  }
}

LECTERN_TEST("cuda: sampling on the device takes rows as long as published vocabularies") {
  for (const Place& place : places()) {
    const std::unique_ptr<Backend> backend = place.make();
    constexpr int vocabulary = 151936;
    Bench bench(*backend, vocabulary, 1);
    Random random(5);
    for (int round = 0; round < 6; round++) {
      for (std::size_t i = 0; i < vocabulary; i++) bench.logits(0)[i] = (uniform(random, -2, 2) + uniform(random, -2, 2)) * (round % 2 == 0 ? 1.0F : 4.0F);
      SamplingOptions options;
      options.seed = random();
      if (round < 4) options.top_k = round < 2 ? 40 : 5000;
      if (round % 4 < 3) options.top_p = 0.9F;
      if (round >= 3) options.min_p = 0.01F;
      if (round == 5) options.logprobs = 20;
      std::vector<Sampler> plain{Sampler(options, vocabulary)};
      std::vector<Sampler> quick{Sampler(options, vocabulary)};
      check(bench.turn(plain, quick, {options}, {nullptr}) == 0, place.name + ": " + shown(options));
    }
  }
}

LECTERN_TEST("cuda: sampling rules that the device does not support are reported before") {
  for (const Place& place : places()) {
    const std::unique_ptr<Backend> backend = place.make();
    Bench bench(*backend, 9000, 1);
    SamplingOptions typical;
    typical.typical_p = 0.5F;
    check(!Sampler(typical, 9000).rule(nullptr).has_value(), "typical_p is the processor's");
    SamplingOptions many;
    many.logprobs = most_device_logprobs + 1;
    check(!bench.ops().chooses(Sampler(many, 9000).rule(nullptr).value()), "too many logprobs");
    many.logprobs = most_device_logprobs;
    check(bench.ops().chooses(Sampler(many, 9000).rule(nullptr).value()), "as many as it tells");
    SamplingOptions biased;
    for (TokenId id = 0; id < 1025; id++) biased.logit_bias.emplace_back(id, 1.0F);
    check(!bench.ops().chooses(Sampler(biased, 9000).rule(nullptr).value()), "too many biases");
    SamplingOptions penalised;
    penalised.repeat_penalty = 1.5F;
    penalised.repeat_last_n = -1;
    Sampler long_window(penalised, 9000);
    for (TokenId id = 0; id < 4097; id++) long_window.accept(id);
    check(!bench.ops().chooses(long_window.rule(nullptr).value()), "too long a window");
  }
}

std::vector<std::string> made_tokens() {
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; byte++) tokens.emplace_back(1, static_cast<char>(byte));
  for (const char* piece : {"{\"", "\": ", "\", \"", "\"}", "true", "null", "12", " the", "ab", "<call>"}) tokens.emplace_back(piece);
  return tokens;
}

/// The result of two generations beside each other: every token with its logprob, and why each ended.
std::string answers(const Place& place, const test::OwnedTokenizer& tokenizer, const llm::GenerateOptions& options) {
  test::MadeShape shape;
  shape.dtype = DType::q8_0;
  shape.layers = 1, shape.embedding = 32, shape.heads = 2, shape.kv_heads = 1, shape.head_size = 16, shape.feed_forward = 64, shape.context = 128;
  shape.vocabulary = tokenizer->vocabulary().size();
  const test::OpenedModel opened = test::open_model_on(place.make(), test::make_model(shape));
  llm::Scheduler scheduler(*opened.model, *tokenizer);
  std::string told;
  for (int i = 0; i < 2; i++) {
    const auto on_chunk = [&told, i](llm::TokenChunk burst) {
      for (const TokenId id : burst.ids) told += " " + std::to_string(i) + ":" + std::to_string(id);
      for (const Choice& choice : burst.choices) told += "=" + std::to_string(choice.logprob);
    };
    const auto done = [&told](std::variant<llm::GenerateResult, Error> outcome) {
      const auto* result = std::get_if<llm::GenerateResult>(&outcome);
      told += result != nullptr ? " done " + std::to_string(result->tokens) : std::string(" ") + std::get<Error>(outcome).what();
    };
    scheduler.submit({{1, 2, 3 + i}, options, nullptr, on_chunk, done});
  }
  cuda::emulation::bytes_to_host = 0;
  while (scheduler.step()) {}
  return told;
}

LECTERN_TEST("cuda: generations are the same whether the device samples or the CPU, and with the device no logits are copied") {
  const test::OwnedTokenizer tokenizer(test::byte_level_file(made_tokens()));
  for (const Place& place : places()) {
    for (int kind = 0; kind < 4; kind++) {
      llm::GenerateOptions options;
      options.max_tokens = 12;
      options.sampling.seed = 7;
      options.sampling.temperature = kind == 0 ? 0 : 1.3F;
      if (kind > 1) options.sampling.top_k = 50, options.sampling.top_p = 0.9F, options.sampling.repeat_penalty = 1.3F;
      if (kind == 3) options.grammar = llm::Grammar::compile("root ::= [a-f]{3,9} \"}\"");
      options.sampling.logprobs = 0;
      const std::string by_device = answers(place, tokenizer, options);
      const std::uint64_t crossed = cuda::emulation::bytes_to_host;
      // As many logprobs as a device does not tell.
      options.sampling.logprobs = most_device_logprobs + 1;
      const std::string by_host = answers(place, tokenizer, options);
      const std::string name = place.name + ", kind " + std::to_string(kind);
      check(by_device == by_host && by_device.find("done") != std::string::npos, name + ":" + by_device + " and" + by_host);
      if (place.name != "emulated") continue;
      const auto bytes = static_cast<std::uint64_t>(tokenizer->vocabulary().size()) * sizeof(float);
      check(crossed > 0 && crossed <= 24 * sizeof(TokenChoice) && cuda::emulation::bytes_to_host >= 2 * bytes, name + ": " + std::to_string(crossed) + " and " + std::to_string(cuda::emulation::bytes_to_host) + " bytes cross");
    }
  }
}

LECTERN_TEST("cuda: the loss of the device ends each generation once, and leaks nothing") {
  if (!test::tests_emulation()) return;
  const test::OwnedTokenizer tokenizer(test::byte_level_file(made_tokens()));
  const Place place{"emulated", [] { return cuda_emulated::make_backend(); }};
  llm::GenerateOptions options;
  options.max_tokens = 5;
  options.sampling.top_k = 5;
  const std::string whole = answers(place, tokenizer, options);
  const std::size_t before = cuda::emulation::living_allocations();
  const std::string lost = "the emulated device is lost";
  const auto count = [](const std::string& text, const std::string& part) {
    int times = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) times++;
    return times;
  };
  int failed_answers = 0;
  for (int call = 1;; call += 7) {
    cuda::emulation::fail_at(call, cuda::emulation::Fault::lost);
    std::string told;
    ErrorCode code = ErrorCode::device_lost;
    try {
      told = answers(place, tokenizer, options);
    } catch (const Error& error) {
      code = error.code();
      told = "loading failed";
    }
    const bool failed = cuda::emulation::has_failed();
    cuda::emulation::fail_never();
    const std::string name = "call " + std::to_string(call) + ": " + told;
    check(cuda::emulation::living_allocations() == before, name + ": everything is released");
    if (!failed) {
      check(told == whole, name + ", not" + whole);
      break;
    }
    if (told == "loading failed") {
      check(code == ErrorCode::device_lost, name);
      continue;
    }
    // Both end, with the loss or, where it came behind them, whole.
    check(count(told, lost) + count(told, " done ") == 2, name);
    failed_answers += count(told, lost);
  }
  check(failed_answers > 10, std::to_string(failed_answers) + " answers ended with the loss");
}

}  // namespace
}  // namespace lectern
