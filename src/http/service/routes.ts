/** Routes about the service itself: probes, its description, and its tools for AI programs. */
import type { FastifyInstance } from 'fastify';
import type { HttpDependencies } from '../dependencies.js';
import { addMcp } from '../mcp/routes.js';
import { addDescriptionRoutes } from './description.js';
import { addHealthRoutes } from './health.js';

export function addServiceRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  void app.register(async (scope) => {
    addHealthRoutes(scope, dependencies);
    addDescriptionRoutes(scope, dependencies);
  });
  void app.register(async (scope) => addMcp(scope, dependencies));
}
