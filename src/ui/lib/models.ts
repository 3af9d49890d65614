/** The models of the host: what is installed, what is loaded, what each would take. */
import { computed, signal } from '@preact/signals';
import { ask, askJson } from './api.js';

interface Tag { name: string; size: number; details: { family: string; parameter_size: string; quantization_level: string; context_length: number }; capabilities: string[] }
interface Loaded { name: string; size: number; size_vram: number; context_length: number; expires_at: string; state?: string; progress?: number }
interface Need { name: string; memory_bytes: number | null; context: number | null; load_seconds?: number | null; refusal: string | null }

export interface Model {
  name: string;
  size: number;
  parameters: string;
  quantization: string;
  family: string;
  /** Tokens that a conversation may have. */
  context: number;
  can: string[];
  /** Bytes; null where they are not known. */
  memory: number | null;
  refusal: string | null;
  loaded: { bytes: number; onDevice: boolean; until: string; state: string } | null;
  /** Seconds that a load would take; null before the service has loaded a model. */
  loadS: number | null;
}

const tags = signal<Tag[]>([]);
const needs = signal<ReadonlyMap<string, Need>>(new Map());
export const residents = signal<Loaded[]>([]);
export const queue = signal<{ waiting: number; own: number[] }>({ waiting: 0, own: [] });

export const models = computed<Model[]>(() => tags.value.map(({ name, size, details, capabilities }) => {
  const need = needs.value.get(name);
  const loaded = residents.value.find((one) => one.name === name);
  return {
    name, size, parameters: details.parameter_size, quantization: details.quantization_level === 'unknown' ? '' : details.quantization_level, family: details.family,
    context: loaded?.context_length || need?.context || details.context_length, can: capabilities, memory: need?.memory_bytes ?? null, refusal: need?.refusal ?? null,
    loaded: loaded === undefined ? null : { bytes: loaded.size, onDevice: loaded.size_vram > 0, until: loaded.expires_at, state: loaded.state ?? 'loaded' }, loadS: need?.load_seconds ?? null,
  };
}));
export const chatModels = computed(() => models.value.filter(({ can }) => can.includes('completion')));
export const embedders = computed(() => models.value.filter(({ can }) => can.includes('embedding')));

/** Throws ServiceError. */
export async function refreshModels(): Promise<void> {
  const [{ models: listed }] = await Promise.all([askJson<{ models: Tag[] }>('api/tags'), refreshLoaded()]);
  tags.value = listed;
  // An estimate reads the model's file: it comes after the list.
  const { models: estimated } = await askJson<{ models: Need[] }>('v1/host/models').catch(() => ({ models: [] }));
  needs.value = new Map(estimated.map((one) => [one.name, one]));
}

export async function refreshLoaded(): Promise<void> {
  const { models: loaded, queue: waiting } = await askJson<{ models: Loaded[]; queue: { waiting: number; own: number[] } }>('api/ps');
  residents.value = loaded;
  queue.value = waiting;
}

/** Loads the model, or unloads it. Throws ServiceError. */
export async function setLoaded(model: string, isLoaded: boolean): Promise<void> {
  await ask('api/generate', { json: { model, stream: false, ...(isLoaded ? {} : { keep_alive: 0 }) } });
  await refreshModels();
}
