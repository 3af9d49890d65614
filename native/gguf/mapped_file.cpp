#include "gguf/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "error.h"

namespace lectern::gguf {
namespace {

std::int64_t modified_ns(const struct stat& status) { return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec; }

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  // Of a pipe without a writer the opening would wait for one; files do not care.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    const ErrorCode code = errno == ENOENT ? ErrorCode::model_not_found : ErrorCode::invalid_model;
    throw Error(code, "The model file " + path + " cannot be opened: " + std::strerror(errno) + ".");
  }
  struct stat status {};
  const bool regular = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
  void* mapped = MAP_FAILED;
  if (regular) mapped = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (mapped == MAP_FAILED) {
    ::close(descriptor);
    throw Error(ErrorCode::invalid_model, "The model file " + path + " is empty or cannot be mapped.");
  }
  descriptor_ = descriptor;
  modified_ns_ = modified_ns(status);
  data_ = static_cast<const std::byte*>(mapped);
  size_ = static_cast<std::size_t>(status.st_size);
}

MappedFile::~MappedFile() {
  if (data_ == nullptr) return;
  ::munmap(const_cast<std::byte*>(data_), size_);
  ::close(descriptor_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)), modified_ns_(other.modified_ns_) {}

bool MappedFile::unchanged() const {
  struct stat status {};
  return ::fstat(descriptor_, &status) == 0 && static_cast<std::size_t>(status.st_size) == size_ && modified_ns(status) == modified_ns_;
}

void MappedFile::drop(std::span<const std::byte> part) const {
  // Whole pages only: the neighbours' bytes on the first and last page may still be wanted.
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(part.data()) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(part.data()) + part.size()) / page * page;
  if (end > begin) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace lectern::gguf
