// The verbs and their judges for npm clients: what python/verbs.py is for Python. One line of JSON per verb on standard output, as [verb, outcome, detail].
import { readFileSync } from 'node:fs';

export const url = process.env.BENCH_URL;
export const key = process.env.BENCH_KEY;
export const real = process.env.BENCH_REAL ?? '';
export const model = 'chat';
export const ending = 'ending';
export const embedder = 'embedder';
export const wrongKey = 'lk-wrong';
export const unknown = 'no-such-model';
export const question = 'the world';
export const tokens = 40;
/** An object of the schemas below is not longer than this. */
export const objectTokens = 200;
export const longTokens = 16_000;
export const texts = ['hello world', 'the'];
export const toolName = 'set_lamp';
export const toolText = 'Switches the lamp of a room on or off.';
export const toolQuestion = 'Switch on the lamp in the kitchen.';
export const parameters = {
  type: 'object',
  properties: { room: { type: 'string', enum: ['kitchen', 'hall'], description: 'The room of the lamp.' }, on: { type: 'boolean', description: 'Whether the lamp is to be on.' } },
  required: ['room', 'on'],
  additionalProperties: false,
};
export const tool = { type: 'function', function: { name: toolName, description: toolText, parameters } };
export const schema = {
  type: 'object', properties: { colour: { type: 'string', enum: ['red', 'green', 'blue'] }, bright: { type: 'boolean' } }, required: ['colour', 'bright'], additionalProperties: false,
};

const verbs = ['chat', 'stream', 'tools', 'tools_stream', 'auto', 'structure', 'embed', 'unknown_model', 'bad_request', 'wrong_key', 'cancel'];
const statuses = { unknown_model: 404, bad_request: 400, wrong_key: 401 };
const freeMs = 10_000;
/** The longest that one verb may take. */
const verbMs = 120_000;

/** Rejects after that time. Its timer ends with the process. */
const tooLong = () => new Promise((_, reject) => setTimeout(() => reject(new Error(`no end after ${verbMs} ms`)), verbMs));

async function metric(sample) {
  const text = await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${key}` } })).text();
  const line = text.split('\n').find((one) => one.startsWith(`${sample} `));
  return line === undefined ? 0 : Number(line.slice(sample.length + 1));
}

/** All HTTP statuses that an error or one of its causes names. */
function statusesOf(error) {
  const found = new Set();
  for (let one = error, depth = 0; one !== null && typeof one === 'object' && depth < 8; one = one.cause ?? one.lastError, depth += 1) {
    for (const value of [one.status, one.statusCode, one.status_code, one.code, one.response?.status]) if (Number.isInteger(value)) found.add(value);
    for (const number of String(one.message).match(/\b[45]\d\d\b/g) ?? []) found.add(Number(number));
  }
  return found;
}

const objectOf = (value) => (typeof value === 'string' ? JSON.parse(value) : value);

function judgeCall([name, given]) {
  const call = objectOf(given);
  if (name !== toolName) return `${name} is not the tool`;
  return ['kitchen', 'hall'].includes(call.room) && typeof call.on === 'boolean' && Object.keys(call).length === 2 ? '' : `arguments ${JSON.stringify(call)}`;
}

function judgePieces(pieces, whole) {
  if (pieces.length < 2) return `${pieces.length} pieces`;
  return pieces.join('') === whole ? '' : `the stream says ${JSON.stringify(pieces.join(''))}, the whole answer ${JSON.stringify(whole)}`;
}

function judgeStructure(given) {
  const value = objectOf(given);
  return ['red', 'green', 'blue'].includes(value.colour) && typeof value.bright === 'boolean' ? '' : `not as the schema says: ${JSON.stringify(value)}`;
}

function judgeVectors(vectors) {
  if (vectors.length !== texts.length || vectors.some(({ length }) => length !== 64)) return `vectors of ${vectors.map(({ length }) => length)} values`;
  return vectors.every((vector) => Math.abs(Math.hypot(...vector) - 1) < 1e-3) ? '' : 'not of length 1';
}

async function judgeRefusal(verb, act) {
  try {
    return `nothing was refused: ${JSON.stringify(await act())}`;
  } catch (error) {
    return statusesOf(error).has(statuses[verb]) ? '' : `${error.name}, not ${statuses[verb]}: ${error.message}`;
  }
}

async function judgeCancel(act) {
  const cancelled = 'lectern_slot_requests_total{lane="chat",outcome="cancelled"}';
  const before = await metric(cancelled);
  await act();
  for (const end = Date.now() + freeMs; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    if (await metric('lectern_slot_requests{lane="chat",state="working"}') === 0) return await metric(cancelled) === before + 1 ? '' : 'the request was not cancelled but served to its end';
  }
  return `the slot was not free ${freeMs} ms later`;
}

async function problemOf(client, verb) {
  const act = () => client[verb]();
  if (verb in statuses) return judgeRefusal(verb, act);
  if (verb === 'cancel') return judgeCancel(act);
  if (verb === 'auto') {
    const calls = await client.auto(real);
    return calls.length === 0 ? 'no call' : judgeCall(calls[0]);
  }
  const value = await act();
  if (verb === 'chat') return typeof value === 'string' && value !== '' ? '' : `no text: ${JSON.stringify(value)}`;
  if (verb === 'stream') return judgePieces(value, await client.chat());
  if (verb.startsWith('tools')) return judgeCall(value);
  return verb === 'embed' ? judgeVectors(value) : judgeStructure(value);
}

const report = (...line) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** Performs all verbs of a client: `packages` are those whose versions are reported, `lacks` names verbs that they do not have, with the reason. */
export async function run(client) {
  report('versions', Object.fromEntries(client.packages.map((name) => [name, JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), 'utf8')).version])));
  for (const verb of verbs) {
    if (client.lacks?.[verb] !== undefined) {
      report(verb, 'lacks', client.lacks[verb]);
      continue;
    }
    if (verb === 'auto' && real === '') {
      report(verb, 'skipped', 'needs the real model');
      continue;
    }
    const began = Date.now();
    const problem = await Promise.race([problemOf(client, verb), tooLong()]).catch((error) => `${error.name}: ${error.message}`);
    report(verb, problem === '' ? 'ok' : 'failed', problem === '' ? `${((Date.now() - began) / 1000).toFixed(1)} s` : problem);
  }
  process.exit(0);
}
