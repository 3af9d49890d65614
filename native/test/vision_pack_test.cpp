// Layouts, text and tables by the pack's networks, against readings of their outputs by hand: the weights are random, the decoding of the outputs is not.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "harness.h"
#include "options.h"
#include "page.h"
#include "vision/layout.h"
#include "vision/line_reader.h"
#include "vision/table.h"
#include "vision/text_detector.h"
#include "vision_graphs.h"

namespace {

using namespace lectern;
using namespace lectern::test;
using namespace lectern::vision;
namespace fs = std::filesystem;

/// The outputs of a pack's network for a page, by its own plain way to the picture.
struct PackNetwork {
  fs::path file;
  std::vector<onnx::Output> run(const std::vector<float>& picture, int height, int width) const {
    onnx::Network network = onnx::Network::open(file, place().backend, {.threads = 2});
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
    const auto compare = [&](const std::string& name, LayoutOutputs outputs, int labels, int width, int height, float threshold, auto plain) {
      if (!fs::exists(folder / name)) return;
      LayoutOptions options;
      options.file = folder / name / "model.onnx";
      options.outputs = outputs;
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
    compare("rtdetrv2_small", LayoutOutputs::queries, 17, 192, 192, 0.5F, [](const std::vector<onnx::Output>& outputs, auto add) {
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
    compare("yolo_small", LayoutOutputs::places, 11, 192, 160, 0.75F, [](const std::vector<onnx::Output>& outputs, auto add) {
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
    compare("yolo_small_e2e", LayoutOutputs::finished_rows, 11, 128, 160, 0.3F, [](const std::vector<onnx::Output>& outputs, auto add) {
      const auto rows = outputs[0].as<float>();
      for (std::size_t i = 0; i < rows.size(); i += 6) if (rows[i + 4] >= 0.3F) add(static_cast<int>(rows[i + 5]), rows[i + 4], static_cast<double>(rows[i]), static_cast<double>(rows[i + 1]), static_cast<double>(rows[i + 2]), static_cast<double>(rows[i + 3]));
    });
    compare("yolo_small_nms", LayoutOutputs::selected, 11, 160, 128, 0.35F, [](const std::vector<onnx::Output>& outputs, auto add) {
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
    const FoundTable mine_table = found_alone(TableFinder(table, place()), bitmap);
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
