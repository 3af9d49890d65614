// A model on disk: one GGUF file or the numbered parts of one, mapped, with their tensors in one list.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gguf/mapped_file.h"
#include "gguf/metadata.h"
#include "tensor/tensor.h"

namespace lectern::gguf {

class ModelFile {
 public:
  /// `path` names the only file or the first part (`…-00001-of-0000N.gguf`); the other parts lie beside it. Throws Error
  /// `model_not_found` or `invalid_model`, which names the part at fault.
  explicit ModelFile(const std::string& path);

  const Metadata& metadata() const { return metadata_; }
  const std::vector<Tensor>& tensors() const { return tensors_; }
  /// Null when there is none of that name.
  const Tensor* find(std::string_view name) const;
  /// Throws Error `invalid_model` naming the tensor that is missing.
  const Tensor& get(std::string_view name) const;
  /// The bytes of all tensors.
  std::size_t tensor_bytes() const;
  /// Lets the kernel drop the pages of a tensor whose values were copied elsewhere.
  void drop(const Tensor& tensor) const;
  /// Throws Error `invalid_model` once a part was written to or truncated. Call it before bytes of the file are read again: then
  /// a file that shrinks under a loaded model fails the requests and not the process.
  void check_unchanged() const;

 private:
  void add_part(const std::string& path);

  std::vector<MappedFile> parts_;
  Metadata metadata_;
  std::vector<Tensor> tensors_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
};

}  // namespace lectern::gguf
