// Decoding of network outputs against loops that follow the definitions: letters, boxes, tables.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "harness.h"
#include "page.h"
#include "vision/ctc.h"
#include "vision/detections.h"
#include "vision/table_tokens.h"

namespace {

using namespace lectern;
using namespace lectern::test;
using namespace lectern::vision;

float between(std::mt19937& random, float low, float high) { return low + (high - low) * static_cast<float>(pick(random, 10001)) / 10000; }

LECTERN_TEST("vision outputs: letters of columns, in both layouts, of logits and of probabilities") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const int classes = 2 + pick(random, 6), columns = 1 + pick(random, 30);
    const auto size = static_cast<std::size_t>(classes * columns);
    const bool probabilities = round % 2 == 0;
    std::vector<float> rows(size), turned(size);  // (columns, classes), (classes, columns)
    for (int x = 0; x < columns; ++x) {
      for (int k = 0; k < classes; ++k) {
        // Few levels, so that some are equal.
        rows[static_cast<std::size_t>(x * classes + k)] = static_cast<float>(pick(random, 7)) / (probabilities ? 6.0F : 1.5F);
        turned[static_cast<std::size_t>(k * columns + x)] = rows[static_cast<std::size_t>(x * classes + k)];
      }
    }
    std::vector<std::string> alphabet;
    for (int k = 1; k < classes; ++k) alphabet.push_back(std::string(1, static_cast<char>('a' + k)));
    std::vector<ReadLetter> expected;
    for (int x = 0, last = 0; x < columns; ++x) {
      int best = 0;
      double sum = 0;
      const auto value = [&](int k) { return static_cast<double>(rows[static_cast<std::size_t>(x * classes + k)]); };
      for (int k = 1; k < classes; ++k) best = value(k) > value(best) ? k : best;
      for (int k = 0; k < classes; ++k) sum += std::exp(value(k));
      const auto sure = static_cast<float>(probabilities ? value(best) : std::exp(value(best)) / sum);
      if (best > 0 && best == last) expected.back().end = x + 1, expected.back().confidence = std::max(expected.back().confidence, sure);
      if (best > 0 && best != last) expected.push_back({alphabet[static_cast<std::size_t>(best - 1)], x, x + 1, sure});
      last = best;
    }
    for (const bool by_column : {true, false}) {
      const auto letters = read_letters({by_column ? rows.data() : turned.data(), classes, columns, by_column, probabilities}, alphabet);
      const bool same = std::equal(letters.begin(), letters.end(), expected.begin(), expected.end(), [](const ReadLetter& a, const ReadLetter& b) {
        return a.text == b.text && a.begin == b.begin && a.end == b.end && std::abs(a.confidence - b.confidence) < 1e-5F;
      });
      check(same, "round " + std::to_string(round) + (by_column ? " by column" : " by class"));
    }
  }
}

LECTERN_TEST("vision outputs: dictionaries that are whole and such as are not") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("lectern-vision-outputs-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& text) {
    std::ofstream(folder / "words.txt", std::ios::binary) << text;
    return folder / "words.txt";
  };
  check(read_dictionary(write("a\r\nß\n \n本\n\nlast")) == std::vector<std::string>{"a", "ß", " ", "本", "", "last"}, "lines of any length");
  check(read_dictionary(write("\xEF\xBB\xBFx\n")) == std::vector<std::string>{"x"}, "a byte order mark is no letter");
  check_throws(ErrorCode::invalid_model, [&] { read_dictionary(write("")); }, "an empty file");
  check_throws(ErrorCode::invalid_model, [&] { read_dictionary(write("a\n\xFF\n")); }, "no UTF-8");
  check_throws(ErrorCode::invalid_model, [&] { read_dictionary(write(std::string(200'001, '\n'))); }, "too many lines");
  check_throws(ErrorCode::invalid_model, [&] { read_dictionary(write(std::string((4U << 20U) + 1, 'x'))); }, "too large a file");
  check_throws(ErrorCode::model_not_found, [&] { read_dictionary(folder / "none.txt"); }, "no file");
  std::filesystem::remove_all(folder);
  for (const char* bad : {"\x80", "\xC0\x80", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80"}) check(!is_utf8(bad), std::string("bytes that begin with ") + std::to_string(static_cast<unsigned char>(*bad)));
  for (const char* good : {"", "a", "\xC2\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xF4\x8F\xBF\xBF"}) check(is_utf8(good), "the ends of what is allowed");
}

double shared_part(const Detection& a, const Detection& b) {
  const double width = std::max(0.0, static_cast<double>(std::min(a.right, b.right) - std::max(a.left, b.left)));
  const double height = std::max(0.0, static_cast<double>(std::min(a.bottom, b.bottom) - std::max(a.top, b.top)));
  const auto area = [](const Detection& one) { return static_cast<double>((one.right - one.left) * (one.bottom - one.top)); };
  return width * height / (area(a) + area(b) - width * height);
}

LECTERN_TEST("vision outputs: the best queries, likely places and finished rows") {
  std::mt19937 random(9);
  for (int round = 0; round < 100; ++round) {
    const int queries = 1 + pick(random, 12), labels = 1 + pick(random, 5);
    std::vector<float> logits(static_cast<std::size_t>(queries * labels)), boxes(static_cast<std::size_t>(queries) * 4);
    for (float& value : logits) value = static_cast<float>(pick(random, 9) - 4);
    for (float& value : boxes) value = between(random, 0, 1);
    // All pairs, sorted; each pair's rank counted.
    std::vector<Detection> expected;
    for (int rank = 0; rank < queries; ++rank) {
      for (int i = 0; i < queries * labels; ++i) {
        int before = 0;
        for (int j = 0; j < queries * labels; ++j) before += logits[static_cast<std::size_t>(j)] > logits[static_cast<std::size_t>(i)] || (logits[static_cast<std::size_t>(j)] == logits[static_cast<std::size_t>(i)] && j < i);
        const double score = 1 / (1 + std::exp(-static_cast<double>(logits[static_cast<std::size_t>(i)])));
        if (before != rank || score < 0.4) continue;
        const float* box = boxes.data() + i / labels * 4;
        expected.push_back({i % labels, static_cast<float>(score), box[0] - box[2] / 2, box[1] - box[3] / 2, box[0] + box[2] / 2, box[1] + box[3] / 2});
      }
    }
    const auto found = best_queries(logits, boxes, queries, labels, 0.4F);
    const auto same = [](const Detection& a, const Detection& b) {
      return a.label == b.label && std::abs(a.score - b.score) < 1e-5F && std::abs(a.left - b.left) < 1e-5F && std::abs(a.top - b.top) < 1e-5F && std::abs(a.right - b.right) < 1e-5F && std::abs(a.bottom - b.bottom) < 1e-5F;
    };
    check(std::equal(found.begin(), found.end(), expected.begin(), expected.end(), same), "queries, round " + std::to_string(round));

    // The same boxes as places, a column each.
    std::vector<float> values(static_cast<std::size_t>((4 + labels) * queries));
    std::vector<Detection> likely;
    for (int place = 0; place < queries; ++place) {
      Detection best{0, -1, 0, 0, 0, 0};
      for (int k = 0; k < 4 + labels; ++k) {
        float& value = values[static_cast<std::size_t>(k * queries + place)];
        value = k < 4 ? boxes[static_cast<std::size_t>(place * 4 + k)] : static_cast<float>(pick(random, 11)) / 10;
        if (k >= 4 && value > best.score) best.label = k - 4, best.score = value;
      }
      const float* box = boxes.data() + place * 4;
      best = {best.label, best.score, box[0] - box[2] / 2, box[1] - box[3] / 2, box[0] + box[2] / 2, box[1] + box[3] / 2};
      if (best.score >= 0.35F) likely.push_back(best);
    }
    const auto places = likely_places(values, labels, queries, 0.35F);
    check(std::equal(places.begin(), places.end(), likely.begin(), likely.end(), same), "places, round " + std::to_string(round));
  }
  const std::vector<float> rows{1, 2, 3, 4, 0.9F, 1, 5, 6, 7, 8, 0.2F, 99, 0, 0, 1, 1, 0.5F, 0};
  const auto found = finished_rows(rows, 3, 2, 0.3F);
  check(found.size() == 2 && found[0].label == 1 && found[0].left == 1 && found[0].bottom == 4 && found[1].label == 0, "rows above the threshold");
  check_throws(ErrorCode::invalid_model, [&] { finished_rows(rows, 3, 2, 0.1F); }, "a label that there is not");
  check_throws(ErrorCode::invalid_model, [&] { finished_rows(std::vector<float>{0, 0, 1, 1, 1, -1}, 1, 2, 0.1F); }, "a label below zero");
}

LECTERN_TEST("vision outputs: boxes that overlap a better one of their label go") {
  std::mt19937 random(10);
  for (int round = 0; round < 100; ++round) {
    std::vector<Detection> boxes;
    for (int i = 0, count = pick(random, 30); i < count; ++i) {
      const float left = between(random, 0, 10), top = between(random, 0, 10);
      boxes.push_back({pick(random, 3), static_cast<float>(pick(random, 8)) / 8, left, top, left + between(random, 1, 8), top + between(random, 1, 8)});
    }
    // The definition: again and again the best that is left, and all it covers go.
    std::vector<Detection> left = boxes, expected;
    while (!left.empty() && expected.size() < 12) {
      std::size_t best = 0;
      for (std::size_t i = 1; i < left.size(); ++i) best = left[i].score > left[best].score ? i : best;
      const Detection one = left[best];
      expected.push_back(one);
      std::vector<Detection> rest;
      for (std::size_t i = 0; i < left.size(); ++i) {
        if (i != best && !(left[i].label == one.label && shared_part(left[i], one) > 0.4)) rest.push_back(left[i]);
      }
      left = rest;
    }
    const auto kept = without_overlaps(boxes, 0.4F, 12);
    check(std::equal(kept.begin(), kept.end(), expected.begin(), expected.end(), [](const Detection& a, const Detection& b) { return a.label == b.label && a.left == b.left && a.top == b.top && a.score == b.score; }), "round " + std::to_string(round));
  }
}

LECTERN_TEST("vision outputs: cells of tables with spans, as HTML places them") {
  std::mt19937 random(12);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> words{"<thead>"};
    std::set<std::pair<int, int>> taken;
    std::vector<TableCell> expected;
    const int rows = 1 + pick(random, 6);
    for (int row = 0; row < rows; ++row) {
      if (row == 1) words.insert(words.end(), {"</thead>", "<tbody>"});
      words.emplace_back("<tr>");
      for (int i = 0, count = pick(random, 5), column = 0; i < count; ++i) {
        const int across = pick(random, 3) == 0 ? 1 + pick(random, 3) : 1, down = pick(random, 3) == 0 ? 1 + pick(random, 3) : 1;
        while (taken.contains({row, column})) ++column;
        for (int y = 0; y < down; ++y) for (int x = 0; x < across; ++x) taken.insert({row + y, column + x});
        expected.push_back({row, column, down, across, row == 0, 0});
        words.emplace_back(across == 1 && down == 1 ? "<td></td>" : "<td");
        if (across > 1) words.push_back(" colspan=\"" + std::to_string(across) + "\"");
        if (down > 1) words.push_back(" rowspan=\"" + std::to_string(down) + "\"");
        if (across > 1 || down > 1) words.insert(words.end(), {">", "</td>"});
        column += across;
      }
      words.emplace_back("</tr>");
    }
    const auto cells = cells_of(words);
    check(std::equal(cells.begin(), cells.end(), expected.begin(), expected.end(), [](const TableCell& a, const TableCell& b) {
      return a.row == b.row && a.column == b.column && a.row_span == b.row_span && a.column_span == b.column_span && a.header == b.header;
    }), "round " + std::to_string(round));
    for (const TableCell& cell : cells) check(words[cell.step].starts_with("<td"), "a cell begins where its word stands");
    const Grid grid = grid_of(cells);
    int height = 0, width = 0;
    for (const auto& [row, column] : taken) height = std::max(height, row + 1), width = std::max(width, column + 1);
    check(grid.rows == height && grid.columns == width, "the grid");
  }
  const auto strange = cells_of({"<td", " colspan=\"99999999999\"", "<tr>", "<td", " rowspan=\"0\""});
  check(strange.size() == 2 && strange[0].column_span == 100 && strange[0].row == 0 && strange[1].row_span == 1, "words out of place");
  check(cells_of({}).empty() && grid_of({}).rows == 0, "no words");
}

LECTERN_TEST("vision outputs: the words of a table until its end") {
  // Words 0 begin, 1 and 2, 3 end.
  const std::vector<float> steps{0.1F, 0.2F, 0.3F, 0.4F, 0.1F, 0.6F, 0.2F, 0.1F, 0.2F, 0.1F, 0.5F, 0.5F, 0, 0, 0, 1, 0, 1, 0, 0};
  const TableStructure structure = read_structure(steps, 5, 4, 3);
  // The first step cannot be the end; of equals the lower.
  check((structure.tokens == std::vector<int>{3, 1, 2}) && structure.certainty[1] == 0.6F, "its words");
  check(read_structure(std::vector<float>{0, 1, 1, 0, 1, 0}, 3, 2, 7).tokens.size() == 3, "without an end it goes on");
}

}  // namespace
