// Landlock (Linux 5.13 and newer): what a thread, and every process it starts, may do with files, TCP ports and other processes.
#pragma once

#include <string>
#include <vector>

namespace lectern::platform {

/// The version of Landlock's interface that the kernel offers; 0 where it has none, or where it is switched off or may not be used.
int landlock_abi();

/// What is allowed below a path. `run` includes reading; `write` includes reading, making, renaming and deleting files and directories, and nothing executable;
/// `bind_sockets` is making local sockets, and nothing else.
enum class PathAccess { read, run, write, bind_sockets };

struct PathRule {
  std::string path;
  PathAccess access;
};

/// Restricts the calling thread for good, and with it everything that it starts from now on. Everything that no rule allows is refused: opening files, TCP ports
/// (from interface 4 on), abstract sockets and signals to processes outside (from 6 on). What is open stays open. Paths that do not exist are left out.
/// Other threads of the process stay as they are: to be called while there are none.
/// @throws std::system_error where the kernel refuses.
void restrict_files_and_ports(const std::vector<PathRule>& rules);

}  // namespace lectern::platform
