// A filter of system calls (seccomp) for a process that has loaded what it needs.
#pragma once

namespace lectern::platform {

/// Whether the kernel, and the architecture that this was compiled for, can filter system calls.
bool can_filter_system_calls();

/// Refuses, for all threads of the process and everything it starts from now on, what the work on documents does not need: with EPERM, and with ENOSYS for io_uring and clone3,
/// for which libraries have other ways. Refused are sockets and connections, tracing and memory of other processes, mounts, namespaces, keys, BPF, io_uring, links and device
/// files, modules, clocks, signals to other processes, and starting programs.
/// @param programs Allow what LibreOffice needs besides: starting programs, signals to them, and local stream sockets, which may be bound and never connected.
/// @throws std::system_error where the kernel refuses.
void restrict_system_calls(bool programs);

}  // namespace lectern::platform
