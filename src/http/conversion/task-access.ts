/** Whose tasks a caller may see: the ones it submitted itself, all of them for an administrator, or for everyone by the setting shared-tasks. */
import type { FastifyRequest } from 'fastify';
import { isLoopback, parseNetworkAddress } from '../../network/address.js';
import type { ConversionTaskView } from '../dependencies.js';
import { HttpFailure } from '../error-reply.js';
import type { HttpSettings } from '../settings.js';

/** The body of the contract's 404. */
export const taskNotFound = 'Task not found.';

/** Programs of this host are one owner, whichever loopback address they come from. */
const thisHost = 'loopback';

/** The same text for what counts as the same owner: a key by its name, an address by itself. */
function ownerOf(identity: string): string {
  const address = parseNetworkAddress(identity);
  return address !== undefined && isLoopback(address) ? thisHost : identity;
}

/** Whether the caller submitted the task. One without an owner is of an older program, and everybody's who has its id. */
export function isOwnTask({ caller }: FastifyRequest, { owner }: Pick<ConversionTaskView, 'owner'>): boolean {
  return owner === '' || ownerOf(owner) === ownerOf(caller.identity);
}

/** The task, if the caller may see it. Throws 404, as for a task that does not exist: an id that was overheard tells nothing. */
export function requireVisible(request: FastifyRequest, task: ConversionTaskView, { sharedTasks }: Pick<HttpSettings, 'sharedTasks'>): ConversionTaskView {
  if (!sharedTasks && !request.caller.isAdministrator && !isOwnTask(request, task)) throw new HttpFailure(404, taskNotFound);
  return task;
}
