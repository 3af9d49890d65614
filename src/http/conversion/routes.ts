/** The v1 contract of docling-serve. Its bodies are read by the routes themselves, as streams. */
import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';
import type { HttpDependencies } from '../dependencies.js';
import { addConvertRoutes } from './convert.js';
import { addPageRoutes } from './page-routes.js';
import { addRefusedRoutes } from './refused-routes.js';
import { addStatusSocket } from './status-socket.js';
import { addTaskRoutes } from './task-routes.js';
import { WaitingCounts } from './waiting-counts.js';

export async function addConversion(scope: FastifyInstance, dependencies: HttpDependencies): Promise<void> {
  const waiting = new WaitingCounts(dependencies.tasks);
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
  await scope.register(multipart);
  addConvertRoutes(scope, dependencies, waiting);
  addTaskRoutes(scope, dependencies, waiting);
  addPageRoutes(scope, dependencies);
  addStatusSocket(scope, dependencies, waiting);
  addRefusedRoutes(scope);
}
