// A test harness that speaks TAP: tests register themselves, checks count, a run that checked nothing fails.
#pragma once

#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "error.h"

namespace lectern::test {

struct Test {
  const char* title;  // "room: what holds"
  void (*body)();
};

/// Only for LECTERN_TEST.
struct Registration {
  explicit Registration(Test test);
};

/// Counts, and on failure prints `what` with its place as a TAP comment. Returns `holds`.
bool check(bool holds, const std::string& what, std::source_location where = std::source_location::current());

/// |value - expected| <= tolerance; NaN fails.
bool check_near(double value, double expected, double tolerance, const std::string& what,
                std::source_location where = std::source_location::current());

/// `work` throws an Error of this code.
template <class Work>
void check_throws(ErrorCode code, Work&& work, const std::string& what,
                  std::source_location where = std::source_location::current()) {
  try {
    std::forward<Work>(work)();
  } catch (const Error& error) {
    check(error.code() == code, what + ": threw " + std::string(name_of(error.code())), where);
    return;
  }
  check(false, what + ": threw nothing", where);
}

/// A comment in the output, such as the reason why something was not tested.
void note(const std::string& text);

/// Whether CI_FULL=1 asks for the long form of tests: every combination where the short form takes each value at least once.
bool is_long_form();

/// One of `count` processes that share the tests: it runs each `count`-th one, from `index` on, which counts from 0.
struct Share {
  int index = 0;
  int count = 1;
};

/// Runs every test of `share` whose title contains one of `filters`, all without filters; 0 when each filter found one and none failed.
int run(const std::vector<std::string>& filters, Share share = {});

}  // namespace lectern::test

#define LECTERN_JOIN2(a, b) a##b
#define LECTERN_JOIN(a, b) LECTERN_JOIN2(a, b)
/// LECTERN_TEST("room: what holds") { ... }
#define LECTERN_TEST(title)                                                                        \
  static void LECTERN_JOIN(test_, __LINE__)();                                                     \
  static const ::lectern::test::Registration LECTERN_JOIN(registration_, __LINE__){                \
      ::lectern::test::Test{title, LECTERN_JOIN(test_, __LINE__)}};                                \
  static void LECTERN_JOIN(test_, __LINE__)()
