// Memory without anything behind it: a read beyond its end ends the process, as it may on a device.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

namespace lectern::cuda::emulation {

inline std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

/// Whole pages: one in front, `bytes`, and the guard page.
inline std::size_t mapped_bytes(std::size_t bytes) { return (bytes + page_bytes() - 1) / page_bytes() * page_bytes() + 2 * page_bytes(); }

/// The end of `bytes` zeros, with another page in front; null without memory.
inline unsigned char* end_of_mapped(std::size_t bytes) {
  const std::size_t all = mapped_bytes(bytes);
  void* const memory = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  unsigned char* const end = static_cast<unsigned char*>(memory) + all - page_bytes();
  if (mprotect(end, page_bytes(), PROT_NONE) == 0) return end;
  munmap(memory, all);
  return nullptr;
}

/// Releases memory of end_of_mapped().
inline void unmap(unsigned char* end, std::size_t bytes) noexcept {
  const std::size_t all = mapped_bytes(bytes);
  munmap(end + page_bytes() - all, all);
}

}  // namespace lectern::cuda::emulation
