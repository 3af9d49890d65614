// Returns freed memory from the allocator to the operating system.
#pragma once

#include <cstddef>  // says whether this is glibc

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace lectern {

/// Small blocks that were freed stay with the allocator otherwise.
inline void trim_heap() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace lectern
