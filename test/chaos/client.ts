import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { failureKey } from '../../src/failure.ts';
import type { JsonObject } from '../../src/json.ts';
import { Deframer } from '../../src/transports/framing.ts';
import { httpClient } from '../identity/http-client.ts';
import { initialize } from '../program.ts';
import type { ServiceProcess } from './service-process.ts';

/** What a client knows about a call. */
export type Outcome =
  | { readonly kind: 'ok'; readonly value: JsonObject }
  /** The server answered that the call failed. */
  | { readonly kind: 'failed'; readonly failure: string; readonly message: string }
  /** There was no answer: the call may have had its effect. */
  | { readonly kind: 'lost'; readonly message: string }
  /** The server was not reached: the call had no effect. */
  | { readonly kind: 'unsent' };

export interface ChaosClient {
  readonly name: string;
  readonly server: ServiceProcess;
  call(tool: string, args: object): Promise<Outcome>;
}

/** A live server answers each call within this time, even if it was frozen or its database was down for some seconds. */
const maxCallMs = 120_000;

type Send = (method: string, params: JsonObject) => Promise<JsonObject | undefined>;

/** Calls tools with `send`, which resolves to `undefined` if the server cannot be reached. */
function clientOf(
  name: string,
  server: ServiceProcess,
  send: Send,
  report: (problem: string) => void,
): ChaosClient {
  return {
    name,
    server,
    async call(tool, args) {
      const limit = new AbortController();
      const late = pause(maxCallMs, 'late' as const, { signal: limit.signal, ref: false }).catch(
        () => undefined,
      );
      try {
        const answer = await Promise.race([
          send('tools/call', { name: tool, arguments: args as JsonObject }),
          late,
        ]);
        if (answer === 'late') {
          report(`${tool} on ${name} got no answer within ${maxCallMs / 1000} s`);
          return { kind: 'lost', message: 'no answer' };
        }
        return answer === undefined ? { kind: 'unsent' } : outcomeOf(answer);
      } catch (error) {
        return { kind: 'lost', message: String(error) };
      } finally {
        limit.abort();
      }
    },
  };
}

function outcomeOf({ result, error }: JsonObject): Outcome {
  if (error !== undefined) {
    const { code, message } = error as { code: number; message: string };
    return { kind: 'failed', failure: `code ${code}`, message };
  }
  const value = result as JsonObject;
  if (value['isError'] !== true)
    return { kind: 'ok', value: (value['structuredContent'] ?? value) as JsonObject };
  const details = (value['_meta'] as JsonObject | undefined)?.[failureKey] as JsonObject | undefined;
  const [content] = value['content'] as { text: string }[];
  return {
    kind: 'failed',
    failure: String(details?.['kind'] ?? 'tool-failed'),
    message: content?.text ?? '',
  };
}

/** A client on stdio. It starts its server again when the server has been killed. */
export function stdioClient(server: ServiceProcess, report: (problem: string) => void): ChaosClient {
  let ids = 0;
  let waiting = new Map<number, PromiseWithResolvers<JsonObject>>();
  const request = (method: string, params: JsonObject): Promise<JsonObject> => {
    const id = ++ids;
    const answer = Promise.withResolvers<JsonObject>();
    waiting.set(id, answer);
    server.child?.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return answer.promise;
  };
  const connect = async () => {
    const child = server.start();
    const own = new Map<number, PromiseWithResolvers<JsonObject>>();
    waiting = own;
    const deframer = new Deframer(Number.POSITIVE_INFINITY);
    child.stdout!.on('data', (chunk: Buffer) => {
      for (const frame of deframer.push(chunk)) {
        if (frame.kind !== 'message') {
          report(`${server.name} wrote an invalid message`);
          continue;
        }
        const message = frame.value as JsonObject;
        if ('method' in message) continue;
        own.get(message['id'] as number)?.resolve(message);
        own.delete(message['id'] as number);
      }
    });
    child.once('close', () => {
      for (const { reject } of own.values()) reject(new Error('the server has ended'));
    });
    await request('initialize', initialize()['params'] as JsonObject);
  };
  return clientOf(
    'stdio',
    server,
    async (method, params) => {
      if (server.child === undefined) await connect();
      return request(method, params);
    },
    report,
  );
}

/** A client on HTTP, with a session of an older revision or with the current revision. */
export function httpChaosClient(
  kind: 'session' | 'modern',
  server: ServiceProcess,
  url: string,
  tokenFile: string,
  report: (problem: string) => void,
): ChaosClient {
  let session: { 'mcp-session-id': string | null } | undefined;
  const exchange: Send = async (method, params) => {
    const client = httpClient(url, readFileSync(tokenFile, 'utf8').trim());
    try {
      if (kind === 'modern') return (await (await client.sendModern(method, params)).json()) as JsonObject;
      session ??= await client.session();
      if (session['mcp-session-id'] === null) {
        session = undefined;
        return undefined;
      }
      const response = await client.post({ method, params }, session as { 'mcp-session-id': string });
      if (response.status !== 404) return (await response.json()) as JsonObject;
      // The server was started again and does not know the session: nothing has happened.
      session = undefined;
      return undefined;
    } catch (error) {
      if (isRefused(error)) return undefined;
      throw error;
    }
  };
  return clientOf(`HTTP ${kind}`, server, exchange, report);
}

function isRefused(error: unknown): boolean {
  const { code, cause } = error as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException };
  return code === 'ENOENT' || cause?.code === 'ECONNREFUSED';
}
