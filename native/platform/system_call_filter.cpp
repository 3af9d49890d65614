// The filter as a program of classic BPF: architecture, then one comparison for each call.
#include "platform/system_call_filter.h"

#include <cerrno>
#include <system_error>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#define LECTERN_CAN_FILTER 1
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <vector>
#else
#define LECTERN_CAN_FILTER 0
#endif

namespace lectern::platform {

#if LECTERN_CAN_FILTER

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t architecture = AUDIT_ARCH_AARCH64;
#endif

// Calls that the headers of an older machine do not know; the same numbers on every architecture.
constexpr int call_pidfd_send_signal = 424;
constexpr int call_io_uring_setup = 425;
constexpr int call_io_uring_enter = 426;
constexpr int call_io_uring_register = 427;
constexpr int call_open_tree = 428;
constexpr int call_move_mount = 429;
constexpr int call_fsopen = 430;
constexpr int call_fsconfig = 431;
constexpr int call_fsmount = 432;
constexpr int call_fspick = 433;
constexpr int call_clone3 = 435;
constexpr int call_pidfd_getfd = 438;
constexpr int call_process_madvise = 440;
constexpr int call_mount_setattr = 442;

/// CLONE_NEW*: a process or thread in namespaces of its own.
constexpr std::uint32_t new_namespaces = 0x7e020080;

/// Never, with EPERM.
constexpr int refused_calls[] = {
  // Other processes, and what is in them.
  __NR_ptrace, __NR_process_vm_readv, __NR_process_vm_writev, __NR_kcmp, __NR_tkill, __NR_rt_sigqueueinfo, __NR_rt_tgsigqueueinfo,
  __NR_migrate_pages, __NR_move_pages, __NR_setpriority, __NR_ioprio_set, call_pidfd_send_signal, call_pidfd_getfd, call_process_madvise,
  // Other machines and services.
  __NR_connect,
  // Mounts, roots and namespaces.
  __NR_mount, __NR_umount2, __NR_pivot_root, __NR_chroot, __NR_setns, __NR_unshare, call_open_tree, call_move_mount, call_fsopen, call_fsconfig, call_fsmount, call_fspick,
  call_mount_setattr, __NR_open_by_handle_at, __NR_name_to_handle_at,
  // Names for files of others, and devices.
  __NR_symlinkat, __NR_linkat, __NR_mknodat,
#if defined(__x86_64__)
  __NR_symlink, __NR_link, __NR_mknod, __NR_iopl, __NR_ioperm, __NR_modify_ldt,
#endif
  // Keys, and programs within the kernel.
  __NR_keyctl, __NR_add_key, __NR_request_key, __NR_bpf, __NR_perf_event_open, __NR_userfaultfd, __NR_init_module, __NR_finit_module, __NR_delete_module,
  __NR_kexec_load,
#ifdef __NR_kexec_file_load
  __NR_kexec_file_load,
#endif
  // The machine as a whole.
  __NR_reboot, __NR_swapon, __NR_swapoff, __NR_acct, __NR_quotactl, __NR_syslog, __NR_settimeofday, __NR_clock_settime, __NR_adjtimex, __NR_clock_adjtime, __NR_sethostname,
  __NR_setdomainname, __NR_vhangup, __NR_personality,
  // A program that is no file.
  __NR_execveat,
};

/// Never, with ENOSYS: the C library and libuv do without.
constexpr int absent_calls[] = {call_io_uring_setup, call_io_uring_enter, call_io_uring_register, call_clone3};

class Program {
 public:
  void load(std::size_t offset) { add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset))); }
  void answer(std::uint32_t action) { add(BPF_STMT(BPF_RET | BPF_K, action)); }
  void skip_unless(std::uint32_t value, std::uint8_t count) { add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count)); }
  void skip_if(std::uint32_t value, std::uint8_t count) { add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, count, 0)); }
  void skip_unless_any_bit(std::uint32_t bits, std::uint8_t count) { add(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, count)); }
  void mask(std::uint32_t bits) { add(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits)); }

  /// The number of the call must be loaded; it is loaded afterwards.
  void refuse(int call, std::uint32_t action) {
    skip_unless(static_cast<std::uint32_t>(call), 1);
    answer(action);
  }

  std::vector<sock_filter>& instructions() { return instructions_; }

 private:
  void add(sock_filter instruction) { instructions_.push_back(instruction); }
  std::vector<sock_filter> instructions_;
};

constexpr std::uint32_t allow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t no_permission = SECCOMP_RET_ERRNO | EPERM;
constexpr std::uint32_t no_such_call = SECCOMP_RET_ERRNO | ENOSYS;

/// The low half of an argument; both architectures are little-endian. What is compared here are numbers of 32 bits, and the kernel takes no more of them.
constexpr std::size_t argument(std::size_t index) { return offsetof(seccomp_data, args) + index * sizeof(std::uint64_t); }
constexpr std::size_t call_number = offsetof(seccomp_data, nr);

/// Allowed where the first argument is one of two numbers.
void allow_for(Program& program, int call, std::uint32_t first, std::uint32_t second) {
  program.skip_unless(static_cast<std::uint32_t>(call), 5);
  program.load(argument(0));
  program.skip_if(first, 2);
  program.skip_if(second, 1);
  program.answer(no_permission);
  program.answer(allow);
}

/// socket(AF_UNIX, SOCK_STREAM) alone; the flags beside the type do not count.
void allow_local_streams(Program& program) {
  program.skip_unless(static_cast<std::uint32_t>(__NR_socket), 7);
  program.load(argument(0));
  program.skip_unless(AF_UNIX, 4);
  program.load(argument(1));
  program.mask(0xf);
  program.skip_unless(SOCK_STREAM, 1);
  program.answer(allow);
  program.answer(no_permission);
}

/// Pairs of local sockets, which lead nowhere else: pipes to programs are such.
void allow_local_pairs(Program& program) {
  program.skip_unless(static_cast<std::uint32_t>(__NR_socketpair), 4);
  program.load(argument(0));
  program.skip_unless(AF_UNIX, 1);
  program.answer(allow);
  program.answer(no_permission);
}

void refuse_namespaces(Program& program) {
  program.skip_unless(static_cast<std::uint32_t>(__NR_clone), 4);
  program.load(argument(0));
  program.skip_unless_any_bit(new_namespaces, 1);
  program.answer(no_permission);
  program.answer(allow);
}

Program make_program(bool programs) {
  const auto self = static_cast<std::uint32_t>(getpid());
  Program program;
  program.load(offsetof(seccomp_data, arch));
  program.skip_if(architecture, 1);
  program.answer(no_permission);
  program.load(call_number);
#if defined(__x86_64__)
  // The x32 interface: the same calls by other numbers.
  program.skip_unless_any_bit(0x40000000, 1);
  program.answer(no_permission);
#endif
  for (const int call : refused_calls) program.refuse(call, no_permission);
  for (const int call : absent_calls) program.refuse(call, no_such_call);
  refuse_namespaces(program);
  allow_local_pairs(program);
  // A limit of a process: one's own.
  if (!programs) {
    allow_for(program, __NR_prlimit64, 0, self);
    allow_for(program, __NR_kill, self, self);
    allow_for(program, __NR_tgkill, self, self);
    for (const int call : {__NR_socket, __NR_bind, __NR_listen, __NR_execve}) program.refuse(call, no_permission);
  } else {
    allow_local_streams(program);
  }
  program.answer(allow);
  return program;
}

}  // namespace

bool can_filter_system_calls() {
  std::uint32_t action = SECCOMP_RET_ERRNO;
  return syscall(__NR_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

void restrict_system_calls(bool programs) {
  Program program = make_program(programs);
  sock_fprog filter{static_cast<unsigned short>(program.instructions().size()), program.instructions().data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) throw std::system_error(errno, std::generic_category(), "no_new_privs");
  // A positive result is the id of a thread that could not be synchronised.
  const long answer = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
  if (answer != 0) throw std::system_error(answer < 0 ? errno : EBUSY, std::generic_category(), "seccomp");
}

#else

bool can_filter_system_calls() { return false; }

void restrict_system_calls(bool) { throw std::system_error(ENOSYS, std::generic_category(), "seccomp"); }

#endif

}  // namespace lectern::platform
