/** /metrics in Prometheus' text format: requests, tasks, memory and time of the process. */
import type { FastifyInstance } from 'fastify';
import type { TaskCounts } from '../../tasks/types.js';
import type { HttpDependencies, Log } from '../dependencies.js';
import type { RecentFailures } from './recent-failures.js';

/** Upper bounds in seconds. Conversions take up to two minutes, status answers a millisecond. */
const bounds = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
/** Probes would drown everything else: not counted, and in the log at debug only. */
const probes = new Set(['/metrics', '/health', '/api', '/ready', '/readyz', '/livez']);

export interface Series {
  method: string;
  route: string;
  statuses: Map<number, number>;
  buckets: number[];
  sumS: number;
  count: number;
}

/** There was no response: the client left first. nginx's number for it; it never goes over the wire. */
const clientLeft = 499;

/**
 * Measures every request of `app`, once each, and writes its line into the log. Before all other hooks, which may refuse. By the raw
 * answer's own end: a client that has its `content-length` bytes may be gone before the stream of a file has ended, and Fastify's
 * onResponse never hears of those.
 */
export function measureRequests(app: FastifyInstance, log: Log, failures: RecentFailures): ReadonlyMap<string, Series> {
  const series = new Map<string, Series>();
  app.addHook('onRequest', async (request, reply) => {
    const began = performance.now();
    const { raw } = reply;
    // A connection that is gone has none any more.
    const { remoteAddress } = request.raw.socket;
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      const ms = performance.now() - began;
      // The declared route, never the client's path: else strangers could grow this table.
      const route = request.routeOptions.url ?? 'unknown';
      const status = raw.headersSent ? raw.statusCode : isSocket(request) ? 101 : clientLeft;
      const isProbe = probes.has(route);
      const caller = request.caller?.identity || remoteAddress;
      const taskId = reply.getHeader('x-lectern-task-id');
      const more = { ...(taskId !== undefined && { taskId }), ...(request.refusal !== undefined && { refusal: request.refusal }) };
      log[isProbe ? 'debug' : 'info']({ requestId: request.id, ...more, caller, method: request.method, route, status, ms: Math.round(ms) }, 'a request ended');
      if (!isProbe && status >= 400) failures.add({ at: Date.now(), requestId: request.id, taskId: taskId === undefined ? null : String(taskId), caller: caller ?? '', method: request.method, route, status, ms: Math.round(ms), refusal: request.refusal ?? null });
      if (!isProbe) count(series, request.method, route, status, ms / 1000);
    };
    raw.once('finish', end);
    raw.once('close', end);
  });
  return series;
}

/** After a handshake the answer is the socket's, of which this server hears no head. */
function isSocket(request: object): boolean {
  return (request as { ws?: unknown }).ws === true;
}

function count(all: Map<string, Series>, method: string, route: string, status: number, seconds: number): void {
  const key = `${method} ${route}`;
  const one = all.get(key) ?? { method, route, statuses: new Map<number, number>(), buckets: bounds.map(() => 0), sumS: 0, count: 0 };
  all.set(key, one);
  one.statuses.set(status, (one.statuses.get(status) ?? 0) + 1);
  bounds.forEach((bound, index) => { if (seconds <= bound) one.buckets[index] = (one.buckets[index] ?? 0) + 1; });
  one.sumS += seconds;
  one.count++;
}

export function addMetricsRoute(app: FastifyInstance, { tasks, version, moreMetrics }: HttpDependencies, series: ReadonlyMap<string, Series>): void {
  app.get('/metrics', async (request, reply) => {
    // Who asked for what, and how much of it, is the administrators' business.
    const { isAdministrator } = request.caller;
    const all = !isAdministrator ? [...taskLines(tasks.counts()), ...buildLines(version)] : [...requestLines([...series.values()]), ...taskLines(tasks.counts()), ...buildLines(version), ...processLines(), moreMetrics?.() ?? ''];
    return reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8').send(`${all.filter((line) => line !== '').join('\n')}\n`);
  });
}

/** One family of samples in the text format. */
export function family(name: string, type: 'counter' | 'gauge' | 'histogram', help: string, samples: string[]): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples];
}

export function labels(values: Record<string, string | number>): string {
  const pairs = Object.entries(values).map(([name, value]) => `${name}="${String(value).replace(/[\\"\n]/g, (mark) => (mark === '\n' ? '\\n' : `\\${mark}`))}"`);
  return `{${pairs.join(',')}}`;
}

function requestLines(all: Series[]): string[] {
  const total = 'lectern_http_requests_total';
  const duration = 'lectern_http_request_duration_seconds';
  const counts = all.flatMap(({ method, route, statuses }) =>
    [...statuses].map(([status, count]) => `${total}${labels({ method, route, status })} ${count}`));
  const times = all.flatMap(({ method, route, buckets, sumS, count }) => [
    ...bounds.map((bound, index) => `${duration}_bucket${labels({ method, route, le: bound })} ${buckets[index]}`),
    `${duration}_bucket${labels({ method, route, le: '+Inf' })} ${count}`,
    `${duration}_sum${labels({ method, route })} ${sumS}`,
    `${duration}_count${labels({ method, route })} ${count}`,
  ]);
  return [
    ...family(total, 'counter', 'Requests that ended, by declared route; status 499: the client left before it was answered.', counts),
    ...family(duration, 'histogram', 'Time from the first byte of a request to the last of its answer.', times),
  ];
}

function taskLines({ reserved, waiting, running, ended, endedBytes, begun, waitMs, succeeded, failed, cancelled }: TaskCounts): string[] {
  const by = (name: string, label: string, values: Record<string, number>): string[] => Object.entries(values).map(([key, value]) => `${name}${labels({ [label]: key })} ${value}`);
  return [
    ...family('lectern_tasks', 'gauge', 'Tasks by state: uploading, waiting, running, kept after their end.', by('lectern_tasks', 'state', { reserved, waiting, running, ended })),
    ...family('lectern_task_result_bytes', 'gauge', 'Bytes of results on disk.', [`lectern_task_result_bytes ${endedBytes}`]),
    ...family('lectern_tasks_begun_total', 'counter', 'Tasks whose work began.', [`lectern_tasks_begun_total ${begun}`]),
    ...family('lectern_task_wait_seconds_total', 'counter', 'Time from coming to the beginning of the work, of all tasks together.', [`lectern_task_wait_seconds_total ${waitMs / 1000}`]),
    ...family('lectern_tasks_ended_total', 'counter', 'Tasks by their end.', by('lectern_tasks_ended_total', 'outcome', { succeeded, failed, cancelled })),
  ];
}

function buildLines(version: string): string[] {
  return family('lectern_build_info', 'gauge', 'Always 1; the labels tell the versions.', [`lectern_build_info${labels({ version, node: process.versions.node })} 1`]);
}

/** The files that are read again while the service runs, by their purpose; undefined: there is none. */
export function reloadLines(files: Record<string, { isCurrent(): boolean } | undefined>): string {
  const samples = Object.entries(files).flatMap(([file, found]) => (found === undefined ? [] : [`lectern_file_reload_successful${labels({ file })} ${found.isCurrent() ? 1 : 0}`]));
  if (samples.length === 0) return '';
  return family('lectern_file_reload_successful', 'gauge', '0 while a file has changed into one that cannot be used: what it held before stays in force, and the log says why.', samples).join('\n');
}

/** Told alike for as long as the process lives, also where the clock is set: monitors take a change for a new start. */
const startS = Math.round(Date.now() / 1000 - process.uptime());

function processLines(): string[] {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const gauge = (name: string, help: string, value: number): string[] => family(name, 'gauge', help, [`${name} ${value}`]);
  return [
    ...gauge('process_resident_memory_bytes', 'Resident memory of the serving process; its conversion processes have a gauge of their own.', rss),
    ...gauge('nodejs_heap_size_used_bytes', 'Heap in use.', heapUsed),
    ...gauge('nodejs_heap_size_total_bytes', 'Heap held.', heapTotal),
    ...gauge('nodejs_external_memory_bytes', 'Memory of buffers outside the heap.', external),
    ...gauge('process_start_time_seconds', 'Start of the process, seconds since 1970.', startS),
    ...family('process_cpu_seconds_total', 'counter', 'Processor time of the serving process.', [`process_cpu_seconds_total ${(user + system) / 1e6}`]),
  ];
}
