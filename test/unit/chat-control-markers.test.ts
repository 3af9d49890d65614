/** Control tokens that structure an answer: put back where they were written, at a cost that grows with the answer. */
import t from 'tap';
import { ControlMarkers } from '../../src/chat/output/control-markers.js';
import type { LanguageModel } from '../../src/engine/port.js';

/** Tokens below 256 are bytes. */
function modelOfBytes(): { model: LanguageModel; asked: () => number } {
  let asked = 0;
  const tokenBytes = (id: number): Uint8Array => {
    asked += 1;
    return Uint8Array.of(id);
  };
  return { model: { tokenBytes } as unknown as LanguageModel, asked: () => asked };
}
const markers = new Map([[1000, '<call>'], [1001, '<think>']]);
const idsOf = (text: string): number[] => [...Buffer.from(text)];

t.test('markers stand where their tokens do, however text and tokens come', async (t) => {
  const one = new ControlMarkers(modelOfBytes().model, markers);
  t.equal(one.push({ text: 'über', ids: idsOf('über') }), 'über');
  t.equal(one.push({ text: ' a', ids: [...idsOf(' a'), 1000, ...idsOf('bc')] }), ' a<call>', 'text that is held back comes behind');
  t.equal(one.push({ text: 'b', ids: [1001] }), '', 'one more marker whose place is not reached');
  t.equal(one.push({ text: 'cé', ids: idsOf('é') }), 'bc<think>é');
  t.equal(one.push({ text: '', ids: [...idsOf('never'), 1000] }), '');
  t.equal(one.end(), '<call>');
});

t.test('bytes of a token are asked for once at most, and not at all without markers', async (t) => {
  const { model, asked } = modelOfBytes();
  const looping = new ControlMarkers(model, markers);
  let made = '';
  for (let turn = 0; turn < 3000; turn += 1) made += looping.push({ text: 'x', ids: [120, 1000] });
  t.equal(made + looping.end(), 'x<call>'.repeat(3000));
  t.equal(asked(), 3000);
  const plain = new ControlMarkers(model, markers);
  for (let turn = 0; turn < 100; turn += 1) plain.push({ text: 'x', ids: [120] });
  t.equal(asked(), 3000);
});
