/** What /metrics tells of language models: tokens and times of answers, slots and their queue, what is loaded. */
import type { Answer } from '../../chat/answer.js';
import type { DistantResidency, OwnedSlots, Residency, ResidencyMetrics, ResidentModel, SlotMetrics, VisionResidency } from '../../models/types.js';
import type { LanguageServices } from '../language.js';
import { family, labels } from './metrics.js';

/** Upper bounds in seconds: a short prompt on a GPU takes hundredths, a long one on a processor minutes. */
const bounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

interface Tally {
  answers: number;
  prompt: number;
  cached: number;
  completion: number;
  draft: number;
  accepted: number;
  prefillS: number;
  decodeS: number;
}

/** The part of the engine's devices that is reported here. */
interface DeviceMemory {
  kind: string;
  name: string;
  memoryTotalBytes: number;
  memoryFreeBytes: number;
}

/** Where the numbers are asked for. */
interface Sources {
  slots: OwnedSlots;
  embeddingSlots: OwnedSlots;
  residency: Pick<Residency, 'list'> & Pick<VisionResidency, 'listVision'> & { metrics(): ResidencyMetrics };
  workers: Pick<DistantResidency, 'listDistant'>;
  devices(): DeviceMemory[];
}

/** Counts answers on their way. Names of models come from the catalogue, so a stranger cannot grow the table. */
export class LanguageMeter {
  readonly #tallies = new Map<string, Tally>();
  readonly #firstTokens = { buckets: bounds.map(() => 0), sumS: 0, count: 0 };

  /** The same answers, counted. */
  measured(answer: LanguageServices['answer']): LanguageServices['answer'] {
    return async (lease, request, listener, signal) => {
      const began = performance.now();
      let silent = true;
      const counted = await answer(lease, request, {
        ...listener,
        onParts: (choice, parts, tokens) => {
          if (silent) this.#tellFirst((performance.now() - began) / 1000);
          silent = false;
          listener.onParts?.(choice, parts, tokens);
        },
      }, signal);
      this.#count(lease.entry.name, counted);
      return counted;
    };
  }

  lines({ slots, embeddingSlots, residency, workers, devices }: Sources): string {
    return [
      ...this.#answerLines(), ...this.#firstTokenLines(),
      ...slotLines({ chat: slots.metrics(), embedding: embeddingSlots.metrics() }), ...residencyLines(residency.metrics()),
      ...memoryLines([...residency.list(), ...residency.listVision(), ...workers.listDistant()], devices()),
    ].join('\n');
  }

  #tellFirst(seconds: number): void {
    const { buckets } = this.#firstTokens;
    bounds.forEach((bound, index) => { if (seconds <= bound) buckets[index] = (buckets[index] ?? 0) + 1; });
    this.#firstTokens.sumS += seconds;
    this.#firstTokens.count++;
  }

  #count(model: string, answer: Answer): void {
    const tally = this.#tallies.get(model) ?? { answers: 0, prompt: 0, cached: 0, completion: 0, draft: 0, accepted: 0, prefillS: 0, decodeS: 0 };
    this.#tallies.set(model, tally);
    tally.answers++;
    tally.prompt += answer.promptTokens;
    tally.cached += answer.cachedTokens;
    tally.completion += answer.completionTokens;
    tally.draft += answer.draftTokens;
    tally.accepted += answer.acceptedTokens;
    tally.prefillS += answer.prefillMs / 1000;
    tally.decodeS += answer.decodeMs / 1000;
  }

  #answerLines(): string[] {
    const counter = (name: string, help: string, kinds: (tally: Tally) => Record<string, number>, label: string): string[] =>
      family(name, 'counter', help, [...this.#tallies].flatMap(([model, tally]) =>
        Object.entries(kinds(tally)).map(([kind, value]) => `${name}${labels({ model, ...(label === '' ? {} : { [label]: kind }) })} ${value}`)));
    return [
      ...counter('lectern_answers_total', 'Answers of language models that were finished.', ({ answers }) => ({ answers }), ''),
      ...counter('lectern_tokens_total', 'Tokens of finished answers; cached ones are those of prompts that were not computed again.', ({ prompt, cached, completion }) => ({ prompt, cached, completion }), 'kind'),
      ...counter('lectern_draft_tokens_total', 'Tokens that the text itself suggested and passes verified, by whether they were right.', ({ draft, accepted }) => ({ accepted, rejected: draft - accepted }), 'kind'),
      ...counter('lectern_answer_seconds_total', 'Time of finished answers by phase: reading prompts, writing tokens.', ({ prefillS, decodeS }) => ({ prefill: prefillS, decode: decodeS }), 'phase'),
    ];
  }

  #firstTokenLines(): string[] {
    const name = 'lectern_time_to_first_token_seconds';
    const { buckets, sumS, count } = this.#firstTokens;
    return family(name, 'histogram', 'From the slot to the first text of an answer.', [
      ...bounds.map((bound, index) => `${name}_bucket${labels({ le: bound })} ${buckets[index]}`),
      `${name}_bucket${labels({ le: '+Inf' })} ${count}`, `${name}_sum ${sumS}`, `${name}_count ${count}`,
    ]);
  }
}

function slotLines(byLane: Record<string, SlotMetrics>): string[] {
  const lines = (name: string, type: 'counter' | 'gauge', help: string, states: (metrics: SlotMetrics) => Record<string, number>, label: string): string[] =>
    family(name, type, help, Object.entries(byLane).flatMap(([lane, metrics]) =>
      Object.entries(states(metrics)).map(([state, value]) => `${name}${labels({ lane, ...(label === '' ? {} : { [label]: state }) })} ${value}`)));
  return [
    ...lines('lectern_slot_requests', 'gauge', 'Requests to language models: at work, waiting for a slot, waiting for their model.', ({ working, ready, loading }) => ({ working, waiting: ready, loading }), 'state'),
    ...lines('lectern_slot_requests_total', 'counter', 'Requests to language models by their end.', ({ served, failed, cancelled, refused }) => ({ served, failed, cancelled, refused }), 'outcome'),
    ...lines('lectern_slot_wait_seconds_total', 'counter', 'Time from coming to the slot, of all requests together.', ({ waitMs }) => ({ wait: waitMs / 1000 }), ''),
  ];
}

function residencyLines(metrics: ResidencyMetrics): string[] {
  const one = (name: string, type: 'counter' | 'gauge', help: string, values: Record<string, number>, label: string): string[] =>
    family(name, type, help, Object.entries(values).map(([key, value]) => `${name}${label === '' ? '' : labels({ [label]: key })} ${value}`));
  const { loads, failedLoads, cancelledLoads, loadMs, evictions, expirations, loadedModels, loadingModels, waitingModels, bytes, budgetBytes } = metrics;
  return [
    ...one('lectern_models', 'gauge', 'Models by state: loaded, loading, waiting for memory.', { loaded: loadedModels, loading: loadingModels, waiting: waitingModels }, 'state'),
    ...one('lectern_model_loads_total', 'counter', 'Loads of models by their end.', { loaded: loads, failed: failedLoads, cancelled: cancelledLoads }, 'outcome'),
    ...one('lectern_model_load_seconds_total', 'counter', 'Time of all loads that succeeded.', { all: loadMs / 1000 }, ''),
    ...one('lectern_model_unloads_total', 'counter', 'Models that were unloaded to make room, or because their time was over.', { evicted: evictions, expired: expirations }, 'reason'),
    ...one('lectern_model_memory_bytes', 'gauge', 'Memory reserved by models, and how much there is for them.', { reserved: bytes, budget: budgetBytes }, 'kind'),
  ];
}

/** What each model takes as it was reserved, and what the device itself says of its memory: other programs may hold some of it. */
function memoryLines(models: (Pick<ResidentModel, 'bytes' | 'onDevice'> & { entry: { name: string } })[], devices: DeviceMemory[]): string[] {
  const byModel = new Map<string, number>();
  for (const { entry, bytes, onDevice } of models) {
    const key = labels({ model: entry.name, place: onDevice ? 'device' : 'host' });
    byModel.set(key, (byModel.get(key) ?? 0) + bytes);
  }
  const memory = devices.flatMap(({ kind, name, memoryTotalBytes, memoryFreeBytes }, index) => {
    // Each kind from 0 on, as nvidia-smi counts GPUs.
    const device = `${kind}${devices.slice(0, index).filter((before) => before.kind === kind).length}`;
    return Object.entries({ total: memoryTotalBytes, free: memoryFreeBytes }).map(([what, bytes]) => `lectern_device_memory_bytes${labels({ device, name, kind: what })} ${bytes}`);
  });
  return [
    ...family('lectern_resident_model_bytes', 'gauge', 'Memory reserved by each model that is loading or loaded, weights and caches.', [...byModel].map(([key, bytes]) => `lectern_resident_model_bytes${key} ${bytes}`)),
    ...family('lectern_device_memory_bytes', 'gauge', 'Memory of each device as it reports it.', memory),
  ];
}
