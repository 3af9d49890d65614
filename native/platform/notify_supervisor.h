// What a supervisor such as systemd hears of the service.
#pragma once

#include <string>

namespace lectern::platform {

/// Sends one message of the sd_notify protocol as a datagram to the local socket at `address` (a path, or `@name` for an abstract one). Never waits.
/// @throws std::system_error where it cannot be sent.
void notify_supervisor(const std::string& address, const std::string& message);

}  // namespace lectern::platform
