// Two functions of newer C libraries, which the static halves of the C++ runtime ask for: with them here the addon loads where glibc is 2.34.

#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <sys/random.h>

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 36)

/// Random bits for std::random_device. Ends the process where the kernel has none, as the C library's own does.
extern "C" std::uint32_t arc4random() noexcept {
  std::uint32_t bits = 0;
  if (getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) {
    std::abort();
  }
  return bits;
}

#endif

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)

namespace {

struct Search {
  std::uintptr_t address;
  dl_find_object* result;
};

int look(dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  const ElfW(Phdr)* frames = nullptr;
  const ElfW(Phdr)* segment = nullptr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_GNU_EH_FRAME) {
      frames = &header;
    } else if (header.p_type == PT_LOAD && search.address >= begin && search.address - begin < header.p_memsz) {
      segment = &header;
    }
  }
  if (segment == nullptr || frames == nullptr) {
    return 0;
  }
  const std::uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
  *search.result = {};
  search.result->dlfo_map_start = reinterpret_cast<void*>(begin);
  search.result->dlfo_map_end = reinterpret_cast<void*>(begin + segment->p_memsz);
  search.result->dlfo_eh_frame = reinterpret_cast<void*>(info->dlpi_addr + frames->p_vaddr);
  return 1;
}

}  // namespace

/// The object that holds the code at `address`, for the unwinder of this addon: 0 when it was found, -1 when there is none.
/// dl_iterate_phdr takes a lock that the newer function does without; exceptions are rare enough here.
extern "C" int _dl_find_object(void* address, dl_find_object* result) noexcept {
  Search search{reinterpret_cast<std::uintptr_t>(address), result};
  return dl_iterate_phdr(look, &search) == 1 ? 0 : -1;
}

#endif
