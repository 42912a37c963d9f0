import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { log, logLevel, setLogContext } from '../log.ts';

interface RequestContext {
  readonly request: string;
  /** Who sends the request, once that is known. */
  actor?: string;
}

const current = new AsyncLocalStorage<RequestContext>();
setLogContext(() => current.getStore());

const header = 'x-request-id';

/**
 * Runs the work on a request under its id: that of a proxy in front of the server, or a new one. The reply has it, and so has
 * everything that the log in JSON says about the request.
 */
export function withRequestId<Value>(
  request: IncomingMessage,
  response: ServerResponse,
  work: () => Promise<Value>,
): Promise<Value> {
  const given = request.headers[header];
  const id = typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : crypto.randomUUID();
  response.setHeader(header, id);
  const context: RequestContext = { request: id };
  if (logLevel() === 'debug') {
    const begun = performance.now();
    const path = (request.url ?? '').replace(/[?#].*$/s, '');
    const describe = () =>
      log(
        'debug',
        `${request.method} ${path} ${response.statusCode} ${Math.round(performance.now() - begun)} ms`,
      );
    response.once('close', () => current.run(context, describe));
  }
  return current.run(context, work);
}

export function nameActor(name: string): void {
  const context = current.getStore();
  if (context !== undefined) context.actor = name;
}
