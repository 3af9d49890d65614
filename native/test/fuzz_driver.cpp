// Stands in for libFuzzer where there is none: mutates the seeds by a seeded generator, without knowing what they reach.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<Bytes> read_seeds(const char* folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> seeds;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return seeds;
}

/// Flips, overwrites with a number that borders on something, cuts, inserts or repeats.
void mutate(Bytes& bytes, std::mt19937& random) {
  if (bytes.empty()) return;
  const std::size_t place = random() % bytes.size();
  const std::size_t length = std::min<std::size_t>(1 + random() % 16, bytes.size() - place);
  const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(place);
  constexpr std::uint64_t borders[] = {0, 1, 9, 31, 255, 65536, UINT32_MAX, std::uint64_t{1} << 56, INT64_MAX, UINT64_MAX};
  switch (random() % 6) {
    case 0: bytes[place] = static_cast<std::uint8_t>(bytes[place] ^ 1U << random() % 8); return;
    case 1: bytes[place] = static_cast<std::uint8_t>(random()); return;
    case 2: std::memcpy(&bytes[place], &borders[random() % std::size(borders)], std::min<std::size_t>(length, 8)); return;
    case 3: bytes.erase(at, at + static_cast<std::ptrdiff_t>(length)); return;
    case 4: bytes.insert(at, length, static_cast<std::uint8_t>(random())); return;
    default: {
      const Bytes copy(at, at + static_cast<std::ptrdiff_t>(length));
      bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(random() % bytes.size()), copy.begin(), copy.end());
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: fuzz_reader SEEDS SECONDS\n");
    return 2;
  }
  const std::vector<Bytes> seeds = read_seeds(arguments[1]);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(arguments[2]));
  std::mt19937 random(1);
  long runs = 0;
  for (; !seeds.empty() && std::chrono::steady_clock::now() < end; runs++) {
    Bytes input = seeds[random() % seeds.size()];
    // Most of a model file is weights, which cannot be wrong; half of the inputs change its first kilobyte only.
    const bool head = random() % 2 == 0 && input.size() > 1024;
    const Bytes rest(input.begin() + (head ? 1024 : static_cast<std::ptrdiff_t>(input.size())), input.end());
    input.resize(input.size() - rest.size());
    for (auto changes = 1 + random() % 5; changes > 0; changes--) mutate(input, random);
    input.insert(input.end(), rest.begin(), rest.end());
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("Done %ld runs\n", runs);
  return runs > 0 ? 0 : 1;
}
