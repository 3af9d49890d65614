/** `lectern sandbox`: a process in which the service renders templates and compiles schemas. The service starts it for itself. */
import { serveSandbox } from '../chat/sandbox/serve.js';

export async function sandbox(): Promise<number> {
  await serveSandbox();
  return 0;
}
