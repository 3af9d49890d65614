/** Messages to the supervisor that started the service, by the sd_notify protocol. */
import { loadAddon } from './addon.js';

/** One datagram to the socket that NOTIFY_SOCKET names. Throws LecternError `invalid_state` where it cannot be sent. */
export function notifySupervisor(address: string, message: string): void {
  loadAddon().notifySupervisor(address, message);
}
