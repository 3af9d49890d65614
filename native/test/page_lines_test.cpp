// Lines of several finders at one place: which of them count, against cases whose result is evident.
#include <cstddef>
#include <string>
#include <vector>

#include "harness.h"
#include "vision/page_lines.h"

namespace {

using namespace lectern;
using namespace lectern::test;
using vision::FoundLine;
using vision::PageLines;
using vision::PixelBox;
using vision::ReadLetter;

void put(PageLines& page, const PixelBox& box, std::size_t letters, float sure) {
  page.lines.push_back({box, {}, static_cast<double>(box.bottom), 0, static_cast<double>(box.bottom - box.top), 0});
  page.images.emplace_back();
  std::vector<ReadLetter> read(letters);
  for (ReadLetter& letter : read) letter.confidence = sure;
  page.letters.push_back(std::move(read));
}

LECTERN_TEST("page lines: of two at one place the one that is worth more counts, whichever finder it is from") {
  PageLines page;
  put(page, {0, 100, 400, 130}, 30, 0.95F);  // 0: read well
  put(page, {0, 200, 400, 290}, 20, 0.6F);   // 1: two lines taken for one
  put(page, {0, 300, 400, 330}, 0, 0);       // 2: nothing was read
  page.on_paper = 3;
  put(page, {500, 100, 900, 130}, 20, 0.9F);  // 3: light on dark
  put(page, {500, 200, 900, 230}, 20, 0.6F);  // 4: grain of a dark picture
  page.detected = 5;
  put(page, {2, 101, 398, 131}, 30, 0.9F);    // 5: worse than 0
  put(page, {0, 200, 400, 240}, 25, 0.97F);   // 6 and 7: the two lines
  put(page, {0, 250, 400, 290}, 25, 0.97F);
  put(page, {0, 300, 400, 330}, 12, 0.9F);    // 8: where 2 reads nothing
  put(page, {0, 20, 400, 50}, 12, 0.9F);      // 9: where no other finder has a line
  put(page, {0, 400, 400, 430}, 0, 0);        // 10: empty
  check(vision::surest(page) == std::vector<std::size_t>({9, 0, 3, 6, 7, 2, 8}), "those that count, from the top");
  page.drop(6);
  check(page.letters[6].empty() && page.images[6].width == 0, "dropped");
  const auto without = vision::surest(page);
  check(without == std::vector<std::size_t>({9, 0, 3, 7, 2, 8}), "a dropped line does not count");
  check(vision::surest(PageLines{}).empty(), "none of none");
}

LECTERN_TEST("page lines: pieces of one line are worth as much as all of them, against a line across them") {
  // Three cells of a table's row, and the detector's line over all of it.
  const auto kept = [](std::size_t letters, float sure, std::size_t cells) {
    PageLines page;
    for (std::size_t cell = 0; cell < cells; ++cell) put(page, {static_cast<int>(300 * cell), 100, static_cast<int>(300 * cell) + 200, 130}, 10, 0.95F);
    page.on_paper = page.detected = cells;
    put(page, {0, 98, 800, 132}, letters, sure);
    return vision::surest(page);
  };
  check(kept(28, 0.95F, 3) == std::vector<std::size_t>({0, 1, 2}), "better than each piece, worse than all");
  check(kept(34, 0.95F, 3) == std::vector<std::size_t>({3}), "better than all");
  check(kept(28, 0.95F, 1) == std::vector<std::size_t>({1}), "better than the one piece that was found");
  PageLines page;
  put(page, {0, 100, 200, 130}, 10, 0.95F), put(page, {300, 100, 500, 130}, 20, 0.2F);
  page.on_paper = page.detected = 2;
  put(page, {0, 98, 500, 132}, 8, 0.95F);
  check(vision::surest(page) == std::vector<std::size_t>({0, 1}), "a piece that is rather guessed takes nothing from the others");
}

LECTERN_TEST("page lines: what lies in a line that is surely read needs no other reading") {
  PageLines page;
  put(page, {100, 100, 500, 130}, 30, 0.96F);
  put(page, {100, 200, 500, 230}, 30, 0.8F);
  put(page, {100, 300, 500, 330}, 0, 0);
  page.on_paper = page.detected = 3;
  const auto lies = [&](const PixelBox& box) { return vision::is_read(page, {box, {}, 0, 0, 0, 0}, 0.95); };
  check(lies({110, 102, 480, 128}) && lies({60, 95, 480, 128}), "in it, a little beyond its edge");
  check(!lies({110, 202, 480, 228}), "in one that is not sure");
  check(!lies({110, 302, 480, 328}), "where nothing was read");
  check(!lies({300, 102, 800, 128}) && !lies({110, 122, 480, 148}), "half outside");
}

LECTERN_TEST("page lines: sureness is the mean over letters") {
  PageLines page;
  put(page, {0, 0, 10, 10}, 30, 1.0F);
  put(page, {0, 0, 10, 10}, 10, 0.0F);
  put(page, {0, 0, 10, 10}, 0, 0);
  check(vision::sureness(page.letters) == 0.75 && vision::sureness(page.letters[1]) == 0 && vision::sureness(page.letters[2]) == 0, "by letters, not by lines");
  check(vision::sureness(std::vector<std::vector<ReadLetter>>{}) == 0, "0 without any");
}

}  // namespace
