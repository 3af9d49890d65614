// DRY against plain comparison of every place with the end: breakers of one token, of several, and inside of others.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "error.h"
#include "grammar_vocabulary.h"
#include "harness.h"
#include "llm/sampler.h"
#include "random_draws.h"
#include "reference_sampling.h"

namespace lectern::llm {
namespace {

using test::below;
using test::check;
using test::Random;

const std::vector<std::string>& texts() {
  static const std::vector<std::string> all = {"a", "b", "c", "\n", ":", "ab", "b:", ":\n", "<", "u", ">", "c<", "a>b"};
  return all;
}

const test::OwnedTokenizer& tokenizer() {
  static const test::OwnedTokenizer made(test::byte_level_file(texts()));
  return made;
}

/// Every token with every end of its text.
std::vector<std::vector<TokenId>> sequences(const std::vector<std::string>& breakers) {
  std::vector<std::vector<TokenId>> all;
  for (TokenId id = 0; id < static_cast<TokenId>(texts().size()); id++) {
    const std::string& text = texts()[static_cast<std::size_t>(id)];
    for (const std::string& breaker : breakers) {
      if (text.find(breaker) != std::string::npos) all.push_back({id});
      for (std::size_t length = 1; length < breaker.size() && length <= text.size(); length++) {
        if (text.compare(text.size() - length, length, breaker, 0, length) != 0) continue;
        std::vector<TokenId> sequence{id};
        for (const TokenId next : tokenizer()->encode(breaker.substr(length), {.add_special = false, .parse_special = false})) sequence.push_back(next);
        all.push_back(sequence);
      }
    }
  }
  return all;
}

LECTERN_TEST("repetitions: the penalties are those of plain comparison, with breakers of every kind") {
  Random random(36);
  const std::vector<std::vector<std::string>> lists = {{}, {"\n", ":", "\"", "*"}, {"<user>"}, {"<user>", "u", "b"}, {":\n", "c<u"}, {"ab"}};
  const auto vocabulary = tokenizer()->vocabulary().size();
  int penalised = 0;
  int broken = 0;
  int wrong = 0;
  for (int round = 0; round < 3000; round++) {
    SamplingOptions options;
    options.temperature = 0;
    options.dry_multiplier = 1;
    options.dry_base = round % 5 == 0 ? 1 : 1.75F;
    options.dry_allowed_length = static_cast<int>(below(random, 4));
    options.dry_penalty_last_n = static_cast<int>(below(random, 50)) - 1;
    options.dry_sequence_breakers = lists[below(random, lists.size())];
    const auto breakers = options.dry_sequence_breakers.empty() ? nullptr : std::make_shared<const SequenceBreakers>(options.dry_sequence_breakers, *tokenizer());
    Repetitions repetitions({1, static_cast<double>(options.dry_base), options.dry_allowed_length, options.dry_penalty_last_n}, breakers);
    std::vector<TokenId> history;
    for (std::size_t i = below(random, 60); i > 0; i--) history.push_back(static_cast<TokenId>(below(random, round % 2 == 0 ? 5 : texts().size())));
    // The end once more somewhere, for long repetitions.
    if (history.size() > 8) history.insert(history.end(), history.begin(), history.begin() + static_cast<std::ptrdiff_t>(below(random, 8)));
    for (const TokenId id : history) repetitions.add(id);
    std::vector<float> logits(static_cast<std::size_t>(vocabulary), 0);
    if (repetitions.find()) repetitions.penalise(logits.data());
    const std::vector<std::vector<TokenId>> breaking = sequences(options.dry_sequence_breakers);
    for (TokenId id = 0; id < static_cast<TokenId>(texts().size()); id++) {
      const double penalty = -static_cast<double>(logits[static_cast<std::size_t>(id)]);
      const double expected = test::reference_repetition_penalty(options, history, id, breaking);
      if (std::abs(penalty - expected) > 1e-6 * expected) wrong++;
      if (expected > 0) penalised++;
      if (expected != test::reference_repetition_penalty(options, history, id, {})) broken++;
    }
  }
  check(wrong == 0, std::to_string(wrong) + " penalties differ");
  check(penalised > 3000 && broken > 1000, "enough was compared: " + std::to_string(penalised) + " penalties, " + std::to_string(broken) + " changed by a breaker");
}

LECTERN_TEST("repetitions: breakers that cannot be are refused by name") {
  const std::vector<std::vector<std::string>> wrong = {{""}, {std::string(129, 'x')}, std::vector<std::string>(65, "x")};
  for (const std::vector<std::string>& list : wrong) {
    test::check_throws(ErrorCode::invalid_request, [&] { const SequenceBreakers breakers(list, *tokenizer()); }, "breakers");
  }
}

}  // namespace
}  // namespace lectern::llm
