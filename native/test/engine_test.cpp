// The engine's verbs through its lane, without JavaScript.
#include <future>
#include <mutex>
#include <random>
#include <vector>

#include "engine/engine.h"
#include "harness.h"
#include "page.h"

namespace lectern {
namespace {

using test::check;
using test::check_throws;

/// A Done and the future of its outcome.
template <class Value>
struct Awaited {
  std::shared_ptr<std::promise<Outcome<Value>>> promise = std::make_shared<std::promise<Outcome<Value>>>();
  Done<Value> done() {
    return [promise = promise](Outcome<Value> outcome) { promise->set_value(std::move(outcome)); };
  }
  Outcome<Value> get() { return promise->get_future().get(); }
};

std::shared_ptr<Cancel> fresh() { return std::make_shared<Cancel>(); }

LECTERN_TEST("engine: deskew_angle measures a page") {
  std::mt19937 random(1);
  test::Page page(400, 300, 1.5);
  page.text(30, 30, 370, 270, 5, random);
  Engine engine{Log{}};
  Awaited<double> angle;
  engine.deskew_angle(page.bitmap(), fresh(), angle.done());
  test::check_near(std::get<double>(angle.get()), 1.5, 0.2, "deskew_angle");
}

LECTERN_TEST("engine: close cancels what waits, says when it is through, and then refuses") {
  test::Page page(2000, 2000, 0);
  Engine engine{Log{}};
  // Seconds of work, of which next to nothing is done before it is cancelled.
  std::vector<Awaited<double>> angles(200);
  for (auto& angle : angles) engine.deskew_angle(page.bitmap(), fresh(), angle.done());
  Awaited<std::monostate> closed;
  engine.close(closed.done());
  check(closed.get().index() == 0, "closed");
  int cancelled = 0;
  for (auto& angle : angles) {
    const auto outcome = angle.get();
    cancelled += std::holds_alternative<Error>(outcome) && std::get<Error>(outcome).code() == ErrorCode::cancelled;
  }
  check(cancelled >= 100, std::to_string(cancelled) + " of 200 were cancelled");
  check_throws(ErrorCode::invalid_state, [&] { engine.deskew_angle(page.bitmap(), fresh(), [](Outcome<double>) {}); }, "verb");
  check_throws(ErrorCode::invalid_state, [&] { engine.close([](Outcome<std::monostate>) {}); }, "close");
}

LECTERN_TEST("engine: it says what it is") {
  std::vector<std::string> lines;
  Engine engine{[&](LogLevel, std::string message) { lines.push_back(std::move(message)); }};
  const BuildInfo build = build_info();
  check(!build.version.empty() && !build.instructions.empty(), "build info");
  check(lines.size() == 1 && lines[0].find(build.version) != std::string::npos, "log");
  check(!devices().empty() && devices()[0].kind == DeviceKind::cpu, "the processor comes first");
}

}  // namespace
}  // namespace lectern
