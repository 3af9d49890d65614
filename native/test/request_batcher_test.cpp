// Calls that wait on a lane form batches: which calls share one, and that no call gets another's error.
#include <future>
#include <string>
#include <vector>

#include "engine/request_batcher.h"
#include "harness.h"

namespace lectern {
namespace {

using test::check;

/// Squares, in batches of at most four; batches with a number below 0 fail, and those of more than `most` do.
struct Squares {
  std::vector<std::vector<int>> batches;
  std::size_t most = 4;

  std::vector<int> operator()(std::span<const int> items) {
    batches.emplace_back(items.begin(), items.end());
    std::vector<int> squares;
    for (const int item : items) {
      if (item < 0 || items.size() > most) throw Error(ErrorCode::invalid_model, "no");
      squares.push_back(item * item);
    }
    return squares;
  }
};

/// The outcomes of `items`, all waiting before the first is processed; those below `cancelled` are cancelled by then.
std::vector<std::string> through(Squares& squares, const std::vector<int>& items, std::size_t cancelled = 0) {
  std::vector<std::string> outcomes(items.size(), "none");
  RequestBatcher<int, int> together;
  {
    Lane lane("test");
    std::promise<void> go;
    lane.submit<int>(std::make_shared<Cancel>(), [waits = go.get_future().share()](const Cancel&) { return waits.wait(), 0; }, [](Outcome<int>) {});
    std::vector<std::shared_ptr<Cancel>> flags;
    for (std::size_t i = 0; i < items.size(); ++i) {
      flags.push_back(std::make_shared<Cancel>());
      together.submit(
          lane, items[i], flags[i], [] { return std::size_t{4}; }, [&](std::span<const int> some, const Cancel&) { return squares(some); },
          [&outcomes, i](Outcome<int> outcome) { outcomes[i] = std::holds_alternative<int>(outcome) ? std::to_string(std::get<int>(outcome)) : std::string(name_of(std::get<Error>(outcome).code())); });
    }
    for (std::size_t i = 0; i < cancelled; ++i) flags[i]->request();
    // What the lane has left at its end would be cancelled.
    std::promise<void> ended;
    lane.submit<int>(std::make_shared<Cancel>(), [](const Cancel&) { return 0; }, [&](Outcome<int>) { ended.set_value(); });
    go.set_value();
    ended.get_future().wait();
  }
  return outcomes;
}

LECTERN_TEST("together: what waits goes in batches, each gets its own") {
  Squares squares;
  check(through(squares, {1, 2, 3, 4, 5, 6}) == std::vector<std::string>{"1", "4", "9", "16", "25", "36"}, "every call its square");
  check(squares.batches == std::vector<std::vector<int>>{{1, 2, 3, 4}, {5, 6}}, "in the order they came, each once");
}

LECTERN_TEST("together: what is wrong with one, or with so many at once, is no other's error") {
  Squares squares;
  check(through(squares, {1, -2, 3}) == std::vector<std::string>{"1", "invalid_model", "9"}, "one is bad");
  check(squares.batches == std::vector<std::vector<int>>{{1, -2, 3}, {1}, {-2, 3}, {-2}, {3}}, "who failed together goes alone");
  Squares narrow;
  narrow.most = 1;
  check(through(narrow, {1, 2, 3}) == std::vector<std::string>{"1", "4", "9"}, "too many at once");
}

LECTERN_TEST("together: who has left is not taken along") {
  Squares squares;
  check(through(squares, {1, 2, 3, 4}, 2) == std::vector<std::string>{"cancelled", "cancelled", "9", "16"}, "two left");
  check(squares.batches == std::vector<std::vector<int>>{{3, 4}}, "only the others were looked at");
}

}  // namespace
}  // namespace lectern
