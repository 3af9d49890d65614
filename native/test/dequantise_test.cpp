// Dequantisation of every type to the last bit: against blocks packed here by the book, and against a conformance pack's.
#include <iterator>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "harness.h"
#include "json.h"
#include "options.h"
#include "tensor/blocks.h"
#include "tensor/code_books.h"
#include "tensor/dequantise.h"
#include "tensor/half.h"

namespace lectern {
namespace {

using test::check;
namespace fs = std::filesystem;

// 0.5 and 0.25: every product below is exact, so the expected values need no rounding.
constexpr f16_bits d_bits = 0x3800;
constexpr f16_bits m_bits = 0x3400;
constexpr float d = 0.5F;
constexpr float m = 0.25F;

/// Numbers that repeat late, so that no two places of a block are alike: seed chooses the block.
int number_at(int seed, int place, int below) { return static_cast<int>((static_cast<unsigned>(place) * 2654435761U + static_cast<unsigned>(seed) * 40503U) >> 16) % below; }

std::uint8_t byte(int value) { return static_cast<std::uint8_t>(value); }
void add_bits(std::uint8_t& to, int value) { to = byte(to | value); }

/// `count` blocks of a type, each packed by `pack` from its seed into a block and the floats that it stands for.
template <class Block, int elements, class Pack>
void check_blocks(DType dtype, const Pack& pack) {
  constexpr int count = 3;
  // One byte off, as tensors may lie.
  std::vector<std::byte> bytes(1 + count * sizeof(Block));
  std::vector<float> expected(count * elements);
  for (int seed = 0; seed < count; seed++) {
    Block block{};
    pack(seed, block, expected.data() + seed * elements);
    std::memcpy(bytes.data() + 1 + static_cast<std::size_t>(seed) * sizeof block, &block, sizeof block);
  }
  std::vector<float> got(expected.size());
  dequantise(dtype, bytes.data() + 1, count * elements, got.data());
  for (std::size_t i = 0; i < got.size(); i++) {
    if (bits_of(got[i]) == bits_of(expected[i])) continue;
    check(false, std::string(info_of(dtype).name) + " at " + std::to_string(i) + ": " + std::to_string(got[i]) + " instead of " + std::to_string(expected[i]));
    return;
  }
  check(true, std::string(info_of(dtype).name));
}

void pack_nibbles(const int* q, std::uint8_t (&qs)[16]) {
  for (int j = 0; j < 16; j++) qs[j] = byte((q[j] & 15) | (q[j + 16] & 15) << 4);
}

void pack_fifths(const int* q, std::uint8_t (&qh)[4]) {
  for (int e = 0; e < 32; e++) add_bits(qh[e / 8], (q[e] >> 4) << (e % 8));
}

/// Two bits an element: of each 128, four runs of 32 share a byte.
void pack_crumbs(const int* q, std::uint8_t (&qs)[64]) {
  for (int e = 0; e < 256; e++) add_bits(qs[e / 128 * 32 + e % 32], (q[e] & 3) << (e % 128 / 32 * 2));
}

/// The low four bits of Q4_K and Q5_K: of each 64, the first 32 are low nibbles, the others high ones.
void pack_pairs(const int* q, std::uint8_t (&qs)[128]) {
  for (int e = 0; e < 256; e++) add_bits(qs[e / 64 * 32 + e % 32], (q[e] & 15) << (e % 64 / 32 * 4));
}

void pack_scale_min(const int* scales, const int* mins, std::uint8_t (&packed)[12]) {
  for (int j = 0; j < 4; j++) add_bits(packed[j], scales[j]), add_bits(packed[j + 4], mins[j]);
  for (int j = 4; j < 8; j++) {
    packed[j + 4] = byte((scales[j] & 15) | (mins[j] & 15) << 4);
    add_bits(packed[j - 4], (scales[j] >> 4) << 6);
    add_bits(packed[j], (mins[j] >> 4) << 6);
  }
}

template <std::size_t count>
std::array<int, count> numbers(int seed, int below) {
  std::array<int, count> values{};
  for (std::size_t i = 0; i < count; i++) values[i] = number_at(seed, static_cast<int>(i), below);
  return values;
}

float real(int value) { return static_cast<float>(value); }

LECTERN_TEST("dequantise: blocks of 32") {
  check_blocks<BlockQ4_0, 32>(DType::q4_0, [](int seed, BlockQ4_0& block, float* x) {
    const auto q = numbers<32>(seed, 16);
    block.d = d_bits;
    pack_nibbles(q.data(), block.qs);
    for (int e = 0; e < 32; e++) x[e] = d * real(q[static_cast<std::size_t>(e)] - 8);
  });
  check_blocks<BlockQ4_1, 32>(DType::q4_1, [](int seed, BlockQ4_1& block, float* x) {
    const auto q = numbers<32>(seed, 16);
    block.d = d_bits, block.m = m_bits;
    pack_nibbles(q.data(), block.qs);
    for (int e = 0; e < 32; e++) x[e] = d * real(q[static_cast<std::size_t>(e)]) + m;
  });
  check_blocks<BlockQ5_0, 32>(DType::q5_0, [](int seed, BlockQ5_0& block, float* x) {
    const auto q = numbers<32>(seed, 32);
    block.d = d_bits;
    pack_nibbles(q.data(), block.qs), pack_fifths(q.data(), block.qh);
    for (int e = 0; e < 32; e++) x[e] = d * real(q[static_cast<std::size_t>(e)] - 16);
  });
  check_blocks<BlockQ5_1, 32>(DType::q5_1, [](int seed, BlockQ5_1& block, float* x) {
    const auto q = numbers<32>(seed, 32);
    block.d = d_bits, block.m = m_bits;
    pack_nibbles(q.data(), block.qs), pack_fifths(q.data(), block.qh);
    for (int e = 0; e < 32; e++) x[e] = d * real(q[static_cast<std::size_t>(e)]) + m;
  });
  check_blocks<BlockQ8_0, 32>(DType::q8_0, [](int seed, BlockQ8_0& block, float* x) {
    const auto q = numbers<32>(seed, 256);
    block.d = d_bits;
    for (int e = 0; e < 32; e++) block.qs[e] = static_cast<std::int8_t>(q[static_cast<std::size_t>(e)] - 128), x[e] = d * real(q[static_cast<std::size_t>(e)] - 128);
  });
  check_blocks<BlockIQ4_NL, 32>(DType::iq4_nl, [](int seed, BlockIQ4_NL& block, float* x) {
    constexpr std::array<int, 16> table = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
    const auto q = numbers<32>(seed, 16);
    block.d = d_bits;
    pack_nibbles(q.data(), block.qs);
    for (int e = 0; e < 32; e++) x[e] = d * real(table[static_cast<std::size_t>(q[static_cast<std::size_t>(e)])]);
  });
}

LECTERN_TEST("dequantise: blocks of 256 with scales and minima") {
  check_blocks<BlockQ2_K, 256>(DType::q2_k, [](int seed, BlockQ2_K& block, float* x) {
    const auto q = numbers<256>(seed, 4);
    block.d = d_bits, block.dmin = m_bits;
    pack_crumbs(q.data(), block.qs);
    for (int s = 0; s < 16; s++) block.scales[s] = byte(number_at(seed, 300 + s, 256));
    for (int e = 0; e < 256; e++) x[e] = d * real(block.scales[e / 16] & 15) * real(q[static_cast<std::size_t>(e)]) - m * real(block.scales[e / 16] >> 4);
  });
  const auto expect_k = [](const auto& q, const auto& scales, const auto& mins, float* x) {
    for (std::size_t e = 0; e < 256; e++) x[e] = d * real(scales[e / 32]) * real(q[e]) - m * real(mins[e / 32]);
  };
  check_blocks<BlockQ4_K, 256>(DType::q4_k, [&](int seed, BlockQ4_K& block, float* x) {
    const auto q = numbers<256>(seed, 16);
    const auto scales = numbers<8>(seed + 10, 64);
    const auto mins = numbers<8>(seed + 20, 64);
    block.d = d_bits, block.dmin = m_bits;
    pack_pairs(q.data(), block.qs), pack_scale_min(scales.data(), mins.data(), block.scales);
    expect_k(q, scales, mins, x);
  });
  check_blocks<BlockQ5_K, 256>(DType::q5_k, [&](int seed, BlockQ5_K& block, float* x) {
    const auto q = numbers<256>(seed, 32);
    const auto scales = numbers<8>(seed + 10, 64);
    const auto mins = numbers<8>(seed + 20, 64);
    block.d = d_bits, block.dmin = m_bits;
    pack_pairs(q.data(), block.qs), pack_scale_min(scales.data(), mins.data(), block.scales);
    for (int e = 0; e < 256; e++) add_bits(block.qh[e % 32], (q[static_cast<std::size_t>(e)] >> 4) << (e / 32));
    expect_k(q, scales, mins, x);
  });
}

LECTERN_TEST("dequantise: blocks of 256 with scales alone") {
  check_blocks<BlockQ3_K, 256>(DType::q3_k, [](int seed, BlockQ3_K& block, float* x) {
    const auto q = numbers<256>(seed, 8);
    const auto scales = numbers<16>(seed + 10, 64);
    block.d = d_bits;
    pack_crumbs(q.data(), block.qs);
    for (std::size_t e = 0; e < 256; e++) add_bits(block.hmask[e % 32], (q[e] >> 2) << (e / 32));
    for (std::size_t s = 0; s < 16; s++) {
      add_bits(block.scales[s % 8], (scales[s] & 15) << (s / 8 * 4));
      add_bits(block.scales[8 + s % 4], (scales[s] >> 4) << (s / 4 * 2));
    }
    for (std::size_t e = 0; e < 256; e++) x[e] = d * real(scales[e / 16] - 32) * real(q[e] - 4);
  });
  check_blocks<BlockQ6_K, 256>(DType::q6_k, [](int seed, BlockQ6_K& block, float* x) {
    const auto q = numbers<256>(seed, 64);
    const auto scales = numbers<16>(seed + 10, 256);
    block.d = d_bits;
    for (std::size_t e = 0; e < 256; e++) {
      add_bits(block.ql[e / 128 * 64 + e % 64], (q[e] & 15) << (e % 128 / 64 * 4));
      add_bits(block.qh[e / 128 * 32 + e % 32], (q[e] >> 4) << (e % 128 / 32 * 2));
    }
    for (std::size_t s = 0; s < 16; s++) block.scales[s] = static_cast<std::int8_t>(scales[s] - 128);
    for (std::size_t e = 0; e < 256; e++) x[e] = d * real(scales[e / 16] - 128) * real(q[e] - 32);
  });
  check_blocks<BlockIQ4_XS, 256>(DType::iq4_xs, [](int seed, BlockIQ4_XS& block, float* x) {
    const auto q = numbers<256>(seed, 16);
    const auto scales = numbers<8>(seed + 10, 64);
    block.d = d_bits;
    for (std::size_t b = 0; b < 8; b++) {
      add_bits(block.scales_l[b / 2], (scales[b] & 15) << (b % 2 * 4));
      block.scales_h = static_cast<std::uint16_t>(block.scales_h | (scales[b] >> 4) << (2 * b));
    }
    for (std::size_t e = 0; e < 256; e++) {
      add_bits(block.qs[e / 32 * 16 + e % 16], q[e] << (e % 32 / 16 * 4));
      x[e] = d * real(scales[e / 32] - 32) * real(iq4_values[q[e]]);
    }
  });
}

LECTERN_TEST("dequantise: the float types are copied") {
  check_blocks<std::uint32_t, 1>(DType::f32, [](int seed, std::uint32_t& block, float* x) { *x = real(seed) * -1.1F, block = bits_of(*x); });
  check_blocks<std::uint16_t, 1>(DType::f16, [](int seed, std::uint16_t& block, float* x) { block = byte(seed), *x = real(seed) * 0x1p-24F; });
  check_blocks<std::uint16_t, 1>(DType::bf16, [](int seed, std::uint16_t& block, float* x) { *x = real(seed) * -1.5F, block = static_cast<std::uint16_t>(bits_of(*x) >> 16); });
}

std::vector<std::uint8_t> bytes_of_hex(const std::string& hex) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) bytes.push_back(byte(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

/// FNV-1a of the values, with zeros above zero.
std::uint64_t hash_of(const std::vector<float>& values) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const float value : values) {
    const float above = value + 0.0F;
    std::uint8_t bytes[sizeof above];
    std::memcpy(bytes, &above, sizeof above);
    for (const std::uint8_t one : bytes) hash = (hash ^ one) * 0x100000001b3U;
  }
  return hash;
}

/// A random block of each, and the hash of what gguf 0.19 (PyPI, by NumPy) makes of it.
struct PublishedBlock {
  DType dtype;
  const char* block;
  std::uint64_t hash;
};
const PublishedBlock published_blocks[] = {
      {DType::iq1_s, "ff21e5f1a94106a0956a26afbccdafe562f90a945f5693c642276ad5ab2da7394551370e99b2d74c3427fa48d732a1df70ac", 0xf7f24296ce3a60edU},
      {DType::iq1_m, "26115901dd06f27f8f063cd25e19a621f9bd0ccc21397c1ec795ca7748dc03d17a88934d85527357a2e64647f03e2fb81ff23ff192158e2d", 0xc6b674a50456e24eU},
      {DType::iq2_xxs, "ff21f0711ef7677a1f132a818d882195a100b28d6b236b82481bd9fe630dc3ce3be4ebcab72f45b35223479f6e794d57037e2cfde9e15a7789781e3721a557d8e5a7", 0x33e76bf62458fa52U},
      {DType::iq2_xs, "ff2181db3f65cf9c1bdc5d1d8fc83f0b0bb4db71be572209851d3d24f4c0cf83fe4363f82f4759778955f6ced681cbea7179ced2c8f814a13472ff70ce369d8385452a44f318337f08cd", 0xef8f9f9e73eb0c73U},
      {DType::iq2_s, "ff215d3f83bc45fee9ee0403a79be118544441317c9311f85e0429b19f7ec0e156f65a3322e791b880ee995e3f0d307d2fbaf400693a179e0d027ed4e58be7a9ebc28a271d43a78855638144eb6603f7b272", 0x8198e8cce076f676U},
      {DType::iq3_xxs, "ff21ac2f88a68182869793f0aad6ded8116e3ab51681c4a374fec70a68b3e4bdc92b387987416c17ec90963ec766888ab4b80eba7c5cfd81121bea9cee1810dfd5169faf26cd7b5c30c8aba44d972299e8c7b41b9a1d2b0f180600a974d63b633220", 0xfd9c1c7051f6fd58U},
      {DType::iq3_s, "ff21b2522c49c4394c7d73265b6aaf61b288fbd0aecfa766616223611e764c93aa388ffabd0a6a6412b209971e2d827076f7e49ab8fa197271be53a3442b128cdad72bad0f8aeef42a0b9a26d74fc78f2562b8701097a55b5510543d27ed600de3200a6749307fd37899c118819a", 0x345df43c453b1f2dU},
      {DType::tq1_0, "4394c3f7aa5f93f32c810a37ca7bf1013ccdf8ab8ab4a6039954e84cbe3b3f7f1183c3df8375c517b4e786a9aadf7488f892b121ff21", 0xc3ebf7ed1c610246U},
      {DType::tq2_0, "6aca56d8531c927b931fe8f16e795b9b331767e712dbe8f5331dd9917f01e64710dd3c25f4d21690a049453135550ec0193a8bed1783d53ec944658d1d28960cff21", 0xc42bb26c60902fa5U},
      {DType::mxfp4, "77438e60788d51e279a131f8130b3ea4bd", 0x87094a3a4c312025U},
};

LECTERN_TEST("dequantise: ternary and microscaled types, and those with code books, give gguf's values to the last bit") {
  for (const PublishedBlock& published : published_blocks) {
    const DTypeInfo& type = info_of(published.dtype);
    const std::vector<std::uint8_t> block = bytes_of_hex(published.block);
    if (!check(block.size() == static_cast<std::size_t>(type.block_bytes), std::string(type.name) + ": the size of a block")) continue;
    std::vector<float> values(static_cast<std::size_t>(type.block_elements));
    dequantise(type.dtype, block.data(), type.block_elements, values.data());
    check(hash_of(values) == published.hash, std::string(type.name) + ": to the last bit");
    if (!has_code_book(type.dtype) || code_factor(type.dtype) != 1.0F) continue;
    // IQ3_S as Q6_K, as a GPU gets it.
    BlockQ6_K transcoded;
    transcode(type.dtype, block.data(), 256, &transcoded);
    std::vector<float> again(values.size());
    dequantise(DType::q6_k, &transcoded, 256, again.data());
    check(again == values, std::string(type.name) + ": transcoded");
  }
}

/// Types that came later than the packs.
bool is_in_packs(DType dtype) {
  return std::none_of(std::begin(published_blocks), std::end(published_blocks), [&](const PublishedBlock& published) { return published.dtype == dtype; });
}

LECTERN_TEST("dequantise: a conformance pack's vectors") {
  // One list of vectors is enough: they are the format's, not a pack's.
  const fs::path file = test::llm_packs().front() / "dequant.json";
  if (!fs::exists(file)) {
    test::note("skipped: there is no " + file.string());
    check(true, "nothing to compare with");
    return;
  }
  const test::Json types = test::read_json(file);
  for (const DTypeInfo& type : dtype_table) {
    if (!is_in_packs(type.dtype)) continue;
    const test::Json* entry = types.find(type.name);
    if (!check(entry != nullptr, "the pack holds " + std::string(type.name))) continue;
    for (const test::Json& vector : (*entry)["vectors"].list) {
      const std::vector<std::uint8_t> block = bytes_of_hex(vector["block"].string);
      const std::vector<std::uint8_t> expected = bytes_of_hex(vector["values_hex"].string);
      std::vector<float> got(expected.size() / sizeof(float));
      if (!check(block.size() == row_bytes(type.dtype, static_cast<std::int64_t>(got.size())), std::string(type.name) + ": the size of a vector")) continue;
      dequantise(type.dtype, block.data(), static_cast<std::int64_t>(got.size()), got.data());
      check(std::memcmp(got.data(), expected.data(), expected.size()) == 0, std::string(type.name) + ": a vector to the last bit");
    }
  }
}

}  // namespace
}  // namespace lectern
