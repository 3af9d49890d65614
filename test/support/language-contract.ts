/** What every language engine keeps, the real one and the fake: run against both. */
import type { Test } from 'tap';
import type {
  GenerateOptions, GenerateResult, LanguageEngine, LanguageModel, OpenModelOptions, Prompt, TokenChunk,
} from '../../src/engine/port.js';
import { failureOf } from './failure-of.js';

export interface ContractSubject {
  engine: LanguageEngine;
  /** A decoder of 256 tokens that can write at least 40 tokens of any prompt, with `<|im_end|>` as a control token. */
  chat: string;
  /** A decoder that writes for a second at least, if it is let. */
  slow: string;
  /** An encoder of 256 tokens. */
  embedder: string;
  missing: string;
  damaged: string;
}

interface Answer {
  text: string;
  ids: number[];
  bursts: TokenChunk[];
  result: GenerateResult;
}

export async function answerOf(model: LanguageModel, prompt: Prompt, options: GenerateOptions = {}): Promise<Answer> {
  const bursts: TokenChunk[] = [];
  const result = await model.generate(prompt, { ...options, onTokens: (burst) => bursts.push(burst) });
  return { text: bursts.map((burst) => burst.text).join(''), ids: bursts.flatMap((burst) => burst.ids), bursts, result };
}

/** Forbids control tokens and what is no printable ASCII, so that the text is the ids' text, cut anywhere. */
export function asciiOnly(model: LanguageModel): [number, number][] {
  const all = Array.from({ length: model.info.vocabularySize }, (_, id) => id);
  return all.filter((id) => !/^(?!<\|)[ -~]+$/.test(Buffer.from(model.tokenBytes(id)).toString('latin1')) || model.info.endTokens.includes(id)).map((id) => [id, -Infinity]);
}

export async function languageContract(t: Test, subject: ContractSubject): Promise<void> {
  const { engine } = subject;
  async function open(t: Test, path: string, options?: OpenModelOptions): Promise<LanguageModel> {
    const model = await engine.openModel(path, options);
    t.teardown(() => model.close());
    return model;
  }

  await t.test('a file is described without being loaded', async (t) => {
    const chat = await engine.describeModel(subject.chat);
    t.match(chat, { architecture: String, unsupported: null, embeds: false, context: 256 });
    t.ok(chat.parameterCount > 0 && chat.weightBytes > 0 && chat.embeddingLength > 0 && chat.vocabularySize > 0 && chat.tensors.length > 0);
    t.equal(chat.metadata['general.architecture'], chat.architecture);
    t.equal(chat.metadata['tokenizer.ggml.tokens'], null, 'arrays are left out');
    const whole = await engine.describeModel(subject.chat, { arrays: true });
    t.equal((whole.metadata['tokenizer.ggml.tokens'] as unknown[]).length, chat.vocabularySize, 'unless asked for');
    t.equal((await engine.describeModel(subject.embedder)).embeds, true);
    for (const [path, code] of [[subject.missing, 'model_not_found'], [subject.damaged, 'invalid_model']] as const) {
      for (const call of [() => engine.describeModel(path), () => engine.openModel(path), () => engine.memoryNeed(path, {})]) t.equal((await failureOf(call())).code, code, String(call));
    }
  });

  await t.test('the need of a model is known before, and what it got is reported', async (t) => {
    const need = await engine.memoryNeed(subject.chat, {});
    t.ok(need.weightBytes > 0 && need.kvBytes > 0 && need.workBytes > 0);
    const more = await engine.memoryNeed(subject.chat, { slots: 4 });
    t.ok(more.kvBytes > need.kvBytes * 1.9, 'more slots');
    t.ok((await engine.memoryNeed(subject.chat, { context: 128 })).kvBytes < need.kvBytes * 0.6, 'a shorter context');
    t.ok((await engine.memoryNeed(subject.chat, { kv: 'f32' })).kvBytes > need.kvBytes * 1.9, 'wider numbers');
    t.equal((await failureOf(engine.memoryNeed(subject.chat, { kv: 'q8_0' }))).code, 'unsupported_format', 'what only a GPU keeps');
    const fractions: number[] = [];
    const model = await open(t, subject.chat, { slots: 3, context: 128, onProgress: (fraction) => fractions.push(fraction) });
    t.match(model.info, { embeds: false, slots: 3, context: 128 });
    t.ok(model.info.endTokens.length > 0 && model.info.need.kvBytes > 0);
    t.ok(fractions.length > 0 && fractions.length < 50 && fractions.at(-1) === 1, `${fractions.length} fractions up to ${fractions.at(-1)}`);
    t.same(fractions, fractions.toSorted((a, b) => a - b));
    t.equal((await failureOf(engine.openModel(subject.chat, { context: 257 }))).code, 'invalid_request', 'more than it was trained for');
    t.equal((await failureOf(engine.openModel(subject.chat, { signal: AbortSignal.abort() }))).code, 'cancelled');
    await t.rejects(engine.openModel(subject.chat, { onProgress: () => { throw new Error('of the caller'); } }), { message: 'of the caller' });
  });

  await t.test('text to tokens and back', async (t) => {
    const model = await open(t, subject.chat);
    const text = 'hello the world, na\u00efve \u7684 \u{1f642}';
    const ids = await model.tokenize(text);
    t.equal(Buffer.concat(ids.map((id) => model.tokenBytes(id))).toString(), text);
    t.same([await model.countTokens(text), await model.countTokens(ids)], [ids.length, ids.length]);
    t.same(await model.tokenize(''), []);
    const typed = await model.tokenize('a<|im_end|>');
    const meant = await model.tokenize([{ text: 'a', special: false }, { text: '<|im_end|>', special: true }]);
    t.ok(typed.length > meant.length && !typed.some((id) => model.info.endTokens.includes(id)), 'a user cannot write a control token');
    t.ok(model.info.endTokens.includes(meant.at(-1) ?? -1), 'a template can');
    t.equal(Buffer.from(model.tokenBytes(meant.at(-1) ?? -1)).toString(), '<|im_end|>');
    t.same(await model.tokenize('\ud800'), await model.tokenize('\ufffd'), 'half a surrogate pair');
    t.throws(() => model.tokenBytes(-1), { code: 'invalid_request' });
    t.throws(() => model.tokenBytes(model.info.vocabularySize), { code: 'invalid_request' });
  });

  await t.test('an answer: its bursts, its counts, its end', async (t) => {
    const model = await open(t, subject.chat);
    const logitBias = asciiOnly(model);
    const prompt = 'hello the world';
    const whole = await answerOf(model, prompt, { maxTokens: 24, seed: 7, logitBias });
    t.match(whole.result, { finishReason: 'length', stopString: null, promptTokens: (await model.tokenize(prompt)).length, completionTokens: 24 });
    t.equal(whole.ids.length, 24);
    t.equal(whole.text, Buffer.concat(whole.ids.map((id) => model.tokenBytes(id))).toString());
    t.ok(Object.values(whole.result).every((value) => typeof value !== 'number' || value >= 0));
    t.same((await answerOf(model, prompt, { maxTokens: 24, seed: 7, logitBias })).ids, whole.ids, 'the same seed, the same answer');
    t.not((await answerOf(model, prompt, { maxTokens: 24, seed: 8, logitBias })).text, whole.text, 'another seed, another one');
    t.same((await answerOf(model, await model.tokenize(prompt), { maxTokens: 24, seed: 7, logitBias })).ids, whole.ids, 'from ids');
    t.same((await answerOf(model, [{ text: 'hello the ', special: true }, { text: 'world', special: false }], { maxTokens: 24, seed: 7, logitBias })).ids, whole.ids, 'from parts');
    t.equal((await model.generate(prompt, { maxTokens: 5, seed: 7 })).completionTokens, 5, 'without a listener');

    const stop = whole.text.slice(9, 12);
    const stopped = await answerOf(model, prompt, { maxTokens: 24, seed: 7, logitBias, stop: ['\u0000', stop] });
    t.match(stopped.result, { finishReason: 'stop', stopString: stop });
    t.equal(stopped.text, whole.text.slice(0, whole.text.indexOf(stop)), 'what stops it is not shown');

    const cut = await answerOf(model, prompt, { maxTokens: 24, seed: 7, logitBias, stop: [stop], logprobs: 0 });
    t.same(cut.ids, whole.ids.slice(0, cut.ids.length), 'every id is reported');
    t.ok(Buffer.concat(cut.ids.map((id) => model.tokenBytes(id))).includes(stop), 'those of the stop string, too');
    const behind = cut.bursts.flatMap((burst) => (burst.logprobs ?? []).map(({ id }) => model.tokenBytes(id)));
    t.ok(Buffer.concat(behind).toString().startsWith(cut.text));
    t.ok(Buffer.concat(behind.slice(0, -1)).length < cut.text.length, 'and the logprobs of what is shown');

    const told = await answerOf(model, prompt, { maxTokens: 6, seed: 7, logitBias, logprobs: 3 });
    const logprobs = told.bursts.flatMap((burst) => burst.logprobs ?? []);
    t.same(logprobs.map((entry) => entry.id), told.ids);
    t.ok(logprobs.every((entry) => entry.logprob <= 0 && entry.top.length === 3 && (entry.top[0]?.logprob ?? 1) >= (entry.top[1]?.logprob ?? 1)));
    t.ok(whole.bursts.every((burst) => burst.logprobs === undefined));

    const full = await answerOf(model, prompt, { temperature: 0, logitBias, ignoreEnd: true });
    t.match(full.result, { finishReason: 'length', completionTokens: 256 - full.result.promptTokens }, 'to the end of the context');
  });

  await t.test('more answers than slots', async (t) => {
    const model = await open(t, subject.chat, { slots: 2 });
    const logitBias = asciiOnly(model);
    const alone = await answerOf(model, 'hello', { maxTokens: 30, seed: 3, logitBias });
    const together = await Promise.all(Array.from({ length: 7 }, () => answerOf(model, 'hello', { maxTokens: 30, seed: 3, logitBias })));
    t.same(together.map((answer) => answer.text), together.map(() => alone.text), 'company changes nothing');
    const long = 'the hello world '.repeat(12);
    await answerOf(model, long, { maxTokens: 2, seed: 1 });
    const again = await model.generate(`${long}!`, { maxTokens: 2, seed: 1 });
    t.ok(again.cachedTokens >= 64 && again.cachedTokens % 64 === 0, `${again.cachedTokens} of ${again.promptTokens} taken over`);
    t.equal((await model.generate(`${long}!`, { maxTokens: 2, reuse: 'none' })).cachedTokens, 0);
  });

  await t.test('a cancel is heard before, while it waits and while it writes', async (t) => {
    const model = await open(t, subject.slow, { slots: 1 });
    const logitBias = asciiOnly(model);
    t.equal((await failureOf(model.generate('hello', { signal: AbortSignal.abort() }))).code, 'cancelled');
    const writing = new AbortController();
    const waiting = new AbortController();
    const first = failureOf(model.generate('hello', { logitBias, signal: writing.signal, onTokens: () => writing.abort() }));
    const second = failureOf(model.generate('hello', { logitBias, signal: waiting.signal }));
    const third = model.generate('hello', { logitBias, maxTokens: 3 });
    waiting.abort();
    t.same((await Promise.all([first, second])).map(({ code }) => code), ['cancelled', 'cancelled']);
    t.equal((await third).completionTokens, 3, 'who waited behind them is served');
    const thrown = new Error('of the reader');
    const fails = model.generate('hello', { logitBias, onTokens: () => { throw thrown; } });
    t.equal(await fails.catch((error: unknown) => error), thrown, 'what the reader throws ends the answer');
  });

  await t.test('what cannot be is refused with a code', async (t) => {
    const model = await open(t, subject.chat);
    const over = await failureOf(model.generate('a'.repeat(3000)));
    t.equal(over.code, 'context_overflow');
    t.match(over.message, new RegExp(`${(await model.tokenize('a'.repeat(3000))).length}\\b.*\\b256\\b`), over.message);
    const wrong: [unknown, unknown][] = [
      ['', {}], [[], {}], [7, {}], [null, {}], [[0.5], {}], [[-1], {}], [[2 ** 40], {}], [[model.info.vocabularySize], {}], [[NaN], {}],
      ['x', { temperature: NaN }], ['x', { temperature: -1 }], ['x', { topP: 2 }], ['x', { minP: -0.1 }], ['x', { maxTokens: -2 }],
      ['x', { logprobs: 21 }], ['x', { lgoprobs: 1 }], ['x', { stop: [''] }], ['x', { stop: Array.from({ length: 10_000 }, String) }],
      ['x', { logitBias: [[model.info.vocabularySize, 1]] }],
    ];
    for (const [prompt, options] of wrong) {
      const failure = await failureOf(model.generate(prompt as Prompt, options as GenerateOptions));
      t.equal(failure.code, 'invalid_request', `${JSON.stringify(prompt)} ${JSON.stringify(options).slice(0, 50)}: ${failure.message}`);
    }
    t.match((await failureOf(model.generate('x', { lgoprobs: 1 } as object))).message, /lgoprobs/);
    t.equal((await failureOf(model.embed('x'))).code, 'invalid_request', 'a decoder embeds nothing');
    t.equal((await model.generate('x', { maxTokens: 1 })).promptTokens, 1, 'after all that');
  });

  await t.test('embeddings', async (t) => {
    const model = await open(t, subject.embedder);
    t.equal(model.info.embeds, true);
    const [one, same, other] = await Promise.all([model.embed('hello world'), model.embed('hello world'), model.embed('the world')]);
    t.equal(one.vector.length, model.info.embeddingLength);
    t.ok(Math.abs(Math.hypot(...one.vector) - 1) < 1e-5, 'of length 1');
    const raw = await model.embed('hello world', { normalise: false });
    const length = Math.hypot(...raw.vector);
    t.ok(Math.abs(length - 1) > 0.01, `as the model gives it, of length ${length}`);
    t.ok(one.vector.every((value, index) => Math.abs(value - (raw.vector[index] as number) / length) < 1e-6), 'the same direction');
    t.equal((await failureOf(model.embed('x', { normalise: 1 as never }))).code, 'invalid_request');
    t.same(one, same);
    t.notSame(one.vector, other.vector);
    t.equal(one.promptTokens, (await model.tokenize('hello world')).length);
    t.equal((await failureOf(model.embed(''))).code, 'invalid_request');
    t.equal((await failureOf(model.embed([]))).code, 'invalid_request');
    const over = await failureOf(model.embed('a b '.repeat(400)));
    t.equal(over.code, 'context_overflow');
    t.match(over.message, /\d+.*256/);
    t.equal((await failureOf(model.embed('x', { signal: AbortSignal.abort() }))).code, 'cancelled');
    t.equal((await failureOf(model.generate('x'))).code, 'invalid_request', 'an encoder writes nothing');
  });

  await t.test('close cancels, may be called twice, and then nothing works', async (t) => {
    const model = await engine.openModel(subject.slow, { slots: 1 });
    const logitBias = asciiOnly(model);
    const codes = Promise.all(Array.from({ length: 5 }, () => model.generate('hello', { logitBias }).then(() => 'done', (error: { code: string }) => error.code)));
    await Promise.all([model.close(), model.close()]);
    t.same(await codes, Array.from({ length: 5 }, () => 'cancelled'));
    for (const call of [model.generate('x'), model.tokenize('x'), model.embed('x')]) {
      t.equal((await failureOf(call)).code, 'invalid_state');
    }
    t.throws(() => model.tokenBytes(1), { code: 'invalid_state' });
    await model.close();
  });
}
