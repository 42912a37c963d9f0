import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WireError } from '../contracts/contract.ts';
import { codes } from '../contracts/standard.ts';
import { classify, type RequestMessage } from '../engine/message.ts';
import { claimedVersion, parseEnvelope } from '../engine/modern.ts';
import type { Server } from '../engine/server.ts';
import { Failure } from '../failure.ts';
import { isObject, type JsonObject, type JsonSchema } from '../json.ts';
import type { Access } from '../toolsets/access.ts';
import { EventStream } from './event-stream.ts';
import { sendJson } from './reply.ts';

const headerMismatch = -32020;

/** HTTP status of protocol errors. All other errors are sent with status 200. */
const statusOf: Readonly<Record<number, number>> = {
  [codes['invalid-request']]: 400,
  [codes['method-not-found']]: 404,
  [codes['capability-missing']]: 400,
  [codes['unsupported-version']]: 400,
};

/** The parameter that the header `Mcp-Name` repeats, by method. */
const nameFields: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** Serves one request of revision 2026-07-28. There are no sessions, and closing the connection cancels the request. */
export async function serveModern(
  server: Server,
  access: Access,
  message: unknown,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const incoming = classify(message);
  let stream: EventStream | undefined;
  const session = server.connect(
    (sent) => {
      stream ??= new EventStream(randomUUID());
      if (!stream.attached) stream.attach(response, {});
      stream.send(sent);
    },
    { era: 'modern', access },
  );
  try {
    // The session refuses a request that is invalid.
    if (incoming.kind === 'request' && incoming.request.issue === undefined) {
      const refusal = checkHeaders(server, incoming.request, request);
      if (refusal)
        return void sendJson(response, 400, {
          jsonrpc: '2.0',
          id: incoming.request.id,
          error: { ...refusal } as JsonObject,
        });
    }
    response.on('close', () => session.close());
    const reply = await session.receive(message);
    if (stream?.attached) {
      if (reply !== undefined) stream.send(reply);
      stream.end();
    } else if (reply !== undefined) sendJson(response, statusFor(reply as JsonObject), reply);
    else if (!response.destroyed) response.writeHead(202).end();
  } finally {
    session.close();
  }
}

function statusFor(reply: JsonObject): number {
  const error = reply['error'];
  return isObject(error) ? (statusOf[error['code'] as number] ?? 200) : 200;
}

/** Checks the envelope, then that the headers match the body, so that proxies can trust the headers. */
function checkHeaders(
  server: Server,
  message: RequestMessage,
  { headers }: IncomingMessage,
): WireError | undefined {
  const mismatch = (header: string, why: string) => ({
    code: headerMismatch,
    message: `Header mismatch: ${why}`,
    data: { header },
  });
  const claimed = claimedVersion(message.params);
  const version = headers['mcp-protocol-version'];
  if (claimed !== undefined && version !== undefined && version !== claimed) {
    return mismatch('MCP-Protocol-Version', `the header says ${version}, the body ${claimed}`);
  }
  try {
    parseEnvelope(message.params);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return server.contract.error(error, server.contract.codes[error.kind], message.method);
  }
  if (version === undefined) return mismatch('MCP-Protocol-Version', 'the header is missing');
  const method = headers['mcp-method'];
  if (method === undefined) return mismatch('Mcp-Method', 'the header is missing');
  if (method !== message.method)
    return mismatch('Mcp-Method', `the header says ${String(method)}, the body ${message.method}`);
  const field = Object.hasOwn(nameFields, message.method) ? nameFields[message.method]! : undefined;
  const named = field === undefined ? undefined : message.params[field];
  if (typeof named === 'string') {
    const given = decodeHeader(headers['mcp-name']);
    if (given === undefined) return mismatch('Mcp-Name', 'the header is missing or cannot be decoded');
    if (given !== named) return mismatch('Mcp-Name', `the header says ${given}, the body ${named}`);
  }
  return message.method === 'tools/call'
    ? checkParameterHeaders(server, message, headers, mismatch)
    : undefined;
}

/** A tool's schema can require, with `x-mcp-header`, that an argument is repeated in the header `Mcp-Param-<name>`. */
function checkParameterHeaders(
  server: Server,
  { params }: RequestMessage,
  headers: IncomingMessage['headers'],
  mismatch: (header: string, why: string) => WireError,
): WireError | undefined {
  const tool = server.offeredTools.get(params['name'] as string)?.tool;
  const args = isObject(params['arguments']) ? params['arguments'] : {};
  for (const { name, header } of tool === undefined ? [] : repeatedArguments(tool.inputSchema)) {
    const value = args[name];
    const raw = headers[`mcp-param-${header.toLowerCase()}`];
    if (value === undefined || value === null) {
      if (raw !== undefined) return mismatch(`Mcp-Param-${header}`, `the body has no argument ${name}`);
      continue;
    }
    const given = decodeHeader(raw);
    // A header can only repeat a text, a number or a truth value.
    if (typeof value === 'object' || given !== String(value))
      return mismatch(`Mcp-Param-${header}`, `the header does not repeat the argument ${name}`);
  }
  return undefined;
}

const repeated = new WeakMap<JsonSchema, readonly { readonly name: string; readonly header: string }[]>();

/** The arguments that a header repeats, collected once for each schema. */
function repeatedArguments(schema: JsonSchema) {
  const known = repeated.get(schema);
  if (known !== undefined) return known;
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const found = properties.flatMap(([name, property]) => {
    const header = (property as JsonSchema)['x-mcp-header'];
    return typeof header === 'string' ? [{ name, header }] : [];
  });
  repeated.set(schema, found);
  return found;
}

/** Decodes a header. Values with special characters are sent as `=?base64?…?=`. */
function decodeHeader(value: string | string[] | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  const trimmed = value.replace(/^[ \t]+|[ \t]+$/g, '');
  const encoded = /^=\?base64\?(.*)\?=$/.exec(trimmed)?.[1];
  if (encoded === undefined) return trimmed;
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded ? bytes.toString('utf8') : undefined;
}
