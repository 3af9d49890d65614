/** For a process that must not outlive the one that started it. */
import { loadAddon } from './addon.js';

/**
 * From now on the kernel kills this process when its parent ends, whatever it computes then: who computes without end never sees that a channel
 * was closed. Elsewhere than on Linux it answers false and does nothing. Throws `invalid_state` where the addon is missing. The kernel watches the
 * thread that started the process: that must be one which lives as long as its process, as Node's main thread does.
 */
export function endWithParent(): boolean {
  return loadAddon().endWithParent();
}
