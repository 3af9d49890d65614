/** The host at a glance: for administrators all of it, for other callers who they are, their tasks and the models. */
import { signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { ask, askJson, sentence } from '../lib/api.js';
import { bytes, count, duration, timeOfDay } from '../lib/format.js';
import { queue, refreshLoaded, refreshModels } from '../lib/models.js';
import { texts } from '../texts.js';
import { AccessCard, type Access } from './access.js';
import { Chart } from './chart.js';
import { byLabel, refreshMetrics, sample, total, trace } from './metrics.js';
import { ModelTable } from './model-table.js';

interface Task { id: string; kind: string; status: string; position: number | null; owner?: string; documents: number | null; pages_done: number | null; pages_total: number | null; outcome: string | null; failure: { message: string } | null; created_at: number; started_at: number | null; ended_at: number | null }
interface Failure { at: number; requestId: string; taskId: string | null; caller: string; method: string; route: string; status: number; refusal: string | null }
interface Host { caller: { identity: string; administrator: boolean }; version: string | null; tasks: Task[]; failures?: Failure[]; access?: Access | null }

const host = signal<Host | null>(null);
const failure = signal('');
const refreshMs = 2000;

async function refresh(): Promise<void> {
  try {
    host.value = await askJson<Host>('v1/host');
    await Promise.all([refreshLoaded(), refreshMetrics()]);
    failure.value = '';
  } catch (thrown) {
    failure.value = sentence(thrown);
  }
}

export function HostView(): JSX.Element {
  useEffect(() => {
    void refreshModels().catch(() => undefined);
    let timer: ReturnType<typeof setTimeout>;
    let isOpen = true;
    const again = (): void => { void refresh().finally(() => { if (isOpen) timer = setTimeout(again, refreshMs); }); };
    again();
    return () => { isOpen = false; clearTimeout(timer); };
  }, []);
  const about = host.value;
  return (
    <div class="host">
      <header class="host-head"><h1>{texts.places.host}</h1>{about !== null && <p class="soft">{texts.host.youAre(about.caller.identity, about.caller.administrator)}{about.version === null ? '' : ` · Lectern ${about.version}`}</p>}</header>
      {failure.value !== '' && <p class="failure" role="alert">{failure.value}</p>}
      {about !== null && <>
        <Numbers isAdministrator={about.caller.administrator} />
        {about.caller.administrator && <div class="charts">
          <Chart title={texts.host.pagesChart} at={trace.value.at} values={trace.value.pages} unit="/s" />
          <Chart title={texts.host.tokensChart} at={trace.value.at} values={trace.value.tokens} unit="/s" />
          <Chart title={texts.host.memoryChart} at={trace.value.at} values={trace.value.memory} unit="MB" />
        </div>}
        <ModelTable isAdministrator={about.caller.administrator} />
        <Tasks tasks={about.tasks} isAdministrator={about.caller.administrator} />
        {about.failures !== undefined && <Failures failures={about.failures} />}
        {about.access !== undefined && about.access !== null && <AccessCard access={about.access} />}
      </>}
    </div>
  );
}

function Fact({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return <div class="fact card"><dt>{title}</dt><dd>{children}</dd></div>;
}

function Numbers({ isAdministrator }: { isAdministrator: boolean }): JSX.Element {
  const all = sample.value;
  const state = (name: string, label: string): number => total(all, name, label);
  const devices = byLabel(all, 'lectern_device_memory_bytes', 'device').filter(([, , key]) => key.includes('kind="total"'));
  return (
    <dl class="facts">
      <Fact title={texts.host.tasksNow}>{texts.host.running(state('lectern_tasks', 'state="running"'))}<span class="soft">{texts.host.waiting(state('lectern_tasks', 'state="waiting"'))}</span></Fact>
      <Fact title={texts.host.chatQueue}>{isAdministrator ? <>{texts.host.running(state('lectern_slot_requests', 'lane="chat",state="working"'))}<span class="soft">{texts.host.waiting(queue.value.waiting)}</span></> : texts.host.waiting(queue.value.waiting)}</Fact>
      {isAdministrator && <>
        <Fact title={texts.host.workers}>{texts.host.busyIdle(state('lectern_workers', 'state="busy"'), state('lectern_workers', 'state="idle"'))}<span class="soft">{bytes(total(all, 'lectern_workers_resident_memory_bytes'))}</span></Fact>
        <Fact title={texts.host.modelMemory}>{bytes(state('lectern_model_memory_bytes', 'kind="reserved"'))}<span class="soft">{texts.host.of(bytes(state('lectern_model_memory_bytes', 'kind="budget"')))}</span></Fact>
        <Fact title={texts.host.results}>{bytes(total(all, 'lectern_task_result_bytes'))}<span class="soft">{texts.host.kept(state('lectern_tasks', 'state="ended"'))}</span></Fact>
        {devices.map(([device, size, key]) => <Fact title={`${/name="([^"]*)"/.exec(key)?.[1] ?? ''} (${device})`}>{bytes(all.get(key.replace('kind="total"', 'kind="free"')) ?? 0)}<span class="soft">{texts.host.freeOf(bytes(size))}</span></Fact>)}
      </>}
    </dl>
  );
}

function Tasks({ tasks, isAdministrator }: { tasks: Task[]; isAdministrator: boolean }): JSX.Element {
  const cancel = (id: string): void => { void ask(`v1/tasks/${id}`, { method: 'DELETE' }).then(refresh).catch((thrown: unknown) => { failure.value = sentence(thrown); }); };
  return (
    <section class="card"><h2>{isAdministrator ? texts.host.allTasks : texts.host.ownTasks}</h2>
      {tasks.length === 0 ? <p class="soft">{texts.host.noTasks}</p> : (
        <div class="table-scroll tall" tabIndex={0} role="group" aria-label={texts.host.allTasks}>
          <table class="plain"><thead><tr>{texts.host.taskHeads.filter((_, index) => isAdministrator || index !== 2).map((head) => <th scope="col">{head}</th>)}</tr></thead><tbody>
            {tasks.map((task) => {
              const { id, kind, status, position, owner, documents, pages_done: done, pages_total: all, outcome, failure: why, created_at: created, started_at: started, ended_at: ended } = task;
              const state = status === 'pending' ? texts.documents.waits(position) : status === 'started' ? texts.documents.pagesOf(count(done ?? 0), count(all ?? 0)) : why?.message ?? texts.host.outcomes[outcome ?? ''] ?? status;
              return <tr>
                <td>{timeOfDay(created)}</td><td><code title={id}>{id.slice(0, 8)}</code> {kind}</td>{isAdministrator && <td>{owner}</td>}<td class="number">{documents ?? ''}</td><td class="number">{all ?? ''}</td><td>{state}</td>
                <td class="number">{started !== null && ended !== null ? duration((ended - started) / 1000) : ''}</td>
                <td>{ended === null && <button type="button" class="small" aria-label={`${texts.cancel} ${id.slice(0, 8)}`} onClick={() => cancel(id)}>{texts.cancel}</button>}</td>
              </tr>;
            })}
          </tbody></table>
        </div>
      )}
    </section>
  );
}

function Failures({ failures }: { failures: Failure[] }): JSX.Element {
  return (
    <section class="card"><h2>{texts.host.failures}</h2>
      {failures.length === 0 ? <p class="soft">{texts.host.noFailures}</p> : (
        <div class="table-scroll tall" tabIndex={0} role="group" aria-label={texts.host.failures}>
          <table class="plain"><thead><tr>{texts.host.failureHeads.map((head) => <th scope="col">{head}</th>)}</tr></thead><tbody>
            {failures.map((one) => <tr><td>{timeOfDay(one.at)}</td><td class="number">{one.status}</td><td><code>{one.method} {one.route}</code></td><td>{one.caller}</td><td>{one.refusal ?? ''}</td><td><code>{one.requestId}</code></td></tr>)}
          </tbody></table>
        </div>
      )}
    </section>
  );
}
