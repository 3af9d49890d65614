// Calls of the runtime that fail when a test says so, and what a test may ask of the emulated device's memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace lectern::cuda::emulation {

enum class Fault {
  memory,  // an allocation finds none: `out_of_memory`, that one alone
  lost,    // any call, and all that follow it: `device_lost`
};

/// The n-th such call from now on fails, from 1; memory counts allocations alone.
void fail_at(int call, Fault fault);
/// Nothing fails any more, and a lost device is back.
void fail_never();
/// Now and for good, as a device that met an illegal access; also from a signal handler.
void lose() noexcept;
/// What is queued from now on never ends, until fail_never(): who waits for a while is told so, and who would wait for ever ends the process.
void hang();
/// Whether a trial chooses the GEMV kernel (gemv_selection.cuh) where no option names one, as on a device; else tiles are used without a trial.
extern bool tries_gemv_kernels;
/// Makes the next trial run as the first of the process.
void forget_trials();
/// Whether what fail_at() announced has come.
bool has_failed();

/// Allocations, of device memory and of pinned memory, that were not released.
std::size_t living_allocations();
/// Bytes of those on the device, each filled up to 256.
std::size_t living_device_bytes();

/// Ends the process as a device would stop: there is no way to report it from a fiber.
[[noreturn]] void fault(const char* what);

/// Products of warpgroups are not what they should be.
extern bool groups_multiply_wrongly;
/// Nor are products of bytes by the tensor cores, or what the device's own copies bring.
extern bool bytes_multiply_wrongly;
extern bool copies_come_wrongly;

/// Products of a thread by warpgroups so far, 16 columns each.
extern std::uint64_t group_products;
/// Copies that the device made by itself so far (async_copies.h).
extern std::uint64_t own_copies;
/// Products of four bytes by a thread itself (dot4) so far.
extern std::uint64_t byte_products;
/// What cuda::take_remarks() tells, of this thread.
extern thread_local std::string remarks;

/// Bytes that crossed from the device.
extern std::atomic<std::uint64_t> bytes_to_host;
/// Recorded passes that were launched as one.
extern std::atomic<std::uint64_t> graphs_launched;

}  // namespace lectern::cuda::emulation
