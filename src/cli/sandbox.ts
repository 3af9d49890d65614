/** `lectern sandbox`: a process in which the service renders templates and compiles schemas. The service starts it for itself. */
import { restrictedWithProgramsWord, restrictedWord } from '../chat/sandbox/restriction.js';
import { serveSandbox } from '../chat/sandbox/serve.js';
import { restrictSystemCalls } from '../engine/confinement.js';
import { endWithParent } from '../engine/end-with-parent.js';

/** Without a word the process is not restricted, and does not load the native addon. */
export async function sandbox([word]: string[]): Promise<number> {
  await serveSandbox(() => {
    if (word !== restrictedWord && word !== restrictedWithProgramsWord) return;
    endWithParent();
    restrictSystemCalls(word === restrictedWithProgramsWord);
  });
  return 0;
}
