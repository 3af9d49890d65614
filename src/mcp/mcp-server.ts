/** The tool-protocol server: a service's abilities as tools and its results as resources, over any transport of the protocol. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  CallToolRequestSchema, type CallToolResult, ErrorCode, ListResourcesRequestSchema, ListResourceTemplatesRequestSchema, ListToolsRequestSchema, McpError, ReadResourceRequestSchema, type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Service } from '../client/service.js';
import { LecternError } from '../errors.js';
import { stackOf } from '../platform/source-stack.js';
import { readArguments } from './arguments.js';
import { cancelInput, cancelTool, chunkDocument, chunkInput, convertDocument, convertInput, resultInput, resultTool, statusInput, statusTool } from './document-tools.js';
import { chatInput, chatTool, embedInput, embedTool, listModelsTool } from './model-tools.js';
import { readResult, resultTemplates } from './results.js';
import { StartedTasks } from './started-tasks.js';
import type { McpToolCall, ToolHost, ToolText } from './tool.js';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** A document of 100 MB as base64 in one line, and some room. */
const longestLine = 150 * 2 ** 20;

/** What the SDK's clients take in one line, the envelope aside; at a longer one they close the connection. */
const longestAnswer = 10 * 2 ** 20 - 4096;

/** Of the protocol: a resource that is not there. */
const resourceNotFound = -32002;

/** A server for one connection. Defects of its tools are passed to `onDefect`. */
export function createToolServer(service: Service, { version, readsFiles, onDefect }: { version: string; readsFiles: boolean; onDefect: (thrown: unknown) => void }): McpServer {
  const server = new McpServer({ name: 'lectern', version }, {
    capabilities: { tools: {}, resources: {} },
    instructions: `Documents become markdown or chunks, and language models chat and embed, on the service at ${service.address}. Results of conversions are resources.`,
  });
  const host = { service, readsFiles, results: new StartedTasks() };
  addTools(server, host, onDefect);
  addResources(server, host);
  return server;
}

/** Over standard input and output. Settles when the client has closed standard input. What is under way is cancelled then. */
export async function serveTools(service: Service, version: string): Promise<void> {
  const server = createToolServer(service, { version, readsFiles: true, onDefect: (thrown) => process.stderr.write(`lectern: a tool met a defect: ${stackOf(thrown)}\n`) });
  const gone = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
    process.stdin.once('end', () => void server.close());
    process.stdin.once('close', () => void server.close());
  });
  await server.connect(new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: longestLine }));
  await gone;
}

interface McpTool {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  readsOnly: boolean;
  run: (given: unknown, call: McpToolCall) => Promise<ToolText>;
}

function toolsOf(host: ToolHost): McpTool[] {
  const { service, readsFiles } = host;
  const tool = <Shape extends z.ZodRawShape>(
    name: string, title: string, description: string, shape: Shape, run: (input: z.output<z.ZodObject<Shape>>, call: McpToolCall) => Promise<ToolText>, readsOnly = true,
  ): McpTool => {
    const input = z.object(shape);
    return { name, title, description, input, readsOnly, run: async (given, call) => run(readArguments(input, given), call) };
  };
  return [
    tool(
      'convert_document', 'Convert a document', 'Converts a document (PDF, office formats, HTML, images, ...) to markdown or another text format, with headings, tables and reading order.',
      convertInput(readsFiles), (input, call) => convertDocument(host, input, call),
    ),
    tool('chunk_document', 'Cut a document into chunks', 'Cuts a document into chunks for retrieval, each with its headings and pages; the answer is a JSON list.', chunkInput(readsFiles), (input, call) => chunkDocument(host, input, call)),
    tool('task_status', 'How a task stands', 'Says whether a task waits, runs or has ended, with its pages done; the answer is JSON.', statusInput, (input, call) => statusTool(host, input, call)),
    tool('get_result', 'Result of a task', 'Waits for the end of a task and gives its document or chunks.', resultInput, (input, call) => resultTool(host, input, call)),
    tool('cancel_task', 'Cancel a task', 'Cancels a task that waits or runs; forgets one that has ended, with its result.', cancelInput, (input, call) => cancelTool(host, input, call), false),
    tool(
      'list_models', 'List language models', 'Lists the language models of the service with what each can do (completion, tools, embedding, ...).',
      {}, (_input, call) => listModelsTool(service, call),
    ),
    tool('chat', 'Ask a language model', 'Asks a language model of the service and gives its answer.', chatInput, (input, call) => chatTool(service, input, call)),
    tool('embed', 'Embed texts', 'Turns texts into vectors with an embedding model of the service; the answer is JSON.', embedInput, (input, call) => embedTool(service, input, call)),
  ];
}

/** By the protocol's own requests: the SDK's table of tools answers wrong arguments with its validator's list. */
function addTools({ server }: McpServer, host: ToolHost, onDefect: (thrown: unknown) => void): void {
  const tools = toolsOf(host);
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ name, title, description, input, readsOnly }) => ({
      name, title, description, inputSchema: z.toJSONSchema(input, { target: 'draft-7', io: 'input' }) as { type: 'object' }, annotations: { readOnlyHint: readsOnly, destructiveHint: !readsOnly, openWorldHint: false },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => answered(extra, onDefect, async (call) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) throw new LecternError('invalid_request', `There is no tool "${params.name}", only ${tools.map(({ name }) => name).join(', ')}.`);
    return tool.run(params.arguments, call);
  }));
}

function addResources({ server }: McpServer, { service, results }: ToolHost): void {
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: results.list() }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: resultTemplates }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }, { signal }) => {
    const read = await readResult(service, uri, signal).catch((thrown: unknown) => {
      if (!(thrown instanceof LecternError)) throw thrown;
      throw new McpError(thrown.code === 'not_found' ? resourceNotFound : ErrorCode.InvalidRequest, thrown.message, { uri });
    });
    const sizeBytes = Buffer.byteLength(JSON.stringify(read));
    if (sizeBytes > longestAnswer) throw new McpError(ErrorCode.InvalidRequest, tooLarge(sizeBytes), { uri });
    return read;
  });
}

function tooLarge(sizeBytes: number): string {
  return `The answer has ${(sizeBytes / 1e6).toFixed(0)} MB, and clients of tools take ${Math.floor(longestAnswer / 1e6)}: ask for less at a time (pages), or use \`lectern convert\`.`;
}

/** A failure is a result too: the model that called should read why. */
async function answered(extra: Extra, onDefect: (thrown: unknown) => void, run: (call: McpToolCall) => Promise<ToolText>): Promise<CallToolResult> {
  const notices = progressOf(extra);
  try {
    const texts = await run({ signal: extra.signal, progress: notices?.tell });
    const content = texts.map((text) => ({ type: 'text' as const, text }));
    const sizeBytes = Buffer.byteLength(JSON.stringify(content));
    if (sizeBytes > longestAnswer) throw new LecternError('too_large', tooLarge(sizeBytes));
    return { content };
  } catch (thrown) {
    if (!(thrown instanceof LecternError)) onDefect(thrown);
    const sentence = thrown instanceof LecternError ? thrown.message : 'The tool server met a defect; its log tells more.';
    return { isError: true, content: [{ type: 'text', text: sentence }] };
  } finally {
    notices?.stop();
  }
}

/** Clients take a call for dead that says nothing for a while: a queue, an upload or a model that loads is reported as often. */
const noticeMs = 1_000;

/**
 * The protocol wants numbers that grow. Where the work stands still, they creep towards the next whole one; past the total there is none
 * to report.
 */
function progressOf({ _meta: meta, sendNotification, signal }: Extra): { tell: NonNullable<McpToolCall['progress']>; stop: () => void } | undefined {
  const token = meta?.progressToken;
  if (token === undefined) return undefined;
  let told = -1;
  let last: Parameters<NonNullable<McpToolCall['progress']>> = [0, undefined, 'waiting'];
  const send = (progress: number): void => {
    const [, total, message] = last;
    if (signal.aborted) return;
    told = progress;
    const params = { progressToken: token, progress, message, ...(total === undefined || progress > total ? {} : { total }) };
    void sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  const tell = (...now: typeof last): void => {
    last = now;
    if (now[0] > told) send(now[0]);
  };
  const timer = setInterval(() => send(told < 0 ? 0 : told + (Math.floor(told) + 1 - told) / 64), noticeMs);
  return { tell, stop: () => clearInterval(timer) };
}
