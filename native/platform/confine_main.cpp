// lectern-confine: restricts itself by Landlock and becomes the program that it is given. A process of its own, because Landlock restricts a thread and what that starts:
// once Node runs it has threads already, and these would stay free.
//
//   lectern-confine [--read PATH | --run PATH | --write PATH | --bind-sockets PATH]... -- PROGRAM [ARGUMENT]...
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

#include "platform/landlock.h"

using lectern::platform::PathAccess;
using lectern::platform::PathRule;

namespace {

// The exit status that shells use for a program that cannot be started.
constexpr int cannot_start = 126;

int fail(const std::string& why) {
  std::fprintf(stderr, "lectern-confine: %s\n", why.c_str());
  return cannot_start;
}

bool access_of(const std::string& word, PathAccess& access) {
  if (word == "--read") access = PathAccess::read;
  else if (word == "--run") access = PathAccess::run;
  else if (word == "--write") access = PathAccess::write;
  else if (word == "--bind-sockets") access = PathAccess::bind_sockets;
  else return false;
  return true;
}

}  // namespace

int main(int count, char** words) {
  std::vector<PathRule> rules;
  int at = 1;
  for (PathAccess access{}; at + 1 < count && access_of(words[at], access); at += 2) rules.push_back({words[at + 1], access});
  if (at + 1 >= count || std::strcmp(words[at], "--") != 0) return fail("usage: lectern-confine [--read PATH | --run PATH | --write PATH | --bind-sockets PATH]... -- PROGRAM [ARGUMENT]...");
  char** program = words + at + 1;
  try {
    lectern::platform::restrict_files_and_ports(rules);
  } catch (const std::system_error& refused) {
    return fail(refused.what());
  }
  execv(program[0], program);
  return fail(std::string(program[0]) + ": " + std::strerror(errno));
}
