#include "made_vocabulary.h"

#include <algorithm>
#include <ctime>
#include <random>

#include "harness.h"
#include "long_texts.h"
#include "sanitized.h"

namespace lectern::test {
namespace {

bool within(const llm::Tokenizer& tokenizer, const std::vector<llm::TokenId>& ids) {
  return std::all_of(ids.begin(), ids.end(), [&](llm::TokenId id) { return id >= 0 && id < tokenizer.vocabulary().size(); });
}

/// Encodes `text`; `fastest` becomes the seconds of processor time that took, if they are fewer.
std::vector<llm::TokenId> timed_encode(const llm::Tokenizer& tokenizer, std::string_view text, double& fastest) {
  const std::clock_t start = std::clock();
  std::vector<llm::TokenId> ids = tokenizer.encode(text, {true, true});
  fastest = std::min(fastest, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  return ids;
}

}  // namespace

void check_long_texts(const llm::Tokenizer& tokenizer, const std::string& name) {
  static const std::vector<LongText> texts = long_texts(sanitized ? 50'000 : 1'000'000);
  for (const LongText& text : texts) {
    const std::string_view whole = text.text;
    const std::string_view quarter = whole.substr(0, whole.size() / 4);
    double part_seconds = 1e9;
    double whole_seconds = 1e9;
    // Four times the text is 4 times the work, 16 where it is quadratic. What takes a tenth of a second need not be compared.
    const auto grows_evenly = [&] { return whole_seconds < 0.1 || whole_seconds <= 8 * part_seconds; };
    bool sound = true;
    for (int round = 0; round < 3 && (round == 0 || !grows_evenly()); round++) {
      sound = sound && within(tokenizer, timed_encode(tokenizer, quarter, part_seconds));
      sound = sound && within(tokenizer, timed_encode(tokenizer, whole, whole_seconds));
    }
    const std::string label = name + ", " + text.name + ": ";
    check(sound, label + "ids of the vocabulary");
    if (sanitized) continue;
    check(whole_seconds < 5, label + "1 MB in " + std::to_string(whole_seconds) + " s");
    check(grows_evenly(), label + "1 MB in " + std::to_string(whole_seconds) + " s, a quarter in " + std::to_string(part_seconds));
  }
}

void check_early_ends(const llm::Tokenizer& tokenizer, const std::string& name) {
  class Looks : public llm::Pace {
   public:
    explicit Looks(std::size_t most) : most_(most) {}
    std::size_t taken() const { return taken_; }

   private:
    void look() override {
      if (++taken_ > most_) throw Error(ErrorCode::cancelled, "It was enough.");
    }
    std::size_t most_;
    std::size_t taken_ = 0;
  };
  constexpr std::size_t bytes = std::size_t{1} << 16;
  for (const LongText& text : long_texts(bytes)) {
    const std::string what = name + ", " + text.name;
    Looks all(SIZE_MAX);
    const std::vector<llm::TokenId> whole = tokenizer.encode(text.text, {}, all);
    check(whole == tokenizer.encode(text.text, {}), what + ": the same ids");
    // The search for specials takes a step a byte, each segmenter at least one a character.
    check(all.taken() >= bytes / llm::Pace::stride * 5 / 4, what + ": " + std::to_string(all.taken()) + " looks around");
    for (const std::size_t most : {std::size_t{0}, all.taken() / 3, all.taken() / 2, all.taken() - 1}) {
      Looks some(most);
      check_throws(ErrorCode::cancelled, [&] { (void)tokenizer.encode(text.text, {}, some); }, what + ": ends at look " + std::to_string(most + 1));
      check(some.taken() == most + 1, what + ": does nothing more");
    }
  }
}

void check_broken_texts(const llm::Tokenizer& tokenizer, const std::string& name) {
  std::mt19937 random(11);
  const std::string whole = "na\xC3\xAFve \xE7\x9A\x84 \xF0\x9F\x99\x82 x";
  bool sound = true;
  for (int round = 0; round < 500; round++) {
    std::string text = whole.substr(0, random() % whole.size());
    if (round % 2 == 0) text += whole.substr(random() % whole.size());
    for (unsigned i = random() % 8; i > 0; i--) text += static_cast<char>(random());
    const std::vector<llm::TokenId> ids = tokenizer.encode(text, {false, round % 3 == 0});
    sound = sound && within(tokenizer, ids);
    (void)tokenizer.decode(ids);
  }
  check(sound, name + ": broken UTF-8 gives ids of the vocabulary");
}

}  // namespace lectern::test
