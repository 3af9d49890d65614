/** A sandbox without a process: what the test asks is computed in the test itself. */
import { complete as completeWith } from '../../src/chat/complete.js';
import type { Sandbox } from '../../src/chat/sandbox/sandbox.js';
import { verbs } from '../../src/chat/sandbox/verbs.js';

export const directSandbox: Sandbox = {
  readJson: async (pieces) => verbs.readJson(null, Buffer.concat(pieces)),
  render: async (question) => verbs.render(question),
  form: async (question) => verbs.form(question),
  checkGoTemplate: async (source) => verbs.checkGoTemplate(source),
  check: async (questions) => verbs.check(questions),
  close: async () => undefined,
};

type Rest<T> = T extends (sandbox: never, ...rest: infer R) => infer A ? (...rest: R) => A : never;

export const complete: Rest<typeof completeWith> = (...asked) => completeWith(directSandbox, ...asked);
