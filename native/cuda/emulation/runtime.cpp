// The runtime over host memory, with guards around every allocation, and the instructions that a host has no name for.
#include "cuda/runtime.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "error.h"
#include "tensor/half.h"

namespace lectern::cuda_emulated {
namespace {

constexpr std::size_t guard_bytes = 256;
constexpr unsigned char guard = 0xA5;

struct Header {
  std::size_t bytes;
};

unsigned char* begin_of(void* memory) { return static_cast<unsigned char*>(memory) - guard_bytes - sizeof(Header); }

}  // namespace

float shuffle_xor(float value, int mask) { return float_of_bits(cuda::emulation::exchange(bits_of_float(value), (thread_number() % 32) ^ mask)); }

int shuffle_xor(int value, int mask) { return static_cast<int>(cuda::emulation::exchange(static_cast<unsigned>(value), (thread_number() % 32) ^ mask)); }

int dot4(int a, int b, int sum) {
  for (int i = 0; i < 4; ++i) {
    const auto byte = [i](int word) { return static_cast<int>(static_cast<std::int8_t>(static_cast<std::uint32_t>(word) >> (8 * i))); };
    sum += byte(a) * byte(b);
  }
  return sum;
}

std::uint32_t permute_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t named = (selector >> (4 * i)) & 15U;
    // The device would repeat the byte's sign: nothing here asks for that.
    if (named > 7) throw std::logic_error("A permutation of bytes names one beyond the eighth.");
    result |= static_cast<std::uint32_t>((both >> (8 * named)) & 255U) << (8 * i);
  }
  return result;
}

void check_alignment(const void* address, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0) throw std::logic_error("A load of " + std::to_string(bytes) + " bytes from an address that is no multiple of it.");
}

float half_to_float(std::uint16_t bits) { return float_from_f16(bits); }

std::uint16_t float_to_half(float value) { return f16_from_float(std::fmin(std::fmax(value, -65504.0F), 65504.0F)); }

Stream open_stream(int) { return {}; }
void close_stream(Stream) noexcept {}

Device describe(int) { return {DeviceKind::cuda, "emulated", std::uint64_t{1} << 34, std::uint64_t{1} << 34}; }

// Few, so that small tests choose large tiles.
int multiprocessors(int) { return 2; }

std::size_t most_shared_bytes(int) { return std::size_t{227} << 10; }

void* device_allocate(std::size_t bytes) {
  const std::size_t rounded = (bytes + 255) / 256 * 256;
  auto* memory = static_cast<unsigned char*>(std::malloc(rounded + 3 * guard_bytes + sizeof(Header) + 256));
  if (memory == nullptr) throw Error(ErrorCode::out_of_memory, "There is no memory for " + std::to_string(bytes) + " bytes more.");
  auto address = reinterpret_cast<std::uintptr_t>(memory) + sizeof(void*) + sizeof(Header) + guard_bytes;
  auto* user = reinterpret_cast<unsigned char*>((address + 255) / 256 * 256);
  std::memcpy(begin_of(user) - sizeof(void*), &memory, sizeof(void*));
  const Header header{bytes};
  std::memcpy(begin_of(user), &header, sizeof header);
  std::memset(user - guard_bytes, guard, guard_bytes);
  // What was not written must not pass for a result: each byte pattern is a number that is none.
  std::memset(user, 0xFF, bytes);
  std::memset(user + bytes, guard, guard_bytes);
  return user;
}

void device_release(void* memory) noexcept {
  if (memory == nullptr) return;
  auto* user = static_cast<unsigned char*>(memory);
  Header header{};
  std::memcpy(&header, begin_of(memory), sizeof header);
  const auto whole = [](const unsigned char* at) { return std::all_of(at, at + guard_bytes, [](unsigned char byte) { return byte == guard; }); };
  // A kernel that writes beside its memory ends the test: there is no way to report it from a destructor.
  if (!whole(user - guard_bytes) || !whole(user + header.bytes)) std::abort();
  void* begin = nullptr;
  std::memcpy(&begin, begin_of(memory) - sizeof(void*), sizeof(void*));
  std::free(begin);
}

void copy_to_device(Stream, void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
void copy_to_host(Stream, void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
void copy_on_device(Stream, void* to, const void* from, std::size_t bytes) { std::memmove(to, from, bytes); }
void clear(Stream, void* memory, std::size_t bytes) { std::memset(memory, 0, bytes); }
void synchronise(Stream) {}
void check_launches() {}

}  // namespace lectern::cuda_emulated
