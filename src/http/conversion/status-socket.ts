/** The WebSocket that tells how a task goes: on every change, and whenever the client asks. */
import type { WebSocket } from '@fastify/websocket';
import type { FastifyInstance } from 'fastify';
import { LecternError } from '../../errors.js';
import { DamagedTask } from '../../tasks/record-format.js';
import type { ConversionTaskView, HttpDependencies } from '../dependencies.js';
import { HttpFailure, internalDetail } from '../error-reply.js';
import { requireVisible, taskNotFound } from './task-access.js';
import { taskStatus, type TaskStatusResponse, tenantOf } from './task-status.js';
import type { WaitingCounts } from './waiting-counts.js';

interface Frame {
  message: 'connection' | 'update' | 'error';
  task: TaskStatusResponse | null;
  error: string | null;
}

interface SocketRoute {
  Params: { task_id: string };
  Querystring: { tenant_id?: string };
}

/** The SDKs ask again as soon as they are answered; without a pause both sides would do nothing else. */
const pauseMs = 50;
const mostOwed = 100;
/** A client that reads slower than its task speaks misses updates, never the last one. */
const mostBufferedBytes = 256 * 1024;

export function addStatusSocket(app: FastifyInstance, { tasks, log, settings }: HttpDependencies, waiting: WaitingCounts): void {
  app.get<SocketRoute>('/v1/status/ws/:task_id', { websocket: true }, (socket, request) => {
    const { task_id: id } = request.params;
    const tenant = request.query.tenant_id ?? tenantOf(request);
    const send = (frame: Frame): void => { socket.send(JSON.stringify(frame)); };
    const fail = (thrown: unknown): void => {
      const isUnknown = thrown instanceof HttpFailure || (thrown instanceof LecternError && thrown.code === 'not_found');
      const known = isUnknown ? taskNotFound : thrown instanceof DamagedTask ? thrown.message : null;
      if (known === null) log.error({ err: thrown, taskId: id }, 'a status socket met a defect');
      send({ message: 'error', task: null, error: known ?? internalDetail });
      socket.close(1000);
    };
    try {
      const updates = new Updates(socket, (task) => send({ message: 'update', task: taskStatus(task, waiting.of(id)), error: null }));
      const present = requireVisible(request, tasks.get(id, tenant), settings);
      socket.on('close', tasks.subscribe(id, tenant, (task) => updates.tell(task)));
      send({ message: 'connection', task: taskStatus(present, waiting.of(id)), error: null });
      updates.tell(present);
      socket.on('message', () => updates.owe(() => tasks.get(id, tenant), fail));
    } catch (thrown) {
      fail(thrown);
    }
  });
}

/** What was said and what is still owed to one client. */
class Updates {
  private owed = 0;
  private timer: NodeJS.Timeout | undefined;
  private lastAt = 0;
  private isOver = false;

  constructor(private readonly socket: WebSocket, private readonly send: (task: ConversionTaskView) => void) {
    socket.on('close', () => {
      this.isOver = true;
      clearTimeout(this.timer);
    });
  }

  /** Says it now; the last word closes the socket. */
  tell(task: ConversionTaskView): void {
    const hasEnded = task.status === 'success' || task.status === 'failure';
    if (this.isOver || (!hasEnded && this.socket.bufferedAmount > mostBufferedBytes)) return;
    this.lastAt = performance.now();
    this.send(task);
    if (!hasEnded) return;
    this.isOver = true;
    clearTimeout(this.timer);
    this.socket.close(1000);
  }

  /** One update for one question, as soon as the pause allows. */
  owe(look: () => ConversionTaskView, fail: (thrown: unknown) => void): void {
    this.owed = Math.min(this.owed + 1, mostOwed);
    if (this.timer === undefined) this.pay(look, fail);
  }

  private pay(look: () => ConversionTaskView, fail: (thrown: unknown) => void): void {
    this.timer = undefined;
    if (this.isOver || this.owed === 0) return;
    const restMs = this.lastAt + pauseMs - performance.now();
    if (restMs > 0) {
      this.timer = setTimeout(() => this.pay(look, fail), restMs);
      return;
    }
    this.owed--;
    try {
      this.tell(look());
    } catch (thrown) {
      this.isOver = true;
      fail(thrown);
      return;
    }
    this.pay(look, fail);
  }
}
