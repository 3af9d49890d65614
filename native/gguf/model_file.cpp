#include "gguf/model_file.h"

#include <unistd.h>

#include <cstdio>
#include <optional>
#include <utility>

#include "error.h"
#include "gguf/reader.h"

namespace lectern::gguf {
namespace {

struct PartName {
  std::string stem;
  int number;
  int count;

  std::string of(int part) const {
    char suffix[32];
    std::snprintf(suffix, sizeof suffix, "-%05d-of-%05d.gguf", part, count);
    return stem + suffix;
  }
};

/// Of a name that ends in `-00001-of-00003.gguf`.
std::optional<PartName> part_name(const std::string& path) {
  constexpr std::string_view form = "-#####-of-#####.gguf";
  if (path.size() < form.size()) return std::nullopt;
  const std::string_view suffix = std::string_view(path).substr(path.size() - form.size());
  PartName name{path.substr(0, path.size() - form.size()), 0, 0};
  for (std::size_t i = 0; i < form.size(); i++) {
    const bool digit = suffix[i] >= '0' && suffix[i] <= '9';
    if (form[i] == '#' ? !digit : suffix[i] != form[i]) return std::nullopt;
    int& number = i < form.find("-of-") ? name.number : name.count;
    if (form[i] == '#') number = number * 10 + (suffix[i] - '0');
  }
  return name;
}

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::invalid_model, sentence); }

}  // namespace

ModelFile::ModelFile(const std::string& path) {
  const std::optional<PartName> name = part_name(path);
  if (name && name->number != 1) refuse("The model file " + path + " is part " + std::to_string(name->number) + " of a split model: name the first part.");
  add_part(path);
  const std::uint64_t count = metadata_.find_unsigned("split.count", 99999).value_or(0);
  if (count > 1) {
    if (!name) refuse("The model file " + path + " is one of " + std::to_string(count) + " parts, but its name does not say which.");
    if (static_cast<std::uint64_t>(name->count) != count) refuse("The model file " + path + " holds split.count " + std::to_string(count) + ", unlike its name.");
    for (int part = 2; part <= name->count; part++) {
      if (::access(name->of(part).c_str(), F_OK) != 0) refuse("The model's part " + name->of(part) + " is missing.");
      add_part(name->of(part));
    }
  }
  if (const auto total = metadata_.find_unsigned("split.tensors.count", UINT64_MAX); total && *total != tensors_.size()) {
    refuse("The model's parts hold " + std::to_string(tensors_.size()) + " tensors, not the " + std::to_string(*total) + " of split.tensors.count.");
  }
}

void ModelFile::add_part(const std::string& path) {
  parts_.emplace_back(path);
  Contents contents = read(parts_.back().bytes());
  const std::size_t index = parts_.size() - 1;
  if (contents.metadata.find_unsigned("split.no", UINT64_MAX).value_or(index) != index) {
    refuse("The model file " + path + " is not part " + std::to_string(index + 1) + ", as its split.no says.");
  }
  if (index == 0) metadata_ = std::move(contents.metadata);
  for (const Tensor& tensor : contents.tensors) {
    if (!by_name_.emplace(tensor.name, tensors_.size()).second) refuse("The tensor \"" + std::string(tensor.name) + "\" stands in two parts of the model.");
    tensors_.push_back(tensor);
  }
}

const Tensor* ModelFile::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &tensors_[found->second];
}

const Tensor& ModelFile::get(std::string_view name) const {
  if (const Tensor* tensor = find(name)) return *tensor;
  refuse("The model has no tensor \"" + std::string(name) + "\".");
}

std::size_t ModelFile::tensor_bytes() const {
  std::size_t total = 0;
  for (const Tensor& tensor : tensors_) total += tensor.bytes;
  return total;
}

void ModelFile::check_unchanged() const {
  for (const MappedFile& part : parts_) {
    if (!part.unchanged()) refuse("The model's file was changed while the model was in use: it has to be loaded again.");
  }
}

void ModelFile::drop(const Tensor& tensor) const { parts_.front().drop({tensor.data, tensor.bytes}); }

}  // namespace lectern::gguf
