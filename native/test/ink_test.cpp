// Grey, threshold and marks against naive loops: every pixel averaged by itself, every mark flooded.
#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

#include "harness.h"
#include "page.h"
#include "vision/ink.h"

namespace lectern::vision {
namespace {

using test::check;
using test::pick;

std::size_t index_of(const Gray& gray, int x, int y) {
  return static_cast<std::size_t>(y) * static_cast<std::size_t>(gray.width) + static_cast<std::size_t>(x);
}

Gray random_gray(int width, int height, unsigned seed) {
  Gray gray{width, height, {}};
  std::mt19937 random(seed);
  for (int i = 0; i < width * height; ++i) {
    // Blots on paper that is not even.
    const bool blot = pick(random, 3) == 0;
    gray.pixels.push_back(static_cast<std::uint8_t>(blot ? pick(random, 140) : 150 + pick(random, 100)));
  }
  return gray;
}

bool is_dark(const Gray& gray, int reach, int x, int y) {
  std::int64_t sum = 0;
  std::int64_t count = 0;
  for (int ny = std::max(0, y - reach); ny <= std::min(gray.height - 1, y + reach); ++ny) {
    for (int nx = std::max(0, x - reach); nx <= std::min(gray.width - 1, x + reach); ++nx) {
      sum += gray.pixels[index_of(gray, nx, ny)];
      ++count;
    }
  }
  return gray.pixels[index_of(gray, x, y)] * count * 100 < sum * 85;
}

using Box = std::tuple<int, int, int, int, int>;

Box flood(std::vector<char>& dark, const Gray& gray, int x, int y) {
  Box box{x, y, x + 1, y + 1, 0};
  std::vector<std::pair<int, int>> open = {{x, y}};
  dark[index_of(gray, x, y)] = 0;
  while (!open.empty()) {
    const auto [px, py] = open.back();
    open.pop_back();
    auto& [left, top, right, bottom, area] = box;
    left = std::min(left, px);
    top = std::min(top, py);
    right = std::max(right, px + 1);
    bottom = std::max(bottom, py + 1);
    ++area;
    for (int ny = std::max(0, py - 1); ny <= std::min(gray.height - 1, py + 1); ++ny) {
      for (int nx = std::max(0, px - 1); nx <= std::min(gray.width - 1, px + 1); ++nx) {
        if (!dark[index_of(gray, nx, ny)]) continue;
        dark[index_of(gray, nx, ny)] = 0;
        open.emplace_back(nx, ny);
      }
    }
  }
  return box;
}

LECTERN_TEST("ink: runs and marks equal the flooded ones") {
  const int sizes[][3] = {{1, 1, 2}, {1, 40, 3}, {40, 1, 3}, {2, 2, 1}, {31, 17, 4}, {64, 64, 15}, {9, 50, 20}};
  unsigned seed = 1;
  for (const auto& [width, height, reach] : sizes) {
    const Gray gray = random_gray(width, height, seed++);
    const Ink ink = find_ink(gray, reach, Cancel{});

    std::vector<char> dark(gray.pixels.size(), 0);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) dark[index_of(gray, x, y)] = is_dark(gray, reach, x, y);
    }
    std::vector<char> drawn(gray.pixels.size(), 0);
    for (const Run& run : ink.runs) {
      for (int x = run.begin; x < run.end; ++x) drawn[index_of(gray, x, run.y)] = 1;
    }
    check(drawn == dark, "runs cover the dark pixels");

    std::vector<Box> expected;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        if (dark[index_of(gray, x, y)]) expected.push_back(flood(dark, gray, x, y));
      }
    }
    std::vector<Box> found;
    for (const Mark& mark : ink.marks) found.emplace_back(mark.left, mark.top, mark.right, mark.bottom, mark.area);
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    check(found == expected, std::to_string(found.size()) + " marks of " + std::to_string(expected.size()));
  }
}

LECTERN_TEST("ink: a spiral is one mark, diagonal neighbours touch, other ones do not") {
  const char* rows[] = {".........", ".#######.", ".#.....#.", ".#.###.#.", ".#.#...#.", ".#.#####.", ".#.......", "......#..", "#....#..."};
  Gray gray{9, 9, {}};
  for (const char* row : rows) {
    for (int x = 0; x < 9; ++x) gray.pixels.push_back(row[x] == '#' ? 0 : 255);
  }
  const Ink ink = find_ink(gray, 9, Cancel{});
  std::vector<int> areas;
  for (const Mark& mark : ink.marks) areas.push_back(mark.area);
  std::sort(areas.begin(), areas.end());
  check(areas == std::vector<int>({1, 2, 24}), "a dot, a diagonal and the spiral");
}

LECTERN_TEST("ink: grey is the mean of whole squares of luminance") {
  std::mt19937 random(3);
  for (const auto& [width, height, factor] : {std::tuple{1, 1, 1}, std::tuple{7, 5, 1}, std::tuple{23, 19, 3}, std::tuple{64, 9, 8}}) {
    const std::size_t stride = static_cast<std::size_t>(width) * 4 + 3;
    std::vector<std::uint8_t> bytes(stride * static_cast<std::size_t>(height - 1) + static_cast<std::size_t>(width) * 4);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    const Gray gray = shrink_to_gray({bytes.data(), width, height, stride}, factor, Cancel{});
    check(gray.width == width / factor && gray.height == height / factor, "size");
    bool equal = true;
    for (int y = 0; y < gray.height; ++y) {
      for (int x = 0; x < gray.width; ++x) {
        int sum = 0;
        for (int i = 0; i < factor * factor; ++i) {
          const std::uint8_t* pixel = &bytes[static_cast<std::size_t>(y * factor + i / factor) * stride +
                                             static_cast<std::size_t>(x * factor + i % factor) * 4];
          sum += pixel[0] + 2 * pixel[1] + pixel[2];
        }
        equal = equal && gray.pixels[index_of(gray, x, y)] == sum / (4 * factor * factor);
      }
    }
    check(equal, "every pixel");
  }
}

}  // namespace
}  // namespace lectern::vision
