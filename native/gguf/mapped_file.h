// A file's bytes in memory, read by the kernel as they are touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace lectern::gguf {

class MappedFile {
 public:
  /// Throws Error `model_not_found` when there is no such file, `invalid_model` when it cannot be mapped.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }

  /// Tells the kernel that these bytes are not needed any more: they leave the resident memory, and come back when touched.
  void drop(std::span<const std::byte> part) const;

  /// False once the file was written to or truncated: bytes beyond its new end cannot be touched any more (SIGBUS).
  bool unchanged() const;

 private:
  int descriptor_ = -1;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::int64_t modified_ns_ = 0;
};

}  // namespace lectern::gguf
