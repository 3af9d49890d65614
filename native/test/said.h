// The environment of a test.
#pragma once

#include <cstdlib>

namespace lectern::test {

/// Says something in the environment while it lives, to what is made meanwhile.
class Said {
 public:
  Said(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Said() { unsetenv(name_); }
  Said(const Said&) = delete;
  Said& operator=(const Said&) = delete;

 private:
  const char* name_;
};

}  // namespace lectern::test
