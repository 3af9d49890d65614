// Readers of pages, layouts and tables over networks with known outputs, and over broken ones. The pack's networks: vision_pack_test.cpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "harness.h"
#include "onnx_writer.h"
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
  // Greys next to each other are next in lightness, and the lightest is at the ends: a column that holds two of them resembles no third.
  const auto paint = [&](double left, double top, const std::string& text) {
    for (const char letter : text) page.rectangle(left, top, left + 50, top + 24, letter == 'a' ? grey_a : letter == 'b' ? grey_b : grey_c), left += 50;
  };
  paint(100, 100, "cbaabcbc");
  paint(120, 300, "cbc");
  PageReader reader(options, place(), place());
  const ReadPage found = read_alone(reader, {page.bitmap(), 150});
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
  const Page grey_line(200, 20, 0, 97), blank_line(200, 20);
  const ReadPage line = read_alone(reader, {grey_line.bitmap(), 150, true});
  check(said(line.lines) == "c\n", "a line from edge to edge");
  check(read_alone(reader, {blank_line.bitmap(), 150, true}).lines.empty(), "blank paper is no line");
  check(read_alone(reader, {Page(64, 64).bitmap(), 150}).lines.empty(), "a blank page has none");

  // Dark at the left means upside down to this classifier: the first line is read from its other end.
  options.angle = AngleOptions{angle.path, {}, 192, 48, 0.55F};
  PageReader turning(options, place(), place());
  const std::string turned_round = said(read_alone(turning, {page.bitmap(), 150}).lines);
  check(turned_round == "cbcbabc\ncbc\n", "the one that is dark at its left is turned round: " + turned_round);

  // Lines of several pages go through the networks beside each other: what each says does not depend on it.
  Page other(500, 400);
  for (int i = 0; i < 70; ++i) {
    if (i % 10 != 9) other.rectangle(20 + 45.0 * (i % 10), 10 + 50.0 * (i / 10), 60 + 45.0 * (i % 10), 34 + 50.0 * (i / 10), i % 3 == 0 ? grey_a : grey_b);
  }
  const std::vector<PageRequest> pages{{page.bitmap(), 150}, {grey_line.bitmap(), 150, true}, {other.bitmap(), 150}, {page.bitmap(), 150}};
  const std::vector<ReadPage> together = turning.read(pages, Cancel());
  check(together.size() == 4 && together[2].lines.size() > 6 && together[0].lines.size() == 2, "each its own lines");
  for (std::size_t i = 0; i < together.size(); ++i) {
    const ReadPage alone = read_alone(turning, pages[i]);
    bool same = alone.lines.size() == together[i].lines.size();
    for (std::size_t k = 0; same && k < alone.lines.size(); ++k) {
      same = std::equal(alone.lines[k].words.begin(), alone.lines[k].words.end(), together[i].lines[k].words.begin(), together[i].lines[k].words.end(), [](const ReadWord& a, const ReadWord& b) {
        return a.text == b.text && a.confidence == b.confidence && a.box.left == b.box.left && a.box.top == b.box.top && a.box.right == b.box.right && a.box.bottom == b.box.bottom;
      });
    }
    check(same, "page " + std::to_string(i) + " says the same alone and beside others, to the bit");
  }
  Cancel cancel;
  cancel.request();
  check_throws(ErrorCode::cancelled, [&] { read_alone(reader, {page.bitmap(), 150}, cancel); }, "a cancelled page");
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
    // Where two greys meet, a column may resemble one between them.
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

LECTERN_TEST("vision networks: layouts of chosen outputs, in every form, alone and together") {
  const std::vector<float> logits{2, -9, -9, -9, 1, -9, -9, -9, -9}, boxes{0.5F, 0.5F, 0.5F, 0.25F, 0.25F, 0.75F, 0.5F, 0.5F, 0.1F, 0.1F, 0.1F, 0.1F};
  LayoutOptions options;
  options.labels = three_labels;
  options.threshold = 0.5F;
  options.width = options.height = 16;
  const auto sees = [&](const std::vector<NamedFloats>& tensors, LayoutOutputs outputs, const Bitmap& page) {
    const Written file("layout.onnx", network_with_outputs(tensors));
    options.file = file.path;
    options.outputs = outputs;
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
  expect(sees({{"logits", {3, 3}, logits}, {"pred_boxes", {3, 4}, boxes}}, LayoutOutputs::queries, dark.bitmap()), "queries");
  expect(sees({{"rows", {3, 6}, {4, 6, 12, 10, 0.9F, 0, 0, 8, 8, 16, 0.6F, 1, 1, 1, 2, 2, 0.1F, 2}}}, LayoutOutputs::finished_rows, dark.bitmap()), "finished rows");
  // Three places, the last one a worse twin of the first.
  expect(sees({{"y", {7, 3}, {8, 4, 8.1F, 8, 12, 8, 8, 8, 8, 4, 8, 4, 0.9F, 0, 0.8F, 0.1F, 0.7F, 0, 0, 0, 0}}}, LayoutOutputs::places, dark.bitmap()), "places");

  const Written file("batch.onnx", network_with_outputs({{"logits", {3, 3}, logits}, {"boxes", {3, 4}, boxes}}));
  options.file = file.path;
  options.outputs = LayoutOutputs::queries;
  LayoutFinder finder(options, place());
  std::vector<Page> pages;
  std::vector<Bitmap> bitmaps;
  for (int i = 0; i < 9; ++i) pages.emplace_back(40 + 13 * i, 90 - 7 * i, 0, static_cast<std::uint8_t>(i * 25));
  for (const Page& page : pages) bitmaps.push_back(page.bitmap());
  const auto together = finder.find(bitmaps, Cancel());
  check(together.size() == 9 && together[0][0].score < together[8][0].score, "one result a page, each by its own picture");
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
    const Written file("table.onnx", network_with_outputs({{"loc", {10, 8}, boxes}, {"words", {10, 8}, probabilities}}));
    TableOptions options;
    options.file = file.path;
    options.dictionary = words.path;
    options.padded_boxes = padded;
    options.preparation.fit = Fit::corner;
    const Page page(160, 80, 0, 0);
    const FoundTable table = found_alone(TableFinder(options, place()), page.bitmap());
    check(table.grid.rows == 2 && table.grid.columns == 2 && table.cells.size() == 3, "its grid");
    check_near(static_cast<double>(table.score), 0.75, 1e-6, "its score");
    if (table.cells.size() != 3) continue;
    check(table.cells[2].cell.row == 1 && table.cells[2].cell.column_span == 2, "a cell over two columns");
    // Step 1: 0.1 of the table's width and 0.15 of its height; the padded picture is as high as wide.
    check_near(table.cells[0].box[0].x, 16, 1e-3, "a box, x");
    check_near(table.cells[0].box[0].y, padded ? 24 : 12, 1e-3, "a box, y");
  }
  {
    // Four tables, and one more: each has the box that its own picture gives it.
    const Written file("tables.onnx", network_with_outputs({{"loc", {10, 8}, boxes}, {"words", {10, 8}, probabilities}}));
    TableOptions options;
    options.file = file.path;
    options.dictionary = words.path;
    TableFinder finder(options, place());
    std::vector<Page> pages;
    for (int i = 0; i < 5; ++i) pages.emplace_back(160 + 20 * i, 80, 0, static_cast<std::uint8_t>(40 * i));
    std::vector<Bitmap> bitmaps;
    for (const Page& page : pages) bitmaps.push_back(page.bitmap());
    const auto together = finder.find(bitmaps, Cancel());
    check(finder.batch() == 4 && together.size() == 5 && together[0].cells[0].box[0].x != together[4].cells[0].box[0].x, "tables beside each other");
    for (std::size_t i = 0; i < together.size(); ++i) {
      const FoundTable alone = found_alone(finder, bitmaps[i]);
      check(std::equal(alone.cells.begin(), alone.cells.end(), together[i].cells.begin(), together[i].cells.end(), [](const FoundCell& a, const FoundCell& b) { return a.cell.row == b.cell.row && a.cell.column == b.cell.column && a.box[0].x == b.box[0].x && a.box[2].y == b.box[2].y; }) && alone.score == together[i].score, "table " + std::to_string(i) + " is the same alone, to the bit");
    }
  }
  TableOptions options;
  const Written file("table.onnx", network_with_outputs({{"loc", {10, 8}, boxes}, {"words", {10, 8}, probabilities}})), few("few.txt", "<tr>\n");
  options.file = file.path;
  options.dictionary = few.path;
  check_throws(ErrorCode::invalid_model, [&] { found_alone(TableFinder(options, place()), Page(20, 20).bitmap()); }, "a dictionary of another size");
}

LECTERN_TEST("vision networks: broken networks are refused with a reason, and none brings anything down") {
  const auto refused = [](const std::string& bytes, LayoutOutputs outputs, const std::string& what, ErrorCode code = ErrorCode::invalid_model) {
    const Written file("broken.onnx", bytes);
    LayoutOptions options;
    options.file = file.path;
    options.outputs = outputs;
    options.labels = three_labels;
    check_throws(code, [&] {
      LayoutFinder finder(options, place());
      const Page page(50, 40);
      const Bitmap bitmap = page.bitmap();
      finder.find({&bitmap, 1}, Cancel());
    }, what);
  };
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
  refused(network_with_outputs({{"logits", {1, 3}, {nan, 0, 0}}, {"boxes", {1, 4}, {0, 0, 1, 1}}}), LayoutOutputs::queries, "logits that are no numbers");
  refused(network_with_outputs({{"logits", {1, 3}, {1, 0, 0}}, {"boxes", {1, 4}, {0, infinite, 1, 1}}}), LayoutOutputs::queries, "boxes without end");
  refused(network_with_outputs({{"logits", {1, 2}, {1, 0}}, {"boxes", {1, 4}, {0, 0, 1, 1}}}), LayoutOutputs::queries, "another number of labels");
  refused(network_with_outputs({{"logits", {1, 3}, {1, 0, 0}}, {"boxes", {2, 4}, {0, 0, 1, 1, 0, 0, 1, 1}}}), LayoutOutputs::queries, "more boxes than queries");
  refused(network_with_outputs({{"logits", {1, 3}, {1, 0, 0}}}), LayoutOutputs::queries, "no boxes");
  refused(network_with_outputs({{"y", {6}, {1, 2, 3, 4, 5, 6}}}), LayoutOutputs::finished_rows, "rows in one row");
  refused(network_with_outputs({{"y", {1, 5}, {1, 2, 3, 4, 5}}}), LayoutOutputs::finished_rows, "rows of five numbers");
  refused(network_with_outputs({{"y", {1, 6}, {1, 2, 3, 4, 1, 9}}}), LayoutOutputs::finished_rows, "a label that there is not");
  refused(network_with_outputs({{"y", {8, 1}, {1, 2, 3, 4, 1, 9, 1, 1}}}), LayoutOutputs::places, "places with another number of labels");
  refused(network_with_outputs({{"y", {3, 1}, {1, 2, 3}}}), LayoutOutputs::places, "places without labels");
  refused(darkness_network(), LayoutOutputs::selected, "no selection");
  refused("no network", LayoutOutputs::places, "no network at all");
  OnnxGraph grey;
  grey.input("x", Element::f32, {1, 1, 16, 16}).node(OnnxNode("Abs", {"x"}, {"y"})).output("y", Element::f32, {1, 1, 16, 16});
  refused(grey.model(), LayoutOutputs::places, "one channel");
  OnnxGraph many;
  many.input("x", Element::f32, {6, 3, 16, 16}).node(OnnxNode("Abs", {"x"}, {"y"})).output("y", Element::f32, {6, 3, 16, 16});
  refused(many.model(), LayoutOutputs::places, "six pictures at once");
  OnnxGraph two;
  two.input("x", Element::f32, {1, 3, 16, 16}).input("z", Element::f32, {1}).node(OnnxNode("Add", {"x", "z"}, {"y"})).output("y", Element::f32, {1, 3, 16, 16});
  refused(two.model(), LayoutOutputs::places, "a second input");
  DetectorOptions detector;
  detector.file = "/nowhere/detector.onnx";
  check_throws(ErrorCode::model_not_found, [&] { TextDetector(detector, place()); }, "a file that is not there");
  // A huge picture costs what its card says, not what it is.
  const Written dark("huge.onnx", darkness_network());
  detector.file = dark.path;
  detector.longest_side = 320;
  const std::vector<std::uint8_t> row(static_cast<std::size_t>(max_side) * 4, 255);
  check(TextDetector(detector, place()).find({row.data(), max_side, sanitized ? 64 : 512, 0}, Cancel()).empty(), "a huge picture");
  const Place small{place().backend, place().host, 1, 1 << 16};
  check_throws(ErrorCode::too_large, [&] { TextDetector(detector, small).find(Page(300, 300).bitmap(), Cancel()); }, "a network that needs more than it may have");
}

}  // namespace
