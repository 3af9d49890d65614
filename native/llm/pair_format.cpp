#include "llm/pair_format.h"

#include "error.h"

namespace lectern::llm {
namespace {

/// From the model card of Qwen3-Reranker, with its default instruction. Converters write it under "tokenizer.chat_template.rerank".
constexpr std::string_view qwen3_template =
    "<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct provided. Note that the answer can only be \"yes\" or \"no\".<|im_end|>\n"
    "<|im_start|>user\n<Instruct>: Given a web search query, retrieve relevant passages that answer the query\n<Query>: {query}\n<Document>: {document}<|im_end|>\n"
    "<|im_start|>assistant\n<think>\n\n</think>\n\n";
constexpr std::string_view query_place = "{query}";
constexpr std::string_view document_place = "{document}";

/// Removes `surplus` tokens in front of the last `kept` ones.
void shorten(std::vector<TokenId>& ids, std::size_t surplus, std::size_t kept) {
  const auto end = ids.end() - static_cast<std::ptrdiff_t>(kept);
  ids.erase(end - static_cast<std::ptrdiff_t>(surplus), end);
}

}  // namespace

PairFormat::PairFormat(const gguf::Metadata& metadata, const Config& config) {
  if (config.is_encoder()) return;
  const std::string_view whole = metadata.find_string("tokenizer.chat_template.rerank").value_or(qwen3_template);
  const std::size_t query = whole.find(query_place);
  const std::size_t document = whole.find(document_place);
  if (query == std::string_view::npos || document == std::string_view::npos || document < query) {
    throw Error(ErrorCode::unsupported_format, "The model's template for reranking has no {query} with a {document} behind it.");
  }
  before_query_ = whole.substr(0, query);
  between_ = whole.substr(query + query_place.size(), document - query - query_place.size());
  behind_document_ = whole.substr(document + document_place.size());
}

TokenPair PairFormat::encode(const Tokenizer& tokenizer, std::string_view query, std::string_view document, std::size_t most, Pace& pace) const {
  const bool has_template = !between_.empty() || !before_query_.empty();
  TokenPair pair = has_template ? encode_template(tokenizer, query, document, pace) : tokenizer.encode_pair(query, document, pace);
  if (most == 0 || pair.ids.size() <= most) return pair;
  const std::size_t kept = has_template ? tokenizer.encode({{behind_document_, true}}, false, pace).size() : (tokenizer.vocabulary().add_eos ? 1 : 0);
  const std::size_t surplus = pair.ids.size() - most;
  // A query that leaves no room for a document stays too long, which is an error later.
  if (surplus + kept + pair.second < pair.ids.size()) shorten(pair.ids, surplus, kept);
  return pair;
}

TokenPair PairFormat::encode_template(const Tokenizer& tokenizer, std::string_view query, std::string_view document, Pace& pace) const {
  const std::vector<PromptPart> front = {{before_query_, true}, {std::string(query), false}, {between_, true}};
  TokenPair pair;
  // Where the document begins words may cross the border, so the whole is encoded at once; `second` only bounds what may be cut.
  pair.second = tokenizer.encode(front, false, pace).size() + 1;
  std::vector<PromptPart> all = front;
  all.push_back({std::string(document), false});
  all.push_back({behind_document_, true});
  pair.ids = tokenizer.encode(all, false, pace);
  if (tokenizer.vocabulary().add_bos && tokenizer.vocabulary().bos) pair.ids.insert(pair.ids.begin(), *tokenizer.vocabulary().bos);
  return pair;
}

}  // namespace lectern::llm
