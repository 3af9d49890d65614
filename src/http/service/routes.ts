/** Routes about the service itself: probes, its description, and its tools for AI programs. */
import type { FastifyInstance } from 'fastify';
import type { HttpDependencies } from '../dependencies.js';
import { addMcp } from '../mcp/routes.js';
import { addDescriptionRoutes } from './description.js';
import { addPageRoutes } from '../page/routes.js';
import { addHealthRoutes } from './health.js';
import { addHostRoutes } from './host.js';
import type { RecentFailures } from './recent-failures.js';

export function addServiceRoutes(app: FastifyInstance, dependencies: HttpDependencies, failures: RecentFailures): void {
  void app.register(async (scope) => {
    addHealthRoutes(scope, dependencies);
    addDescriptionRoutes(scope, dependencies);
    addPageRoutes(scope);
    addHostRoutes(scope, dependencies, failures);
  });
  void app.register(async (scope) => addMcp(scope, dependencies));
}
