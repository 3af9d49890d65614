/** A lease on a model of the fake engine, with the chat template and the answers that a test gives it. */
import type { CatalogueEntry, Lease } from '../../src/models/types.js';
import { type FakeLanguageEngine, type FakeModel, fakeLanguageEngine } from './fake-language-engine.js';
import { fakeEntry } from './language-service.js';

export interface ChatLease {
  lease: Lease;
  engine: FakeLanguageEngine;
}

export async function chatLease(model: FakeModel, entry: Partial<CatalogueEntry> = {}): Promise<ChatLease> {
  const engine = fakeLanguageEngine({ chat: model });
  const loaded = await engine.openModel('chat');
  return { engine, lease: { entry: fakeEntry('chat:latest', entry), model: loaded, loadMs: 0, release: () => undefined } };
}
