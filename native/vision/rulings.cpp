// Finds runs of dark pixels along both directions and joins them to thin connected strokes.
#include "vision/rulings.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include "vision/components.h"

namespace lectern::vision {
namespace {

/// The least contrast with the page, in grey levels: light grey rulings have more, paper and JPEG noise less.
constexpr int least_contrast = 40;
/// In inches: a ruling continues after a break of the scanner of up to this length. Then the shortest length and the largest thickness of a ruling.
constexpr double widest_break = 0.012;
constexpr double shortest = 0.35;
constexpr double thickest = 0.05;
/// In a picture the feet or the tops of a word's letters run together to a stroke: 4,174 of 4,310 strokes of 101 sample pages were such. Ink continues from these strokes along 0.2 to 1.0 of their length (0.4
/// from all but the thick ones), from rulings along 0.15, and from long rulings that letters touch along at most 0.4.
constexpr double attached_of_letters = 0.2;
constexpr double attached_of_long_letters = 0.45;
/// In inches: the length of the longest word.
constexpr double longest_word = 1.5;
/// The blur of a stroke ends at this distance beyond its dark part, in inches, and at least in pixels.
constexpr double beyond_stroke = 0.008;
constexpr int least_beyond = 2;

struct Run {
  int across;  // row of a horizontal run, column of an upright one
  int begin;
  int end;
};

/// One direction of the search.
struct View {
  const GreyImage& image;
  bool horizontal;
};

int paper_luminance(const GreyImage& image) {
  std::array<std::size_t, 256> counts{};
  for (const std::uint8_t pixel : image.pixels) ++counts[pixel];
  // The paper is the grey of most of the page: the value below which the lightest quarter of the pixels ends.
  std::size_t left = image.pixels.size() / 4;
  for (int value = 255; value > 0; --value) {
    const std::size_t count = counts[static_cast<std::size_t>(value)];
    if (count >= left) return value;
    left -= count;
  }
  return 0;
}

/// Vertical runs grow column by column while the rows advance, so that memory is read in order in both directions.
std::vector<Run> find_runs(const View& view, int darkest_paper, int gap, int least, const Cancel& cancel) {
  const GreyImage& image = view.image;
  struct Open {
    int begin = -1;
    int last = -1;
  };
  std::vector<Run> runs;
  const auto close = [&](Open& open, int across) {
    if (open.begin >= 0 && open.last + 1 - open.begin >= least) runs.push_back({across, open.begin, open.last + 1});
    open = {};
  };
  const auto see = [&](Open& open, int across, int along) {
    if (open.begin >= 0 && along - open.last - 1 > gap) close(open, across);
    if (open.begin < 0) open.begin = along;
    open.last = along;
  };
  const auto width = static_cast<std::size_t>(image.width);
  std::vector<Open> columns(view.horizontal ? 0 : width);
  for (int y = 0; y < image.height; ++y) {
    if (y % 64 == 0) cancel.check();
    const std::uint8_t* row = image.pixels.data() + static_cast<std::size_t>(y) * width;
    Open open;
    for (int x = 0; x < image.width; ++x) {
      if (row[x] > darkest_paper) continue;
      if (view.horizontal) see(open, y, x);
      else see(columns[static_cast<std::size_t>(x)], x, y);
    }
    if (view.horizontal) close(open, y);
  }
  for (std::size_t x = 0; x < columns.size(); ++x) close(columns[x], static_cast<int>(x));
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.across != b.across ? a.across < b.across : a.begin < b.begin; });
  return runs;
}

/// Joins runs of neighbouring lines that overlap, or of which one ends where the other begins: a ruling that leans changes the line now and then.
Components connect(const std::vector<Run>& runs, int gap) {
  Components components(runs.size());
  std::size_t before = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    while (runs[before].across < runs[i].across - 1) ++before;
    for (std::size_t j = before; j < i && runs[j].across < runs[i].across; ++j) {
      if (runs[j].begin <= runs[i].end + gap && runs[i].begin <= runs[j].end + gap) components.join(i, j);
    }
  }
  return components;
}

struct Stroke {
  int begin = 0, end = 0;    // along
  int first = 0, last = 0;   // across
  std::int64_t area = 0;
  double moment = 0;  // sum of the positions across over its pixels
};

std::vector<Stroke> strokes_of(const std::vector<Run>& runs, Components& components) {
  std::vector<Stroke> strokes(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Stroke& stroke = strokes[components.find(i)];
    const Run& run = runs[i];
    if (stroke.area == 0) stroke = {run.begin, run.end, run.across, run.across, 0, 0};
    stroke.begin = std::min(stroke.begin, run.begin);
    stroke.end = std::max(stroke.end, run.end);
    stroke.first = std::min(stroke.first, run.across);
    stroke.last = std::max(stroke.last, run.across);
    stroke.area += run.end - run.begin;
    stroke.moment += (run.across + 0.5) * (run.end - run.begin);
  }
  return strokes;
}

bool is_ruling(const Stroke& stroke, int dpi) {
  if (stroke.area == 0) return false;
  const double length = stroke.end - stroke.begin;
  const double thickness = static_cast<double>(stroke.area) / length;
  // A line that leans by a degree rises by a 57th of its length.
  const double climb = stroke.last + 1 - stroke.first;
  return length >= shortest * dpi && thickness <= thickest * dpi && length >= 8 * thickness && climb <= thickness + std::max(2.0, length / 57);
}

/// The ink that touches a horizontal stroke, column by column.
class StrokeSides {
 public:
  StrokeSides(const GreyImage& image, const Stroke& stroke)
      : image_(image), begin_(stroke.begin), tops_(static_cast<std::size_t>(stroke.end - stroke.begin), image.height), bottoms_(tops_.size(), -1) {}

  void add(const Run& run) {
    for (int x = run.begin; x < run.end; ++x) {
      const auto column = static_cast<std::size_t>(x - begin_);
      tops_[column] = std::min(tops_[column], run.across);
      bottoms_[column] = std::max(bottoms_[column], run.across);
    }
  }

  /// Share of its columns with ink at this distance above or below. The ink of horizontal strokes (`runs`, sorted) does not count, because rulings may be double.
  double attached(int beyond, int darkest_paper, const std::vector<Run>& runs) const {
    std::size_t seen = 0, attached = 0;
    for (std::size_t column = 0; column < tops_.size(); ++column) {
      if (bottoms_[column] < 0) continue;
      ++seen;
      const auto is_dark = [&](int y) {
        const int x = begin_ + static_cast<int>(column);
        return y >= 0 && y < image_.height && image_.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(image_.width) + static_cast<std::size_t>(x)] <= darkest_paper && !is_in_run(runs, x, y);
      };
      if (is_dark(tops_[column] - beyond) || is_dark(bottoms_[column] + beyond)) ++attached;
    }
    return seen == 0 ? 0 : static_cast<double>(attached) / static_cast<double>(seen);
  }

 private:
  static bool is_in_run(const std::vector<Run>& runs, int x, int y) {
    const auto behind = std::upper_bound(runs.begin(), runs.end(), Run{y, x, 0}, [](const Run& a, const Run& b) { return a.across != b.across ? a.across < b.across : a.begin < b.begin; });
    return behind != runs.begin() && std::prev(behind)->across == y && x < std::prev(behind)->end;
  }

  const GreyImage& image_;
  int begin_;
  std::vector<int> tops_, bottoms_;
};

/// The horizontal strokes that the letters of a word form.
std::set<std::size_t> letters_among(const std::vector<Stroke>& strokes, const std::vector<Run>& runs, Components& components, const GreyImage& image, int darkest_paper, int dpi) {
  std::map<std::size_t, StrokeSides> sides;
  for (std::size_t i = 0; i < strokes.size(); ++i) {
    if (is_ruling(strokes[i], dpi)) sides.emplace(i, StrokeSides(image, strokes[i]));
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (const auto of = sides.find(components.find(i)); of != sides.end()) of->second.add(runs[i]);
  }
  const int beyond = std::max(least_beyond, static_cast<int>(beyond_stroke * dpi + 0.5));
  std::set<std::size_t> letters;
  for (const auto& [i, both] : sides) {
    const bool is_short = strokes[i].end - strokes[i].begin < longest_word * dpi;
    if (both.attached(beyond, darkest_paper, runs) > (is_short ? attached_of_letters : attached_of_long_letters)) letters.insert(i);
  }
  return letters;
}

void look_along(const View& view, int paper, int dpi, std::vector<Ruling>& found, const Cancel& cancel) {
  const int gap = std::max(1, static_cast<int>(widest_break * dpi));
  const std::vector<Run> runs = find_runs(view, paper - least_contrast, gap, std::max(8, dpi / 8), cancel);
  Components components = connect(runs, gap);
  const std::vector<Stroke> strokes = strokes_of(runs, components);
  std::set<std::size_t> letters;
  if (view.horizontal) letters = letters_among(strokes, runs, components, view.image, paper - least_contrast, dpi);
  for (std::size_t i = 0; i < strokes.size(); ++i) {
    const Stroke& stroke = strokes[i];
    if (!is_ruling(stroke, dpi) || letters.contains(i)) continue;
    const auto area = static_cast<double>(stroke.area);
    found.push_back({view.horizontal, static_cast<float>(stroke.moment / area), static_cast<float>(stroke.begin), static_cast<float>(stroke.end),
                     static_cast<float>(area / (stroke.end - stroke.begin))});
  }
}

/// Whether the ruling separates text. Stems of large letters meet arms of their own letter: therefore the rulings that it meets, or the ruling itself, must be longer than a letter is high.
bool parts_text(const Ruling& upright, const std::vector<Ruling>& rulings, int dpi) {
  const auto inch = static_cast<float>(dpi);
  const auto meets = [&](const Ruling& level) {
    const float reach = 0.03F * inch + level.thickness;
    return level.horizontal && level.end - level.start >= 1.5F * inch && upright.position > level.start - reach && upright.position < level.end + reach && level.position > upright.start - reach && level.position < upright.end + reach;
  };
  return !upright.horizontal && (upright.end - upright.start >= 1.5F * inch || std::any_of(rulings.begin(), rulings.end(), meets));
}

/// Removes a vertical ruling from a picture, row by row. Where a letter touches it, it removes the darkness that the ruling had in the previous row, so that the letter keeps its own.
class RuleWiper {
 public:
  RuleWiper(GreyImage& image, const Ruling& rule)
      : width_(image.width), thickness_(static_cast<double>(rule.thickness)), middle_(static_cast<double>(rule.position)),
        // The ruling may lean by a degree around its middle, so that its ends are further off.
        reach_(static_cast<int>(thickness_ + std::max(1.0, static_cast<double>(rule.end - rule.start) / 114))) {}

  void wipe(std::uint8_t* row) {
    const int expected = static_cast<int>(middle_);
    // Letters may stand on both sides, with paper between them and the ruling.
    const int paper = *std::max_element(row + std::clamp(expected - reach_ - 2, 0, width_ - 1), row + std::clamp(expected + reach_ + 3, 1, width_));
    const auto dark = [&](int x) { return x >= 0 && x < width_ && row[x] + least_contrast < paper; };
    int x = expected;
    for (int step = 1; step <= reach_ && !dark(x); ++step) x = dark(expected - step) ? expected - step : expected + step;
    if (!dark(x)) return;
    int left = x, right = x + 1;
    // A wider run is a horizontal ruling that crosses.
    const int widest = static_cast<int>(6 * thickness_) + 8;
    while (right - left <= widest && dark(left - 1)) --left;
    while (right - left <= widest && dark(right)) ++right;
    if (right - left > widest) return;
    if (right - left <= thickness_ + 1.5) {
      middle_ = (left + right) / 2.0;
      from_ = std::max(0, left - 1);
      darkness_.clear();
      for (int column = from_; column < std::min(width_, right + 1); ++column) darkness_.push_back(std::max(0, paper - row[column]));
      std::fill_n(row + from_, darkness_.size(), static_cast<std::uint8_t>(paper));
      return;
    }
    for (std::size_t i = 0; i < darkness_.size(); ++i) {
      std::uint8_t& pixel = row[from_ + static_cast<int>(i)];
      pixel = static_cast<std::uint8_t>(std::clamp(pixel + darkness_[i], static_cast<int>(pixel), std::max(paper, static_cast<int>(pixel))));
    }
  }

 private:
  int width_;
  double thickness_;
  double middle_;
  int reach_;
  // The last row in which the ruling stood alone.
  int from_ = 0;
  std::vector<int> darkness_;
};

}  // namespace

void wipe_upright_rulings(GreyImage& image, const std::vector<Ruling>& rulings, int dpi) {
  for (const Ruling& ruling : rulings) {
    if (!parts_text(ruling, rulings, dpi)) continue;
    RuleWiper wiper(image, ruling);
    for (int y = std::max(0, static_cast<int>(ruling.start)); y < std::min(image.height, static_cast<int>(ruling.end)); ++y) {
      wiper.wipe(image.pixels.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width));
    }
  }
}

std::vector<Ruling> find_rulings(const GreyImage& image, int dpi, const Cancel& cancel) {
  std::vector<Ruling> found;
  const int paper = paper_luminance(image);
  if (paper <= least_contrast) return found;  // a black page has no visible line
  look_along({image, true}, paper, dpi, found, cancel);
  look_along({image, false}, paper, dpi, found, cancel);
  return found;
}

}  // namespace lectern::vision
