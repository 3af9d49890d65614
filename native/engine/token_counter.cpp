#include "engine/token_counter.h"

#include "error.h"
#include "llm/tokenizer/pace.h"

namespace lectern {

const TokenCounter::Opened& TokenCounter::open(const std::string& path) {
  if (opened_ && path_ == path) {
    try {
      opened_->file.check_unchanged();
      return *opened_;
    } catch (const Error&) {
      // Written anew since: what it holds now counts.
    }
  }
  opened_.reset();
  opened_ = std::make_unique<Opened>(path);
  path_ = path;
  return *opened_;
}

std::vector<std::uint32_t> TokenCounter::count(const std::string& path, const std::vector<std::string>& texts, const Cancel& cancel) {
  const llm::Tokenizer& tokenizer = open(path).tokenizer;
  llm::CancelPace pace(cancel);
  std::vector<std::uint32_t> counts;
  counts.reserve(texts.size());
  for (const std::string& text : texts) {
    cancel.check();
    counts.push_back(static_cast<std::uint32_t>(tokenizer.encode(text, {}, pace).size()));
  }
  return counts;
}

}  // namespace lectern
