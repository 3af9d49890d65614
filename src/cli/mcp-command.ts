/** `lectern mcp`: the tool-protocol server over standard input and output, for the service at LECTERN_URL. */
import { Service } from '../client/service.js';
import { serveTools } from '../mcp/mcp-server.js';
import { packageVersion } from '../platform/package-files.js';
import type { Command } from './command.js';

export const mcp: Command = async ({ environment }) => {
  await serveTools(new Service(environment['LECTERN_URL']), packageVersion());
  return 0;
};
