import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CalDavServer {
  readonly url: string;
  /** Stored objects by path, byte for byte as they were sent. */
  readonly objects: Map<string, string>;
  /** Method and path of every request. */
  readonly requests: string[];
  /** Announces that it sends invitations. */
  schedules: boolean;
  readOnly: boolean;
  /** Answers every request with an error. */
  failing: boolean;
  /** Number of writes that failed because the object had changed. */
  refusals: number;
  /** Runs after an object was stored and before the response; may destroy the connection. */
  afterWrite: ((request: IncomingMessage, response: ServerResponse) => Promise<void> | void) | undefined;
  close(): Promise<void>;
}

/**
 * A CalDAV server with one calendar, `/cal/`, that keeps the bytes of each object. It supports what RFC 4791 and 6578
 * require of a client that syncs: conditional requests, sync-collection and calendar-multiget.
 */
export async function startCalDav(address = 'ann@example.com'): Promise<CalDavServer> {
  const objects = new Map<string, string>();
  /** Every change, for sync tokens. */
  const log: string[] = [];
  const requests: string[] = [];
  const server = createServer((request, response) => {
    void handle(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  const state = {
    schedules: false,
    readOnly: false,
    failing: false,
    refusals: 0,
    afterWrite: undefined,
  } as Pick<CalDavServer, 'schedules' | 'readOnly' | 'failing' | 'refusals' | 'afterWrite'>;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url!, 'http://x').pathname;
    requests.push(`${request.method} ${path}`);
    const known = objects.get(path);
    if (state.failing) return void response.writeHead(503).end();
    const body = await readBody(request);
    const dav = `1, 3, calendar-access${state.schedules ? ', calendar-auto-schedule' : ''}`;
    response.setHeader('dav', dav);
    switch (request.method) {
      case 'OPTIONS':
        return void response.writeHead(200).end();
      case 'GET':
        if (known === undefined) return void response.writeHead(404).end();
        return void response
          .writeHead(200, { etag: etagOf(known), 'content-type': 'text/calendar' })
          .end(known);
      case 'PUT':
      case 'DELETE':
        return write(request, response, path, objects.get(path), body);
      case 'PROPFIND':
        return multistatus(response, [{ path, props: propsOf(path, body) }]);
      case 'REPORT':
        return report(response, body);
      default:
        return void response.writeHead(405).end();
    }
  }

  async function write(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    known: string | undefined,
    body: string,
  ): Promise<void> {
    if (state.readOnly) return void response.writeHead(403).end('<e>need-privileges</e>');
    const { 'if-match': match, 'if-none-match': none } = request.headers;
    const fails =
      (none === '*' && known !== undefined) ||
      (match !== undefined && (known === undefined || etagOf(known) !== match));
    if (fails) {
      state.refusals += 1;
      return void response.writeHead(412).end();
    }
    if (request.method === 'PUT') objects.set(path, body);
    else if (!objects.delete(path)) return void response.writeHead(404).end();
    log.push(path);
    await state.afterWrite?.(request, response);
    if (!response.destroyed) response.writeHead(known === undefined ? 201 : 204).end();
  }

  function propsOf(path: string, body: string): string {
    const privileges = ['read', ...(state.readOnly ? [] : ['write'])];
    const values: Readonly<Record<string, string>> = {
      resourcetype: path === '/cal/' ? '<d:collection/><c:calendar/>' : '<d:collection/>',
      displayname: 'Calendar',
      'current-user-principal': '<d:href>/ann/</d:href>',
      'current-user-privilege-set': privileges
        .map((name) => `<d:privilege><d:${name}/></d:privilege>`)
        .join(''),
      'calendar-user-address-set': `<d:href>mailto:${address}</d:href><d:href>/ann/</d:href>`,
      'calendar-home-set': '<d:href>/</d:href>',
    };
    return Object.entries(values)
      .filter(([name]) => body.includes(name))
      .map(([name, value]) => {
        const prefix = name.startsWith('calendar-') ? 'c' : 'd';
        return `<${prefix}:${name}>${value}</${prefix}:${name}>`;
      })
      .join('');
  }

  function report(response: ServerResponse, body: string): void {
    if (body.includes('sync-collection')) {
      const [, since = ''] = /sync-token>(?:<!\[CDATA\[)?(?:t(\d+))?/.exec(body) ?? [];
      const changed = since === '' ? [...objects.keys()] : [...new Set(log.slice(Number(since)))];
      const items = changed.map((path) => ({
        path,
        ...(objects.has(path) ? { props: etag(path) } : { status: 404 }),
      }));
      return multistatus(response, items, `<d:sync-token>t${log.length}</d:sync-token>`);
    }
    const paths = [...body.matchAll(/<[a-z]+:href>([^<]+)</g)].map(([, path]) => path!);
    const items = paths.map((path) => {
      const text = objects.get(path);
      if (text === undefined) return { path, status: 404 };
      return { path, props: `${etag(path)}<c:calendar-data>${escapeXml(text)}</c:calendar-data>` };
    });
    return multistatus(response, items);
  }

  const etag = (path: string) => `<d:getetag>${escapeXml(etagOf(objects.get(path)!))}</d:getetag>`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}/cal/`,
    objects,
    requests,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

interface Item {
  readonly path: string;
  readonly props?: string;
  readonly status?: number;
}

function multistatus(response: ServerResponse, items: readonly Item[], more = ''): void {
  const entries = items.map(({ path, props, status }) =>
    props === undefined
      ? `<d:response><d:href>${path}</d:href><d:status>HTTP/1.1 ${status} x</d:status></d:response>`
      : `<d:response><d:href>${path}</d:href><d:propstat><d:prop>${props}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`,
  );
  response
    .writeHead(207, { 'content-type': 'application/xml' })
    .end(
      `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">${entries.join('')}${more}</d:multistatus>`,
    );
}

function etagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('hex').slice(0, 16)}"`;
}

/** Carriage returns must be escaped, or XML parsers turn them into plain line feeds. */
function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;');
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}
