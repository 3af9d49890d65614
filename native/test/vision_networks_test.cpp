// Readers of pages, layouts and tables over networks with known answers, over the pack's networks against readings of this file, and over broken ones.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "cpu/backend.h"
#include "harness.h"
#include "onnx_writer.h"
#include "options.h"
#include "page.h"
#include "sanitized.h"
#include "vision/layout.h"
#include "vision/page_reader.h"
#include "vision/table.h"
#include "vision_graphs.h"

namespace {

using namespace lectern;
using namespace lectern::test;
using namespace lectern::vision;
namespace fs = std::filesystem;

Backend& backend() {
  static const auto one = cpu::make_backend();
  return *one;
}
Place place() { return {backend(), backend(), 2, std::size_t{1} << 30}; }

/// A file for the time of a test.
struct Written {
  std::string path;
  Written(const std::string& name, const std::string& bytes) : path(written(name, bytes)) {}
  ~Written() { fs::remove(path); }
};

std::string said(const std::vector<ReadLine>& lines) {
  std::string text;
  for (const ReadLine& line : lines) {
    for (const ReadWord& word : line.words) text += (&word == &line.words[0] ? "" : " ") + word.text;
    text += "\n";
  }
  return text;
}

// Greys that a line's columns are painted in: value 2 g / 255 - 1 after the reader's mean and std. Paper is a space, the padding none.
const std::vector<float> levels{0.0F, -1.0F, -0.7F, -0.4F, 1.0F};
constexpr std::uint8_t grey_a = 0, grey_b = 38, grey_c = 77;

LECTERN_TEST("vision networks: a page is read by three networks, lines turned the right way up") {
  const Written detect("detect.onnx", darkness_network()), read("read.onnx", level_network({0.0F, -0.77F, -0.5F, -0.24F, 1.0F}, "a\nb\nc")), angle("angle.onnx", left_half_network());
  PageReaderOptions options;
  options.detector.file = detect.path;
  options.detector.shortest_side = 32;
  options.detector.map.threshold = 0.5F;
  options.detector.map.box_threshold = 0.5F;
  options.detector.map.unclip = 0.2;
  options.reader.file = read.path;
  options.reader.logits = true;
  options.reader.preparation.mean = options.reader.preparation.std = {0.5F, 0.5F, 0.5F};
  options.reader.least_width = 64;
  Page page(640, 480);
  // Two lines of 24 pixels' height. What the reader sees is 27.3 pixels high and has paper above and below: its levels are that much lighter.
  // Greys next to each other are next in lightness, and the lightest is at the ends: a column that holds two of them looks like no third.
  const auto paint = [&](double left, double top, const std::string& text) {
    for (const char letter : text) page.rectangle(left, top, left + 50, top + 24, letter == 'a' ? grey_a : letter == 'b' ? grey_b : grey_c), left += 50;
  };
  paint(100, 100, "cbaabcbc");
  paint(120, 300, "cbc");
  PageReader reader(options, place(), place());
  const ReadPage found = reader.read(page.bitmap(), 150, Cancel());
  check(said(found.lines) == "cbabcbc\ncbc\n", "it reads " + said(found.lines));
  if (found.lines.size() == 2 && found.lines[0].words.size() == 1) {
    const ReadWord& word = found.lines[0].words[0];
    // The box of pixel middles (399 x 23) grown by 0.2 * area / circumference = 2.17 pixels each way.
    check_near(word.box.top, 100.5 - 2.17, 1, "the top of its box");
    check_near(word.box.bottom, 123.5 + 2.17, 1, "the bottom");
    check(word.box.left >= 98 && word.box.left <= 101 && word.box.right >= 499 && word.box.right <= 502, "its sides are " + std::to_string(word.box.left) + " and " + std::to_string(word.box.right));
    check(word.confidence > 0.2F && word.confidence <= 1, "its confidence");
    check(found.lines[0].baseline_left_y > 112 && found.lines[0].baseline_left_y < 124 && found.lines[0].baseline_left_x < found.lines[0].baseline_right_x, "its baseline");
  } else {
    check(false, "two lines of one word");
  }
  const ReadPage line = reader.read_line(Page(200, 20, 0, 97).bitmap(), Cancel());
  check(said(line.lines) == "c\n", "a line from edge to edge");
  check(reader.read_line(Page(200, 20).bitmap(), Cancel()).lines.empty(), "blank paper is no line");
  check(reader.read(Page(64, 64).bitmap(), 150, Cancel()).lines.empty(), "a blank page has none");

  // Dark at the left means upside down to this classifier: the first line is read from its other end.
  options.angle = AngleOptions{angle.path, {}, 192, 48, 0.55F};
  PageReader turning(options, place(), place());
  const std::string turned_round = said(turning.read(page.bitmap(), 150, Cancel()).lines);
  check(turned_round == "cbcbabc\ncbc\n", "the one that is dark at its left is turned round: " + turned_round);
  Cancel cancel;
  cancel.request();
  check_throws(ErrorCode::cancelled, [&] { reader.read(page.bitmap(), 150, cancel); }, "a cancelled page");
}

LECTERN_TEST("vision networks: a line says the same alone and beside others, in a dictionary's letters") {
  const Written file("lines.onnx", level_network(levels)), words("lines.txt", "x\ny\nz\n");
  LineReaderOptions options;
  options.file = file.path;
  options.dictionary = words.path;
  options.logits = true;
  options.preparation.mean = options.preparation.std = {0.5F, 0.5F, 0.5F};
  options.least_width = 96;
  LineReader reader(options, place());
  std::mt19937 random(2);
  std::vector<Picture> lines;
  std::vector<std::string> texts;
  for (int i = 0; i < 12; ++i) {
    const int letters = 1 + pick(random, 9), height = 20 + pick(random, 60);
    Picture picture{0, height, {}};
    picture.width = letters * height;
    picture.pixels.resize(static_cast<std::size_t>(picture.width * height) * 4);
    std::string text;
    int last = -1;
    for (int k = 0; k < letters; ++k) {
      const int which = (last + 1 + pick(random, 3)) % 4;
      last = which;
      text += which == 3 ? ' ' : static_cast<char>('x' + which);
      const std::uint8_t greys[] = {grey_a, grey_b, grey_c, 255};
      for (int y = 0; y < height; ++y) std::fill_n(picture.pixels.begin() + (y * picture.width + k * height) * 4, height * 4, greys[which]);
    }
    lines.push_back(picture);
    texts.push_back(text);
  }
  const auto text_of = [](const LineLetters& line) {
    std::string text;
    for (const ReadLetter& letter : line.letters) text += letter.text;
    return text;
  };
  const auto together = reader.read(lines, Cancel());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const LineLetters alone = reader.read({lines[i]}, Cancel())[0];
    // Where two greys meet, a column may look like one between them.
    std::string strict;
    for (const ReadLetter& letter : together[i].letters) strict += letter.end - letter.begin > 2 ? letter.text : "";
    check(strict == texts[i], "it says " + strict + ", not " + texts[i]);
    const bool same = std::equal(alone.letters.begin(), alone.letters.end(), together[i].letters.begin(), together[i].letters.end(), [](const ReadLetter& a, const ReadLetter& b) { return a.text == b.text && a.begin == b.begin && a.confidence == b.confidence; });
    check(same && alone.filled == together[i].filled && !text_of(alone).empty(), "the same alone");
  }
  const auto refuses = [&](const std::string& dictionary, bool space, ErrorCode code, const std::string& what) {
    const Written other("other.txt", dictionary);
    LineReaderOptions changed = options;
    changed.dictionary = code == ErrorCode::model_not_found ? other.path + ".none" : other.path;
    changed.space = space;
    check_throws(code, [&] { LineReader(changed, place()); }, what);
  };
  refuses("x\ny\n", true, ErrorCode::invalid_model, "a dictionary that is too short");
  refuses("x\ny\nz\n", false, ErrorCode::invalid_model, "one without its space");
  refuses("x\ny\nz\nzz\n", true, ErrorCode::invalid_model, "one that is too long");
  refuses("", true, ErrorCode::model_not_found, "a missing one");
  options.dictionary.clear();
  check_throws(ErrorCode::invalid_model, [&] { LineReader(options, place()); }, "none at all");
}

const std::vector<std::string> three_labels{"text", "table", "picture"};

LECTERN_TEST("vision networks: layouts of chosen answers, in every form, alone and together") {
  const std::vector<float> logits{2, -9, -9, -9, 1, -9, -9, -9, -9}, boxes{0.5F, 0.5F, 0.5F, 0.25F, 0.25F, 0.75F, 0.5F, 0.5F, 0.1F, 0.1F, 0.1F, 0.1F};
  LayoutOptions options;
  options.labels = three_labels;
  options.threshold = 0.5F;
  options.width = options.height = 16;
  const auto sees = [&](const std::vector<NamedFloats>& answers, LayoutAnswer answer, const Bitmap& page) {
    const Written file("layout.onnx", answering_network(answers));
    options.file = file.path;
    options.answer = answer;
    return LayoutFinder(options, place()).find({&page, 1}, Cancel())[0];
  };
  const Page dark(320, 160, 0, 0);
  const auto expect = [](const std::vector<Region>& regions, const std::string& title) {
    if (!check(regions.size() == 2, title + ": " + std::to_string(regions.size()) + " regions")) return;
    check(regions[0].label == 0 && regions[1].label == 1 && regions[0].score > regions[1].score, title + ": the surest first");
    check_near(regions[0].left, 80, 1e-3, title + ": left");
    check_near(regions[0].right, 240, 1e-3, title + ": right");
    check_near(regions[0].top, 60, 1e-3, title + ": top");
    check_near(regions[0].bottom, 100, 1e-3, title + ": bottom");
    check_near(regions[1].left, 0, 1e-3, title + ": the second, left");
    check_near(regions[1].bottom, 160, 1e-3, title + ": the second, bottom");
  };
  expect(sees({{"logits", {3, 3}, logits}, {"pred_boxes", {3, 4}, boxes}}, LayoutAnswer::queries, dark.bitmap()), "queries");
  expect(sees({{"rows", {3, 6}, {4, 6, 12, 10, 0.9F, 0, 0, 8, 8, 16, 0.6F, 1, 1, 1, 2, 2, 0.1F, 2}}}, LayoutAnswer::finished_rows, dark.bitmap()), "finished rows");
  // Three places, the last one a worse twin of the first.
  expect(sees({{"y", {7, 3}, {8, 4, 8.1F, 8, 12, 8, 8, 8, 8, 4, 8, 4, 0.9F, 0, 0.8F, 0.1F, 0.7F, 0, 0, 0, 0}}}, LayoutAnswer::places, dark.bitmap()), "places");

  const Written file("batch.onnx", answering_network({{"logits", {3, 3}, logits}, {"boxes", {3, 4}, boxes}}));
  options.file = file.path;
  options.answer = LayoutAnswer::queries;
  LayoutFinder finder(options, place());
  std::vector<Page> pages;
  std::vector<Bitmap> bitmaps;
  for (int i = 0; i < 9; ++i) pages.emplace_back(40 + 13 * i, 90 - 7 * i, 0, static_cast<std::uint8_t>(i * 25));
  for (const Page& page : pages) bitmaps.push_back(page.bitmap());
  const auto together = finder.find(bitmaps, Cancel());
  check(together.size() == 9 && together[0][0].score < together[8][0].score, "one answer a page, each by its own picture");
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const auto alone = finder.find({&bitmaps[i], 1}, Cancel())[0];
    check(std::equal(alone.begin(), alone.end(), together[i].begin(), together[i].end(), [](const Region& a, const Region& b) { return a.label == b.label && a.score == b.score && a.left == b.left && a.bottom == b.bottom; }), "page " + std::to_string(i) + " alone");
  }
}

LECTERN_TEST("vision networks: a table's cells and their places") {
  // Words: sos, <tr>, <td></td>, <td, colspan, >, </tr>, eos; boxes relative to the table in its padded picture.
  const Written words("table.txt", "<tr>\n<td>\n<td\n colspan=\"2\"\n>\n</tr>\n");
  const std::vector<int> written{1, 2, 2, 5, 1, 3, 7, 7};
  // The makers' order: `<td>` leaves, `<td></td>` comes last.
  const std::vector<std::string> order{"sos", "<tr>", "<td", " colspan=\"2\"", ">", "</tr>", "<td></td>", "eos"};
  const std::vector<std::string> wanted{"<tr>", "<td></td>", "<td></td>", "</tr>", "<tr>", "<td", " colspan=\"2\"", ">", "</tr>", "eos"};
  std::vector<float> probabilities, boxes;
  for (std::size_t step = 0; step < wanted.size(); ++step) {
    for (const std::string& word : order) probabilities.push_back(word == wanted[step] ? 0.75F : 0.0F);
    for (int k = 0; k < 8; ++k) boxes.push_back(static_cast<float>(step) / 10 + static_cast<float>(k % 2) / 20);
  }
  for (const bool padded : {false, true}) {
    const Written file("table.onnx", answering_network({{"loc", {10, 8}, boxes}, {"words", {10, 8}, probabilities}}));
    TableOptions options;
    options.file = file.path;
    options.dictionary = words.path;
    options.padded_boxes = padded;
    options.preparation.fit = Fit::corner;
    const Page page(160, 80, 0, 0);
    const FoundTable table = TableFinder(options, place()).find(page.bitmap(), Cancel());
    check(table.grid.rows == 2 && table.grid.columns == 2 && table.cells.size() == 3, "its grid");
    check_near(static_cast<double>(table.score), 0.75, 1e-6, "its score");
    if (table.cells.size() != 3) continue;
    check(table.cells[2].cell.row == 1 && table.cells[2].cell.column_span == 2, "a cell over two columns");
    // Step 1: 0.1 of the table's width and 0.15 of its height; the padded picture is as high as wide.
    check_near(table.cells[0].box[0].x, 16, 1e-3, "a box, x");
    check_near(table.cells[0].box[0].y, padded ? 24 : 12, 1e-3, "a box, y");
  }
  TableOptions options;
  const Written file("table.onnx", answering_network({{"loc", {10, 8}, boxes}, {"words", {10, 8}, probabilities}})), few("few.txt", "<tr>\n");
  options.file = file.path;
  options.dictionary = few.path;
  check_throws(ErrorCode::invalid_model, [&] { TableFinder(options, place()).find(Page(20, 20).bitmap(), Cancel()); }, "a dictionary of another size");
}

LECTERN_TEST("vision networks: broken networks are refused with a reason, and none brings anything down") {
  const auto refused = [](const std::string& bytes, LayoutAnswer answer, const std::string& what, ErrorCode code = ErrorCode::invalid_model) {
    const Written file("broken.onnx", bytes);
    LayoutOptions options;
    options.file = file.path;
    options.answer = answer;
    options.labels = three_labels;
    check_throws(code, [&] {
      LayoutFinder finder(options, place());
      const Page page(50, 40);
      const Bitmap bitmap = page.bitmap();
      finder.find({&bitmap, 1}, Cancel());
    }, what);
  };
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
  refused(answering_network({{"logits", {1, 3}, {nan, 0, 0}}, {"boxes", {1, 4}, {0, 0, 1, 1}}}), LayoutAnswer::queries, "logits that are no numbers");
  refused(answering_network({{"logits", {1, 3}, {1, 0, 0}}, {"boxes", {1, 4}, {0, infinite, 1, 1}}}), LayoutAnswer::queries, "boxes without end");
  refused(answering_network({{"logits", {1, 2}, {1, 0}}, {"boxes", {1, 4}, {0, 0, 1, 1}}}), LayoutAnswer::queries, "another number of labels");
  refused(answering_network({{"logits", {1, 3}, {1, 0, 0}}, {"boxes", {2, 4}, {0, 0, 1, 1, 0, 0, 1, 1}}}), LayoutAnswer::queries, "more boxes than queries");
  refused(answering_network({{"logits", {1, 3}, {1, 0, 0}}}), LayoutAnswer::queries, "no boxes");
  refused(answering_network({{"y", {6}, {1, 2, 3, 4, 5, 6}}}), LayoutAnswer::finished_rows, "rows in one row");
  refused(answering_network({{"y", {1, 5}, {1, 2, 3, 4, 5}}}), LayoutAnswer::finished_rows, "rows of five numbers");
  refused(answering_network({{"y", {1, 6}, {1, 2, 3, 4, 1, 9}}}), LayoutAnswer::finished_rows, "a label that there is not");
  refused(answering_network({{"y", {8, 1}, {1, 2, 3, 4, 1, 9, 1, 1}}}), LayoutAnswer::places, "places with another number of labels");
  refused(answering_network({{"y", {3, 1}, {1, 2, 3}}}), LayoutAnswer::places, "places without labels");
  refused(darkness_network(), LayoutAnswer::selected, "no selection");
  refused("no network", LayoutAnswer::places, "no network at all");
  OnnxGraph grey;
  grey.input("x", Element::f32, {1, 1, 16, 16}).node(OnnxNode("Abs", {"x"}, {"y"})).output("y", Element::f32, {1, 1, 16, 16});
  refused(grey.model(), LayoutAnswer::places, "one channel");
  OnnxGraph many;
  many.input("x", Element::f32, {6, 3, 16, 16}).node(OnnxNode("Abs", {"x"}, {"y"})).output("y", Element::f32, {6, 3, 16, 16});
  refused(many.model(), LayoutAnswer::places, "six pictures at once");
  OnnxGraph two;
  two.input("x", Element::f32, {1, 3, 16, 16}).input("z", Element::f32, {1}).node(OnnxNode("Add", {"x", "z"}, {"y"})).output("y", Element::f32, {1, 3, 16, 16});
  refused(two.model(), LayoutAnswer::places, "a second input");
  DetectorOptions detector;
  detector.file = "/nowhere/detector.onnx";
  check_throws(ErrorCode::model_not_found, [&] { TextDetector(detector, place()); }, "a file that is not there");
  // A huge picture costs what its card says, not what it is.
  const Written dark("huge.onnx", darkness_network());
  detector.file = dark.path;
  detector.longest_side = 320;
  const std::vector<std::uint8_t> row(static_cast<std::size_t>(max_side) * 4, 255);
  check(TextDetector(detector, place()).find({row.data(), max_side, sanitized ? 64 : 512, 0}, Cancel()).empty(), "a huge picture");
  const Place small{backend(), backend(), 1, 1 << 16};
  check_throws(ErrorCode::too_large, [&] { TextDetector(detector, small).find(Page(300, 300).bitmap(), Cancel()); }, "a network that needs more than it may have");
}

/// The outputs of a pack's network for a page, by its own plain way to the picture.
struct PackNetwork {
  fs::path file;
  std::vector<onnx::Output> run(const std::vector<float>& picture, int height, int width) const {
    onnx::Network network = onnx::Network::open(file, backend(), {.threads = 2});
    const onnx::Input input{network.inputs()[0].name, Element::f32, {1, 3, height, width}, picture.data()};
    return network.run({&input, 1});
  }
};

std::vector<fs::path> nets() {
  std::vector<fs::path> found;
  for (const fs::path& pack : onnx_packs()) {
    if (fs::exists(pack / "nets")) found.push_back(pack / "nets");
    else note("skipped: there is no ONNX pack at " + pack.string());
  }
  if (found.empty()) check(true, "nothing to check");
  return found;
}

Page busy_page() {
  std::mt19937 random(4);
  Page page(420, 300);
  page.text(30, 30, 200, 270, 7, random);
  page.rectangle(230, 40, 400, 140, 90);
  page.text(230, 160, 400, 270, 7, random);
  return page;
}

/// Every region that the test's own reading has is there, and no other.
void compare_regions(const std::vector<Region>& mine, std::vector<Region> plain, const std::string& title) {
  check(!plain.empty(), title + ": there is something to see");
  check(mine.size() == plain.size(), title + ": " + std::to_string(mine.size()) + " regions, not " + std::to_string(plain.size()));
  for (const Region& region : mine) {
    const auto found = std::find_if(plain.begin(), plain.end(), [&](const Region& other) {
      return other.label == region.label && std::abs(other.score - region.score) < 1e-4F && std::abs(other.left - region.left) < 0.05 && std::abs(other.top - region.top) < 0.05 && std::abs(other.right - region.right) < 0.05 && std::abs(other.bottom - region.bottom) < 0.05;
    });
    if (check(found != plain.end(), title + ": a region of label " + std::to_string(region.label) + " is not there")) plain.erase(found);
  }
}

LECTERN_TEST("vision networks: layouts of the pack's networks, against readings of their outputs by hand") {
  const Page page = busy_page();
  const Bitmap bitmap = page.bitmap();
  for (const fs::path& folder : nets()) {
    const auto compare = [&](const std::string& name, LayoutAnswer answer, int labels, int width, int height, float threshold, auto plain) {
      if (!fs::exists(folder / name)) return;
      LayoutOptions options;
      options.file = folder / name / "model.onnx";
      options.answer = answer;
      options.preparation = {Fit::centre, false, {0, 0, 0}, {1, 1, 1}, 114.0F / 255};
      options.width = width;
      options.height = height;
      options.labels.assign(static_cast<std::size_t>(labels), "label");
      options.threshold = threshold;
      options.most_regions = 10'000;
      const auto mine = LayoutFinder(options, place()).find({&bitmap, 1}, Cancel())[0];
      std::vector<float> picture(3 * static_cast<std::size_t>(width * height));
      prepare(bitmap, width, height, options.preparation, picture, Cancel());
      std::vector<Region> regions;
      const double ratio = std::min(width / 420.0, height / 300.0);
      // The page's own pixels in the picture are whole ones, so its two scales differ a little.
      const double inner_width = std::floor(420 * ratio + 0.5), inner_height = std::floor(300 * ratio + 0.5);
      const double left = std::floor((width - inner_width) / 2), top = std::floor((height - inner_height) / 2);
      const auto add = [&](int label, float score, double x0, double y0, double x1, double y1) {
        Region region{label, score, (x0 - left) * 420 / inner_width, (y0 - top) * 300 / inner_height, (x1 - left) * 420 / inner_width, (y1 - top) * 300 / inner_height};
        region.left = std::clamp(region.left, 0.0, 420.0), region.right = std::clamp(region.right, 0.0, 420.0);
        region.top = std::clamp(region.top, 0.0, 300.0), region.bottom = std::clamp(region.bottom, 0.0, 300.0);
        if (region.left < region.right && region.top < region.bottom) regions.push_back(region);
      };
      plain(PackNetwork{options.file}.run(picture, height, width), add);
      compare_regions(mine, regions, name);
    };
    compare("rtdetrv2_small", LayoutAnswer::queries, 17, 192, 192, 0.5F, [](const std::vector<onnx::Output>& outputs, auto add) {
      const auto logits = outputs[0].as<float>(), boxes = outputs[1].as<float>();
      std::vector<float> sorted(logits.begin(), logits.end());
      std::nth_element(sorted.begin(), sorted.begin() + 39, sorted.end(), std::greater<>());
      for (std::size_t i = 0; i < logits.size(); ++i) {
        const double score = 1 / (1 + std::exp(-static_cast<double>(logits[i])));
        if (score < 0.5 || logits[i] < sorted[39]) continue;
        const auto at = [&](std::size_t k) { return 192 * static_cast<double>(boxes[i / 17 * 4 + k]); };
        add(static_cast<int>(i % 17), static_cast<float>(score), at(0) - at(2) / 2, at(1) - at(3) / 2, at(0) + at(2) / 2, at(1) + at(3) / 2);
      }
    });
    compare("yolo_small", LayoutAnswer::places, 11, 192, 160, 0.75F, [](const std::vector<onnx::Output>& outputs, auto add) {
      const auto values = outputs[0].as<float>();
      const auto places = static_cast<std::size_t>(outputs[0].shape[2]);
      struct Box { int label; float score; double x0, y0, x1, y1; };
      std::vector<Box> left;
      for (std::size_t p = 0; p < places; ++p) {
        Box box{0, -1, 0, 0, 0, 0};
        for (int k = 0; k < 11; ++k) if (values[static_cast<std::size_t>(4 + k) * places + p] > box.score) box.label = k, box.score = values[static_cast<std::size_t>(4 + k) * places + p];
        const auto at = [&](std::size_t k) { return static_cast<double>(values[k * places + p]); };
        if (box.score >= 0.75F) left.push_back({box.label, box.score, at(0) - at(2) / 2, at(1) - at(3) / 2, at(0) + at(2) / 2, at(1) + at(3) / 2});
      }
      while (!left.empty()) {
        const Box best = *std::max_element(left.begin(), left.end(), [](const Box& a, const Box& b) { return a.score < b.score; });
        add(best.label, best.score, best.x0, best.y0, best.x1, best.y1);
        std::erase_if(left, [&](const Box& one) {
          const double shared = std::max(0.0, std::min(one.x1, best.x1) - std::max(one.x0, best.x0)) * std::max(0.0, std::min(one.y1, best.y1) - std::max(one.y0, best.y0));
          const auto area = [](const Box& b) { return std::max(0.0, b.x1 - b.x0) * std::max(0.0, b.y1 - b.y0); };
          return one.label == best.label && (shared > 0.7 * (area(one) + area(best) - shared) || (one.x0 == best.x0 && one.y0 == best.y0 && one.score == best.score && one.x1 == best.x1));
        });
      }
    });
    compare("yolo_small_e2e", LayoutAnswer::finished_rows, 11, 128, 160, 0.3F, [](const std::vector<onnx::Output>& outputs, auto add) {
      const auto rows = outputs[0].as<float>();
      for (std::size_t i = 0; i < rows.size(); i += 6) if (rows[i + 4] >= 0.3F) add(static_cast<int>(rows[i + 5]), rows[i + 4], static_cast<double>(rows[i]), static_cast<double>(rows[i + 1]), static_cast<double>(rows[i + 2]), static_cast<double>(rows[i + 3]));
    });
    compare("yolo_small_nms", LayoutAnswer::selected, 11, 160, 128, 0.35F, [](const std::vector<onnx::Output>& outputs, auto add) {
      const auto boxes = outputs[0].as<float>(), scores = outputs[1].as<float>();
      const auto selected = outputs[2].as<std::int64_t>();
      for (std::size_t i = 0; i < scores.size(); ++i) if (scores[i] >= 0.35F) add(static_cast<int>(selected[i * 3 + 1]), scores[i], static_cast<double>(boxes[i * 4]), static_cast<double>(boxes[i * 4 + 1]), static_cast<double>(boxes[i * 4 + 2]), static_cast<double>(boxes[i * 4 + 3]));
    });
  }
}

LECTERN_TEST("vision networks: text and tables of the pack's networks, against readings of their outputs by hand") {
  const Page page = busy_page();
  const Bitmap bitmap = page.bitmap();
  for (const fs::path& folder : nets()) {
    DetectorOptions detector;
    detector.file = folder / "ppocrv4_det_mobile" / "model.onnx";
    detector.preparation = {Fit::stretch, true, {0.485F, 0.456F, 0.406F}, {0.229F, 0.224F, 0.225F}, std::nullopt};
    detector.shortest_side = 96;
    detector.longest_side = 416;
    const auto found = TextDetector(detector, place()).find(bitmap, Cancel());
    std::vector<float> picture(3 * 416 * 288);
    prepare(bitmap, 416, 288, detector.preparation, picture, Cancel());
    const auto map = PackNetwork{detector.file}.run(picture, 288, 416);
    const auto plain = find_text_boxes(map[0].as<float>(), 416, 288, detector.map, Cancel());
    check(found.size() == plain.size(), "the map's boxes, on the page: " + std::to_string(found.size()));
    for (std::size_t i = 0; i < std::min(found.size(), plain.size()); ++i) check_near(found[i].corners[1].x, std::clamp(plain[i].corners[1].x * 420 / 416, 0.0, 420.0), 1e-6, "a box's corner");

    std::string dictionary;
    for (int i = 0; i < 95; ++i) dictionary += static_cast<char>(33 + i), dictionary += '\n';
    const Written words("pack.txt", dictionary);
    LineReaderOptions reader;
    reader.file = folder / "ppocrv4_rec_mobile" / "model.onnx";
    reader.dictionary = words.path;
    reader.preparation.mean = reader.preparation.std = {0.5F, 0.5F, 0.5F};
    const Picture line = cut_quad(bitmap, {Point{30, 30}, {200, 30}, {200, 60}, {30, 60}}, Cancel());
    const LineLetters letters = LineReader(reader, place()).read({line}, Cancel())[0];
    std::vector<float> padded(3 * 48 * 320, 0), inner(3 * 48 * 272);
    prepare(line.bitmap(), 272, 48, reader.preparation, inner, Cancel());
    for (std::size_t row = 0; row < 3 * 48; ++row) std::copy_n(inner.data() + row * 272, 272, padded.data() + row * 320);
    const auto probabilities = PackNetwork{reader.file}.run(padded, 48, 320);
    std::string text, mine;
    for (int x = 0, last = 0; x < 40; ++x) {
      const float* column = probabilities[0].as<float>().data() + x * 97;
      const int best = static_cast<int>(std::max_element(column, column + 97) - column);
      if (best != 0 && best != last) text += best == 96 ? ' ' : static_cast<char>(32 + best);
      last = best;
    }
    for (const ReadLetter& letter : letters.letters) mine += letter.text;
    check(!text.empty() && mine == text, "a line says " + mine + ", not " + text);
    check_near(letters.filled, 34, 1e-9, "the line fills 272 of 320 columns");

    std::string structure = "<tr>\n<td>\n<td\n>\n</tr>\n</td>\n<thead>\n</thead>\n<tbody>\n</tbody>\n";
    for (int i = 2; i < 11; ++i) structure += " colspan=\"" + std::to_string(i) + "\"\n rowspan=\"" + std::to_string(i) + "\"\n";
    const Written html("html.txt", structure);
    TableOptions table;
    table.file = folder / "slanet_small" / "model.onnx";
    table.dictionary = html.path;
    table.preparation = {Fit::corner, true, {0.485F, 0.456F, 0.406F}, {0.229F, 0.224F, 0.225F}, std::nullopt};
    table.width = table.height = 160;
    const FoundTable mine_table = TableFinder(table, place()).find(bitmap, Cancel());
    std::vector<float> square(3 * 160 * 160);
    prepare(bitmap, 160, 160, table.preparation, square, Cancel());
    const auto outputs = PackNetwork{table.file}.run(square, 160, 160);
    std::vector<std::string> names = lines_of(structure), spoken;
    names.erase(names.begin() + 1);
    names.insert(names.begin(), "sos");
    names.push_back("<td></td>");
    names.push_back("eos");
    check(names.size() == 30, "the test's dictionary");
    for (std::size_t step = 0; step < 24; ++step) {
      const float* row = outputs[1].as<float>().data() + step * 30;
      const auto best = static_cast<std::size_t>(std::max_element(row, row + 30) - row);
      if (step > 0 && best == 29) break;
      spoken.push_back(names[best]);
    }
    const auto expected = cells_of(spoken);
    check(mine_table.cells.size() == expected.size(), "as many cells as its words have: " + std::to_string(expected.size()));
    for (std::size_t i = 0; i < std::min(expected.size(), mine_table.cells.size()); ++i) {
      const float* box = outputs[0].as<float>().data() + expected[i].step * 8;
      check_near(mine_table.cells[i].box[0].x, std::clamp(static_cast<double>(box[0]) * 420, 0.0, 420.0), 1e-3, "a cell's corner");
      check_near(mine_table.cells[i].box[2].y, std::clamp(static_cast<double>(box[5]) * 300, 0.0, 300.0), 3, "the opposite one");
    }
  }
}

}  // namespace
