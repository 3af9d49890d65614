// Runs the page at the network's resolution, in parts if it is large; then makes lines of the ridges of the map.
#include "vision/page_detector.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "error.h"
#include "vision/components.h"
#include "vision/filter.h"

namespace lectern::vision {
namespace {

// As in training: pixels of a cell, the divisor of the sides, and the planes of the output.
constexpr int cell_pixels = 4;
constexpr int side_multiple = 16;
constexpr std::size_t planes = 6;
// The parts of larger pages (one holds upright A4), and the margin that each part also sees: half of a typical word's context on each side.
constexpr int piece_width = 832;
constexpr int piece_height = 1152;
constexpr int piece_margin = 96;
// The limit of a run beside the weights: the largest part takes some 30 MiB.
constexpr std::size_t most_bytes = std::size_t{48} << 20;
// A cell above the first value may belong to a core; a ridge has at least one cell above the second.
constexpr float least_core = 0.2F;
constexpr float sure_core = 0.6F;
// The map falls by at least this much between two cores one below the other.
constexpr float valley = 0.15F;
// In cells: how far the middle of a core may move from one column to the next, and how many columns may be missing.
constexpr double most_step = 0.8;
constexpr int most_missing = 2;
// Columns of the shortest line: two letters of 10 points.
constexpr int shortest = 3;
// The map is wider than the cores: on drawn pages by 0.15 to 0.24 cells, for cores of 1.1 to 1.7 cells.
constexpr double too_wide = 0.18;
constexpr double lowest_core = 0.8;
// Shape of a face, in ems: the core, and how far letters reach above and below the baseline.
constexpr double core_em = 0.46;
constexpr double above_em = 0.78;
constexpr double below_em = 0.24;

/// A core in one column of the map.
struct Piece {
  int x;
  double middle;  // cells
  double height;  // cells
  float most;
};

int rounded_up(int side) { return (side + side_multiple - 1) / side_multiple * side_multiple; }

/// The cores of column `x` from the top.
void pieces_of(const CoreMap& map, int x, std::vector<Piece>& pieces) {
  for (int y = 0; y < map.height;) {
    if (map.at(x, y) < least_core) {
      ++y;
      continue;
    }
    Piece piece{x, 0, 0, 0};
    float lowest = 1;
    int lowest_at = y;
    for (; y < map.height && map.at(x, y) >= least_core; ++y) {
      const float core = map.at(x, y);
      if (core < lowest) {
        lowest = core;
        lowest_at = y;
      }
      // The map rises again behind a valley, where another line begins.
      if (piece.most - lowest > valley && core - lowest > valley && lowest_at < y) break;
      if (core >= piece.most) {
        piece.most = core;
        lowest = core;
        lowest_at = y;
      }
      piece.height += static_cast<double>(core);
      piece.middle += static_cast<double>(core) * (y + 0.5);
    }
    piece.middle /= piece.height;
    pieces.push_back(piece);
  }
}

/// Parts of cores that follow each other along a line.
std::vector<std::vector<Piece>> ridges_of(const CoreMap& map) {
  std::vector<Piece> pieces;
  std::vector<std::size_t> begins;  // begin of each column's pieces
  for (int x = 0; x < map.width; ++x) {
    begins.push_back(pieces.size());
    pieces_of(map, x, pieces);
  }
  begins.push_back(pieces.size());
  Components chains(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto column = static_cast<std::size_t>(pieces[i].x);
    // Takes the nearest piece in the next column that has one in reach.
    for (std::size_t next = column + 1; next < std::min(begins.size() - 1, column + 2 + most_missing); ++next) {
      std::size_t nearest = pieces.size();
      double away = most_step;
      for (std::size_t j = begins[next]; j < begins[next + 1]; ++j) {
        if (const double off = std::abs(pieces[j].middle - pieces[i].middle); off < away) {
          away = off;
          nearest = j;
        }
      }
      if (nearest == pieces.size()) continue;
      chains.join(i, nearest);
      break;
    }
  }
  std::vector<std::vector<Piece>> ridges(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) ridges[chains.find(i)].push_back(pieces[i]);
  std::erase_if(ridges, [](const auto& ridge) { return ridge.empty(); });
  return ridges;
}

/// The straight line through the middles of a ridge, and its mean height.
FoundLine line_along(const std::vector<Piece>& ridge, double cell) {
  double x = 0, y = 0, height = 0;
  for (const Piece& piece : ridge) {
    x += piece.x + 0.5;
    y += piece.middle;
    height += piece.height;
  }
  const auto count = static_cast<double>(ridge.size());
  x /= count;
  y /= count;
  double xx = 0, xy = 0;
  for (const Piece& piece : ridge) {
    xx += (piece.x + 0.5 - x) * (piece.x + 0.5 - x);
    xy += (piece.x + 0.5 - x) * (piece.middle - y);
  }
  // A short ridge has no reliable slope: one cell moves its ends.
  const double slope = ridge.size() >= 12 ? xy / xx : 0;
  const double em = std::max(lowest_core, height / count - too_wide) * cell / core_em;
  const auto [first, last] = std::minmax_element(ridge.begin(), ridge.end(), [](const Piece& a, const Piece& b) { return a.x < b.x; });
  FoundLine line{{}, {}, 0, slope, above_em * em, below_em * em};
  line.box.left = static_cast<int>(std::floor(first->x * cell));
  line.box.right = static_cast<int>(std::ceil((last->x + 1) * cell));
  line.baseline = (y - slope * x) * cell + slope * line.box.left + core_em * em / 2;
  const double end = line.baseline + slope * (line.box.right - line.box.left);
  line.box.top = static_cast<int>(std::floor(std::min(line.baseline, end) - line.above));
  line.box.bottom = static_cast<int>(std::ceil(std::max(line.baseline, end) + line.below));
  return line;
}

}  // namespace

PageDetector::PageDetector(const std::filesystem::path& file, Backend& backend, int threads) : network_(onnx::Network::open(file, backend, {.threads = threads, .most_bytes = most_bytes})) {
  const auto refuse = [&](const std::string& reason) { throw Error(ErrorCode::invalid_model, file.string() + " is no detector of pages: " + reason + "."); };
  const auto dpi = network_.metadata().find("dpi");
  if (dpi == network_.metadata().end()) refuse("its metadata has no dpi");
  char* end = nullptr;
  dpi_ = std::strtod(dpi->second.c_str(), &end);
  if (end == dpi->second.c_str() || *end != '\0' || !(dpi_ >= 30 && dpi_ <= 600)) refuse("its dpi is no number from 30 to 600");
  if (network_.inputs().size() != 1 || network_.outputs().size() != 1) refuse("it takes or gives more than one tensor");
  const auto& in = network_.inputs()[0].sizes;
  const auto& out = network_.outputs()[0].sizes;
  if (in.size() != 4 || in[1] != 1) refuse("its input is not (n, 1, h, w)");
  if (out.size() != 4 || out[1] != static_cast<std::int64_t>(planes)) refuse("its output is not (n, 6, h / 4, w / 4)");
}

CoreMap PageDetector::look(const Gray& page, int dpi, const Cancel& cancel) {
  const double scale = std::min(1.0, dpi_ / dpi);
  const auto side = [&](int pixels) { return std::max(1, static_cast<int>(std::lround(pixels * scale))); };
  const int width = side(page.width), height = side(page.height);
  const std::vector<std::uint8_t> small = resample(page.pixels, page.width, page.height, width, height);
  CoreMap map{(width + cell_pixels - 1) / cell_pixels, (height + cell_pixels - 1) / cell_pixels, {}, cell_pixels * static_cast<double>(page.width) / width};
  map.cores.assign(static_cast<std::size_t>(map.width) * static_cast<std::size_t>(map.height), 0.0F);
  for (int top = 0; top < height; top += piece_height) {
    for (int left = 0; left < width; left += piece_width) {
      cancel.check();
      const int first_x = std::max(0, left - piece_margin), first_y = std::max(0, top - piece_margin);
      const int last_x = std::min(width, left + piece_width + piece_margin), last_y = std::min(height, top + piece_height + piece_margin);
      const int columns = rounded_up(last_x - first_x), rows = rounded_up(last_y - first_y);
      std::vector<float> ink(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), 0.0F);
      for (int y = first_y; y < last_y; ++y) {
        const std::uint8_t* from = small.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
        float* to = ink.data() + static_cast<std::size_t>(y - first_y) * static_cast<std::size_t>(columns);
        for (int x = first_x; x < last_x; ++x) to[x - first_x] = 1.0F - static_cast<float>(from[x]) / 255.0F;
      }
      const onnx::Input input{network_.inputs()[0].name, Element::f32, {1, 1, rows, columns}, ink.data()};
      const auto outputs = network_.run({&input, 1}, &cancel);
      const auto maps = outputs[0].as<float>();
      const auto wide = static_cast<std::size_t>(columns / cell_pixels), cells = wide * static_cast<std::size_t>(rows / cell_pixels);
      if (maps.size() != planes * cells) throw Error(ErrorCode::invalid_model, "The detector's output has another shape than its file declares.");
      for (int y = top / cell_pixels; y < std::min(map.height, (top + piece_height) / cell_pixels); ++y) {
        for (int x = left / cell_pixels; x < std::min(map.width, (left + piece_width) / cell_pixels); ++x) {
          const std::size_t at = static_cast<std::size_t>(y - first_y / cell_pixels) * wide + static_cast<std::size_t>(x - first_x / cell_pixels);
          const float core = 1.0F / (1.0F + std::exp(-maps[at]));
          const bool along = std::max(maps[cells + at], maps[3 * cells + at]) >= std::max(maps[2 * cells + at], maps[4 * cells + at]);
          map.cores[static_cast<std::size_t>(y) * static_cast<std::size_t>(map.width) + static_cast<std::size_t>(x)] = along && std::isfinite(core) ? core : 0.0F;
        }
      }
    }
  }
  return map;
}

std::vector<FoundLine> lines_along(const CoreMap& map) {
  std::vector<FoundLine> lines;
  for (const auto& ridge : ridges_of(map)) {
    const bool sure = std::any_of(ridge.begin(), ridge.end(), [](const Piece& piece) { return piece.most >= sure_core; });
    if (sure && ridge.size() >= static_cast<std::size_t>(shortest)) lines.push_back(line_along(ridge, map.cell));
  }
  std::stable_sort(lines.begin(), lines.end(), [](const FoundLine& a, const FoundLine& b) { return a.box.top < b.box.top; });
  return lines;
}

double core_share(const CoreMap& map, const FoundLine& line) {
  const auto cell = [&](double pixels) { return static_cast<int>(std::floor(pixels / map.cell)); };
  const int first = std::max(0, cell(line.box.left)), last = std::min(map.width - 1, cell(line.box.right - 1));
  int columns = 0, covered = 0;
  for (int x = first; x <= last; ++x) {
    const double baseline = line.baseline + line.slope * ((x + 0.5) * map.cell - line.box.left);
    const int top = std::max(0, cell(baseline - line.above)), bottom = std::min(map.height - 1, cell(baseline - 1));
    bool found = false;
    for (int y = top; y <= bottom && !found; ++y) found = map.at(x, y) >= 0.5F;
    ++columns;
    covered += found ? 1 : 0;
  }
  return columns == 0 ? 0 : static_cast<double>(covered) / columns;
}

}  // namespace lectern::vision
