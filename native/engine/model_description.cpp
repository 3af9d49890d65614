#include "engine/model_description.h"

#include <algorithm>

#include "cpu/backend.h"
#include "cuda/runtime/backend.h"
#include "cuda/runtime/device.h"
#include "error.h"
#include "gguf/model_file.h"
#include "llm/pair_format.h"
#include "llm/tokenizer/tokenizer.h"

namespace lectern {
namespace {

/// Of all arrays together; the largest vocabularies hold a million. A hostile file may hold as many as it has bytes.
constexpr std::uint64_t most_elements = std::uint64_t{1} << 22;

/// Copies values out of the file.
class Copier {
 public:
  explicit Copier(bool arrays) : left_(arrays ? most_elements : 0) {}

  MetadataValue copy(const gguf::Value& value) {
    return std::visit([this](const auto& typed) { return copy_typed(typed); }, value);
  }

 private:
  template <class Number>
  MetadataValue copy_typed(const Number& number) {
    return {number};
  }
  MetadataValue copy_typed(const std::string_view& text) { return {std::string(text)}; }
  MetadataValue copy_typed(const gguf::Array& array) {
    if (array.element == gguf::ValueType::array || array.count > left_) return {};
    left_ -= array.count;
    std::vector<MetadataValue> elements;
    elements.reserve(array.count);
    for (std::uint64_t i = 0; i < array.count; i++) elements.push_back(copy(gguf::element(array, i)));
    return {std::move(elements)};
  }

  std::uint64_t left_;
};

/// 0 where the key is absent or no such number.
std::uint64_t number_or_zero(const gguf::Metadata& metadata, const std::string& key) {
  try {
    return metadata.find_unsigned(key, UINT64_MAX).value_or(0);
  } catch (const Error&) {
    return 0;
  }
}

std::string architecture_of(const gguf::Metadata& metadata) {
  const auto found = metadata.all().find("general.architecture");
  const auto* name = found == metadata.all().end() ? nullptr : std::get_if<std::string_view>(&found->second);
  return name == nullptr ? "" : std::string(*name);
}

std::uint64_t vocabulary_size(const gguf::ModelFile& file) {
  const auto found = file.metadata().all().find("tokenizer.ggml.tokens");
  const auto* tokens = found == file.metadata().all().end() ? nullptr : std::get_if<gguf::Array>(&found->second);
  if (tokens != nullptr) return tokens->count;
  const Tensor* table = file.find("token_embd.weight");
  return table == nullptr ? 0 : static_cast<std::uint64_t>(table->rows());
}

/// Of a model that cannot run: a file that says how token vectors become one was made for embedding, or for scores (4).
llm::ModelKind likely_kind(const gguf::Metadata& metadata, const std::string& architecture) {
  const std::uint64_t pooling = number_or_zero(metadata, architecture + ".pooling_type");
  return pooling == 0 ? llm::ModelKind::chat : pooling == 4 ? llm::ModelKind::rerank : llm::ModelKind::embedding;
}

/// What opening it would say, or nothing.
std::optional<std::string> reason_against(const gguf::ModelFile& file) {
  try {
    llm::memory_need(file, *cpu::make_backend(), {});
    const llm::Tokenizer tokenizer(file.metadata());
    const llm::Config config = llm::read_config(file);
    if (config.kind == llm::ModelKind::rerank) const llm::PairFormat pairs(file.metadata(), config);
    return std::nullopt;
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

ModelDescription describe_model(const std::string& path, bool arrays) {
  const gguf::ModelFile file(path);
  const gguf::Metadata& metadata = file.metadata();
  ModelDescription description{};
  description.architecture = architecture_of(metadata);
  description.unsupported = reason_against(file);
  description.weight_bytes = file.tensor_bytes();
  description.context = number_or_zero(metadata, description.architecture + ".context_length");
  description.embedding_length = number_or_zero(metadata, description.architecture + ".embedding_length");
  description.vocabulary_size = vocabulary_size(file);
  description.kind = description.unsupported ? likely_kind(metadata, description.architecture) : llm::read_config(file).kind;
  Copier copier(arrays);
  for (const auto& [key, value] : metadata.all()) description.metadata.emplace_back(key, copier.copy(value));
  for (const Tensor& tensor : file.tensors()) {
    description.parameter_count += static_cast<std::uint64_t>(tensor.elements());
    description.tensors.push_back({std::string(tensor.name), std::string(info_of(tensor.dtype).name), {tensor.dims.begin(), tensor.dims.begin() + tensor.rank}});
  }
  return description;
}

llm::MemoryNeed memory_need(const std::string& path, const OpenOptions& options) {
  const auto backend = make_language_backend(options.device);
  return llm::memory_need(gguf::ModelFile(path), *backend, options.model);
}

std::unique_ptr<Backend> make_language_backend(DeviceKind device) {
  return device == DeviceKind::cuda ? cuda::make_backend(cuda::chosen_device) : cpu::make_backend();
}

}  // namespace lectern
