// Faults that tests inject into the runtime, and counters of the emulated device.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace lectern::cuda::emulation {

enum class Fault {
  memory,  // an allocation fails with `out_of_memory`, that one alone
  lost,    // any call fails with `device_lost`, and so do all that follow
};

/// The n-th such call from now on fails, from 1; for memory allocations alone count.
void fail_at(int call, Fault fault);
/// Nothing fails any more, and a lost device works again.
void fail_never();
/// Loses the device now and for good, as after an illegal access; also called from a signal handler.
void lose() noexcept;
/// Work that is queued from now on never ends, until fail_never(): a wait with a timeout reports it, a wait without one ends the process.
void hang();
/// Whether a trial chooses the GEMV kernel (gemv_selection.cuh) where no option names one, as on a device; otherwise tiles are used without a trial.
extern bool tries_gemv_kernels;
/// Makes the next trial run as the first of the process.
void forget_trials();
/// Whether the fault of fail_at() has happened.
bool has_failed();

/// Allocations of device and pinned memory that were not released.
std::size_t living_allocations();
/// The bytes of those in device memory, each rounded up to 256.
std::size_t living_device_bytes();

/// Ends the process: a fault cannot be reported from a fiber.
[[noreturn]] void fault(const char* what);

/// wgmma computes wrong products.
extern bool wgmma_is_wrong;
/// mma.sync of int8 computes wrong products; bulk copies bring wrong bytes.
extern bool mma_s8_is_wrong;
extern bool bulk_copies_are_wrong;

/// Products by wgmma so far, counted per thread and 16 columns.
extern std::uint64_t wgmma_count;
/// Bulk copies so far (async_copies.h).
extern std::uint64_t bulk_copy_count;
/// dot4() calls so far.
extern std::uint64_t dp4a_count;
/// The sentences of cuda::take_remarks(), of this thread.
extern thread_local std::string remarks;

/// Bytes copied from the device.
extern std::atomic<std::uint64_t> bytes_to_host;
/// CUDA graphs launched.
extern std::atomic<std::uint64_t> graphs_launched;

}  // namespace lectern::cuda::emulation
