// Implements runtime.h in host memory, with guards around every allocation and faults that tests inject, and emulates the instructions
// that a host does not have.
#include "cuda/runtime/runtime.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "cuda/emulation/faults.h"
#include "cuda/emulation/fibers.h"
#include "cuda/emulation/mapped.h"
#include "error.h"
#include "tensor/half.h"

namespace lectern::cuda::emulation {
namespace {

// Set by a test before its calls.
int calls_left = 0;  // until one fails; 0: none will
Fault coming = Fault::memory;
bool failed = false;
// Shared by models on several threads.
std::atomic<bool> lost = false;
static_assert(std::atomic<bool>::is_always_lock_free, "lose() is for signal handlers");
std::atomic<std::size_t> allocations = 0;
std::atomic<std::size_t> device_bytes = 0;
bool hangs = false;
bool memory_stays = false;
std::vector<void*> left;  // memory that would have been released

}  // namespace

std::atomic<std::uint64_t> bytes_to_host = 0;
std::atomic<std::uint64_t> graphs_launched = 0;

void fail_at(int call, Fault fault) {
  calls_left = call;
  coming = fault;
  failed = false;
}

void hang() { hangs = true; }

void fail_never() {
  calls_left = 0;
  lost = false;
  hangs = memory_stays = false;
  for (void* memory : std::exchange(left, {})) cuda_emulated::device_release(memory);
}

bool tries_gemv_kernels = false;

void forget_trials() { cuda_emulated::tried_gemv_kernels().of_device.clear(); }

bool has_failed() { return failed; }

void lose() noexcept { lost = true; }

void fault(const char* what) {
  std::fprintf(stderr, "emulated device: %s\n", what);
  std::abort();
}

std::size_t living_allocations() { return allocations; }
std::size_t living_device_bytes() { return device_bytes; }

/// Called for every runtime call but releases.
static void call(const char* name, bool allocates = false) {
  if (calls_left > 0 && (allocates || coming == Fault::lost) && --calls_left == 0) {
    failed = true;
    if (coming == Fault::memory) throw Error(ErrorCode::out_of_memory, std::string(name) + ": the test wants no memory");
    lost = true;
  }
  if (cuda_emulated::recorded != nullptr) throw std::logic_error(std::string(name) + " while a stream is recorded");
  if (lost) throw Error(ErrorCode::device_lost, std::string(name) + ": the emulated device is lost");
}

std::uint64_t dp4a_count = 0;

}  // namespace lectern::cuda::emulation

namespace lectern::cuda_emulated {
namespace {

using cuda::emulation::call;
using cuda::emulation::checks_only;

constexpr std::uint64_t device_total_bytes = std::uint64_t{1} << 34;
constexpr std::size_t alignment = 256;
constexpr std::size_t guard_bytes = 256;
constexpr unsigned char guard = 0xA5;

struct Header {
  std::size_t bytes;
};

std::size_t rounded_up(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// Copies of the copy stream, in order: done when they are waited for.
struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;
};
// A thread has one backend at a time, and with it one such stream.
thread_local std::deque<Copy> copies;
thread_local std::uint64_t copies_done = 0;

void run_copies(std::uint64_t until) {
  for (; copies_done < until; ++copies_done) {
    if (!checks_only) std::memcpy(copies.front().to, copies.front().from, copies.front().bytes);
    copies.pop_front();
  }
}

std::uint64_t copies_queued() { return copies_done + copies.size(); }

/// Allocations, by address.
std::mutex memory_mutex;
std::map<const unsigned char*, std::size_t> memory_parts;

unsigned char* begin_of(void* memory) { return static_cast<unsigned char*>(memory) - guard_bytes - sizeof(Header); }

}  // namespace

float shuffle_xor(float value, int mask) { return float_of_bits(cuda::emulation::exchange(bits_of_float(value), (thread_number() % 32) ^ mask)); }

int shuffle_xor(int value, int mask) { return static_cast<int>(cuda::emulation::exchange(static_cast<unsigned>(value), (thread_number() % 32) ^ mask)); }

namespace {

int signed_byte(std::uint32_t word, int i) { return static_cast<int>(static_cast<std::int8_t>(word >> (8 * i))); }

}  // namespace

int dot4(int a, int b, int sum) {
  ++cuda::emulation::dp4a_count;
  for (int i = 0; i < 4; ++i) sum += signed_byte(static_cast<std::uint32_t>(a), i) * signed_byte(static_cast<std::uint32_t>(b), i);
  return sum;
}

int add_bytes(std::uint32_t bytes) { return signed_byte(bytes, 0) + signed_byte(bytes, 1) + signed_byte(bytes, 2) + signed_byte(bytes, 3); }

std::uint32_t permute_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t named = (selector >> (4 * i)) & 15U;
    // The device would repeat the sign of the byte, which no kernel uses.
    if (named > 7) throw std::logic_error("A permutation of bytes names one beyond the eighth.");
    result |= static_cast<std::uint32_t>((both >> (8 * named)) & 255U) << (8 * i);
  }
  return result;
}

void check_alignment(const void* address, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0) throw std::logic_error("A load of " + std::to_string(bytes) + " bytes from an address that is no multiple of it.");
}

void check_written() {
  if (!cuda::emulation::previous_kernels_are_done()) cuda::emulation::fault("what the kernels before write is read before they are waited for");
}

void prefetch(const void* address, int bytes) {
  check_alignment(address, 16);
  if (bytes <= 0 || bytes % 16 != 0) throw std::logic_error("A kernel asks for " + std::to_string(bytes) + " bytes, which no device takes.");
  const auto* const at = static_cast<const unsigned char*>(address);
  const std::lock_guard lock(memory_mutex);
  auto part = memory_parts.upper_bound(at);
  if (part == memory_parts.begin() || at + bytes > std::prev(part)->first + std::prev(part)->second) throw std::logic_error("A kernel asks for memory that is none of the device's.");
}

float half_to_float(std::uint16_t bits) { return float_from_f16(bits); }

std::uint16_t float_to_half(float value) { return f16_from_float(std::fmin(std::fmax(value, -65504.0F), 65504.0F)); }

Stream open_stream(int) { return {0}; }
Stream open_copy_stream() { return {1}; }
void close_stream(Stream) noexcept {}

Device describe(int) {
  call("asking for the memory");
  return {DeviceKind::cuda, "emulated", device_total_bytes, device_total_bytes - std::min<std::uint64_t>(device_total_bytes, cuda::emulation::device_bytes)};
}

// Few, so that small tests choose large tiles.
int multiprocessors(int) { return checks_only ? 132 : 2; }

void remark(const std::string& sentence) { cuda::emulation::remarks += sentence; }

int min_dense_rows() { return checks_only ? 192 : 128; }
std::size_t max_unpacked_elements() { return checks_only ? std::size_t{128} << 20 : std::size_t{1} << 17; }
bool has_warpgroups(int device) { return device == 1; }

// Trials take seconds here, and time means nothing: they run only where a test wants them.
std::optional<cuda::GemvKernel> fixed_gemv_kernel(int device) {
  if (device != 1) return cuda::GemvKernel::registers;
  const std::optional<cuda::GemvKernel> named = cuda::kernel_options().decode;
  return named.has_value() || cuda::emulation::tries_gemv_kernels ? named : cuda::GemvKernel::tiles;
}

TriedGemvKernels& tried_gemv_kernels() {
  static TriedGemvKernels tried;
  return tried;
}

std::size_t max_shared_bytes(int) { return std::size_t{227} << 10; }

void* device_allocate(std::size_t bytes) {
  call("allocating", true);
  const std::size_t rounded = rounded_up(bytes);
  if (cuda::emulation::device_bytes + rounded > device_total_bytes) throw Error(ErrorCode::out_of_memory, "The emulated device has no memory for " + std::to_string(bytes) + " bytes more.");
  // An access behind the end ends the process.
  unsigned char* const end = cuda::emulation::end_of_mapped(rounded);
  if (end == nullptr) throw Error(ErrorCode::out_of_memory, "There is no memory for " + std::to_string(bytes) + " bytes more.");
  unsigned char* const user = end - rounded;
  const Header header{bytes};
  std::memcpy(begin_of(user), &header, sizeof header);
  std::memset(user - guard_bytes, guard, guard_bytes);
  // Memory that was not written must not pass for a result: every byte pattern is a NaN.
  if (!checks_only) std::memset(user, 0xFF, bytes);
  std::memset(user + bytes, guard, rounded - bytes);
  ++cuda::emulation::allocations;
  cuda::emulation::device_bytes += rounded;
  const std::lock_guard lock(memory_mutex);
  memory_parts[user] = bytes;
  return user;
}

void never_release_memory() noexcept { cuda::emulation::memory_stays = true; }

void device_release(void* memory) noexcept {
  if (memory == nullptr) return;
  if (cuda::emulation::memory_stays) return cuda::emulation::left.push_back(memory);
  if (cuda::emulation::hangs) cuda::emulation::fault("memory is released, which waits for a kernel that never ends");
  auto* user = static_cast<unsigned char*>(memory);
  Header header{};
  std::memcpy(&header, begin_of(memory), sizeof header);
  const std::size_t rounded = rounded_up(header.bytes);
  const auto whole = [](const unsigned char* from, const unsigned char* to) { return std::all_of(from, to, [](unsigned char byte) { return byte == guard; }); };
  // A kernel that writes beside its memory ends the test: a destructor cannot report it.
  if (!whole(user - guard_bytes, user) || !whole(user + header.bytes, user + rounded)) std::abort();
  {
    const std::lock_guard lock(memory_mutex);
    memory_parts.erase(user);
  }
  cuda::emulation::unmap(user + rounded, rounded);
  --cuda::emulation::allocations;
  cuda::emulation::device_bytes -= rounded;
}

// Guarded like device memory.
void* pinned_allocate(std::size_t bytes) {
  void* memory = device_allocate(bytes);
  cuda::emulation::device_bytes -= rounded_up(bytes);
  return memory;
}
void pinned_release(void* memory) noexcept {
  Header header{};
  std::memcpy(&header, begin_of(memory), sizeof header);
  cuda::emulation::device_bytes += rounded_up(header.bytes);
  device_release(memory);
}

Event::Event() : event_(0) { call("making an event"); }
Event::~Event() = default;
void Event::record(Stream stream) {
  call("recording an event");
  event_ = stream.number == 1 ? copies_queued() : 0;
}
void Event::wait() const {
  call("waiting for an event");
  run_copies(event_);
}
bool Event::completes_within(int) const {
  if (cuda::emulation::hangs) return false;
  wait();
  return true;
}
// A stream that waits for copies is the first to read them.
void Event::hold(Stream) const {
  call("holding a stream");
  run_copies(event_);
}

constinit thread_local GraphHandle* recorded = nullptr;

namespace {
thread_local GraphHandle recording;
}  // namespace

Graph::~Graph() = default;
void Graph::launch(Stream) const {
  call("launching a graph");
  ++cuda::emulation::graphs_launched;
  for (const std::function<void()>& kernel : handle_) kernel();
}
void begin_recording(Stream) {
  call("recording");
  recording.clear();
  recorded = &recording;
}
GraphHandle end_recording(Stream) {
  recorded = nullptr;
  call("recorded", true);
  return std::move(recording);
}

int upload_readers() { return 1; }
// Small, so that small tests take several iterations.
std::size_t upload_bytes() { return std::size_t{4} << 10; }

void copy_to_device(Stream, void* to, const void* from, std::size_t bytes) {
  call("copying to the device");
  if (!checks_only) std::memcpy(to, from, bytes);
}
void copy_from_pinned(Stream stream, void* to, const void* from, std::size_t bytes) {
  call("copying pinned memory");
  copies.push_back({to, from, bytes});
  if (stream.number == 0) run_copies(copies_queued());
}
void copy_to_host(Stream, void* to, const void* from, std::size_t bytes) {
  call("copying to the host");
  cuda::emulation::bytes_to_host += bytes;
  if (!checks_only) std::memcpy(to, from, bytes);
}
void copy_on_device(Stream, void* to, const void* from, std::size_t bytes) {
  call("copying on the device");
  if (!checks_only) std::memmove(to, from, bytes);
}
void clear(Stream, void* memory, std::size_t bytes) {
  call("clearing");
  if (!checks_only) std::memset(memory, 0, bytes);
}
void synchronise(Stream stream) {
  // Also on a lost device: queued copies must not outlive their memory.
  if (stream.number == 1) run_copies(copies_queued());
  call("synchronising");
}
void check_launches() { call("launching kernels"); }
void forget_error() noexcept {}

}  // namespace lectern::cuda_emulated
