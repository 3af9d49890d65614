// The interface as linux/landlock.h has it, up to version 7. It stands here because the header of the machine that compiles may be older than the kernel that runs.
#include "platform/landlock.h"

#include <cerrno>
#include <cstdint>
#include <system_error>

#if defined(__linux__)
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace lectern::platform {

#if defined(__linux__)

namespace {

// The same numbers on every architecture.
constexpr long create_ruleset_call = 444;
constexpr long add_rule_call = 445;
constexpr long restrict_self_call = 446;

constexpr std::uint32_t create_ruleset_version = 1;
constexpr int rule_path_beneath = 1;

// LANDLOCK_ACCESS_FS_*
constexpr std::uint64_t fs_execute = 1ull << 0;
constexpr std::uint64_t fs_write_file = 1ull << 1;
constexpr std::uint64_t fs_read_file = 1ull << 2;
constexpr std::uint64_t fs_read_dir = 1ull << 3;
constexpr std::uint64_t fs_remove_dir = 1ull << 4;
constexpr std::uint64_t fs_remove_file = 1ull << 5;
constexpr std::uint64_t fs_make_dir = 1ull << 7;
constexpr std::uint64_t fs_make_reg = 1ull << 8;
constexpr std::uint64_t fs_make_sock = 1ull << 9;
constexpr std::uint64_t fs_refer = 1ull << 13;
constexpr std::uint64_t fs_truncate = 1ull << 14;
constexpr std::uint64_t fs_ioctl_dev = 1ull << 15;
// Character and block devices, pipes and symbolic links (bits 6, 10, 11 and 12) are in no rule: none may be made.
constexpr std::uint64_t fs_all_of_first = (1ull << 13) - 1;

// LANDLOCK_ACCESS_NET_* and LANDLOCK_SCOPE_*
constexpr std::uint64_t net_bind_tcp = 1ull << 0;
constexpr std::uint64_t net_connect_tcp = 1ull << 1;
constexpr std::uint64_t scope_abstract_sockets = 1ull << 0;
constexpr std::uint64_t scope_signals = 1ull << 1;

// First interfaces that know them.
constexpr int abi_refer = 2;
constexpr int abi_truncate = 3;
constexpr int abi_network = 4;
constexpr int abi_ioctl_dev = 5;
constexpr int abi_scopes = 6;

/// struct landlock_ruleset_attr
struct RulesetAttributes {
  std::uint64_t handled_access_fs;
  std::uint64_t handled_access_net;
  std::uint64_t scoped;
};
static_assert(sizeof(RulesetAttributes) == 24);

/// struct landlock_path_beneath_attr
struct __attribute__((packed)) PathBeneathAttributes {
  std::uint64_t allowed_access;
  std::int32_t parent_fd;
};
static_assert(sizeof(PathBeneathAttributes) == 12);

/// An open file, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void refuse(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

std::uint64_t handled_files(int abi) {
  std::uint64_t handled = fs_all_of_first;
  if (abi >= abi_refer) handled |= fs_refer;
  if (abi >= abi_truncate) handled |= fs_truncate;
  if (abi >= abi_ioctl_dev) handled |= fs_ioctl_dev;
  return handled;
}

std::uint64_t rights_of(PathAccess access) {
  constexpr std::uint64_t read = fs_read_file | fs_read_dir;
  switch (access) {
    case PathAccess::read:
      return read;
    case PathAccess::run:
      return read | fs_execute;
    case PathAccess::write:
      return read | fs_write_file | fs_truncate | fs_make_reg | fs_make_dir | fs_make_sock | fs_remove_file | fs_remove_dir | fs_refer;
    case PathAccess::bind_sockets:
      return fs_make_sock;
  }
  return 0;
}

/// What a rule on a file that is no directory may hold; the kernel refuses others.
constexpr std::uint64_t file_rights = fs_execute | fs_write_file | fs_read_file | fs_truncate | fs_ioctl_dev;

void add_rule(int ruleset, const PathRule& rule, std::uint64_t handled) {
  const Descriptor opened(open(rule.path.c_str(), O_PATH | O_CLOEXEC));
  // Not there, or not to be seen by this user: then it is none of what the domain opens.
  if (opened.number() < 0) return;
  struct stat status {};
  if (fstat(opened.number(), &status) != 0) refuse(rule.path);
  const std::uint64_t fitting = S_ISDIR(status.st_mode) ? ~0ull : file_rights;
  const PathBeneathAttributes attributes{rights_of(rule.access) & handled & fitting, opened.number()};
  // The kernel refuses a rule that allows nothing.
  if (attributes.allowed_access == 0) return;
  if (syscall(add_rule_call, ruleset, rule_path_beneath, &attributes, 0) != 0) refuse("landlock_add_rule " + rule.path);
}

}  // namespace

int landlock_abi() {
  const long abi = syscall(create_ruleset_call, nullptr, 0, create_ruleset_version);
  return abi < 1 ? 0 : static_cast<int>(abi);
}

void restrict_files_and_ports(const std::vector<PathRule>& rules) {
  const int abi = landlock_abi();
  RulesetAttributes attributes{handled_files(abi), 0, 0};
  if (abi >= abi_network) attributes.handled_access_net = net_bind_tcp | net_connect_tcp;
  if (abi >= abi_scopes) attributes.scoped = scope_abstract_sockets | scope_signals;
  // A kernel takes a larger structure than it knows as long as what it does not know is zero.
  const Descriptor ruleset(static_cast<int>(syscall(create_ruleset_call, &attributes, sizeof attributes, 0)));
  if (ruleset.number() < 0) refuse("landlock_create_ruleset");
  for (const PathRule& rule : rules) add_rule(ruleset.number(), rule, attributes.handled_access_fs);
  // Without it only an administrator may restrict himself; it also keeps programs with the set-user-ID bit from getting rights.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) refuse("no_new_privs");
  if (syscall(restrict_self_call, ruleset.number(), 0) != 0) refuse("landlock_restrict_self");
}

#else

int landlock_abi() { return 0; }

void restrict_files_and_ports(const std::vector<PathRule>&) { throw std::system_error(ENOSYS, std::generic_category(), "Landlock"); }

#endif

}  // namespace lectern::platform
