// One datagram; see sd_notify(3) for what messages say.
#include "platform/notify_supervisor.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>

namespace lectern::platform {

void notify_supervisor(const std::string& address, const std::string& message) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if (address.empty() || address.size() >= sizeof to.sun_path) throw std::system_error(EINVAL, std::generic_category(), "the supervisor's address");
  std::memcpy(to.sun_path, address.data(), address.size());
  if (address.front() == '@') to.sun_path[0] = '\0';
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.size());
  const int descriptor = socket(AF_UNIX, SOCK_DGRAM, 0);
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "socket");
  const ssize_t sent = sendto(descriptor, message.data(), message.size(), MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&to), length);
  const int why = errno;
  close(descriptor);
  if (sent < 0) throw std::system_error(why, std::generic_category(), "sendto " + address);
}

}  // namespace lectern::platform
