import { createHash } from 'node:crypto';
import {
  calendarMultiGet,
  calendarQuery,
  createAccount,
  type DAVResponse,
  fetchCalendars,
  propfind,
  syncCollection,
} from 'tsdav';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import type { Document } from '../icalendar/parse.ts';
import { signIn } from './passwords.ts';
import { configOf, type Read, type SourceConfig, type SourceOptions } from './source.ts';

/** One collection of a CalDAV account. */
export interface Collection {
  readonly url: string;
  readonly name: string;
}

interface Connection {
  readonly fetch: typeof fetch;
}

const objectsPerRequest = 50;
const mostRounds = 100;

/** The calendars of an account, or the one calendar that an address leads to. */
export async function findCollections(
  address: string,
  config: SourceConfig,
  options: SourceOptions,
): Promise<readonly Collection[]> {
  const url = address.replace(/^caldav(s?):/i, 'http$1:');
  const connection = connect(config, options);
  const own = await propfind({
    url,
    props: { 'd:resourcetype': {}, 'd:displayname': {} },
    depth: '0',
    ...connection,
  });
  if (own[0]?.status === 401) throw refused(url, 401);
  if (own[0]?.props && 'calendar' in (own[0].props['resourcetype'] ?? {}))
    return [{ url, name: textOf(own[0].props['displayname']) || url }];
  try {
    const account = await createAccount({
      account: { serverUrl: url, accountType: 'caldav' },
      ...connection,
    });
    const found = await fetchCalendars({ account, ...connection });
    return found
      .filter(({ components = [] }) => components.length === 0 || components.includes('VEVENT'))
      .map(({ url: place, displayName }) => ({ url: place, name: textOf(displayName) || place }));
  } catch (error) {
    if (error instanceof Failure) throw error;
    // The library tells what it looked for in errors of no class.
    throw new Failure(
      'unavailable',
      `No calendars were found at ${new URL(url).host}: ${messageOf(error)}.`,
      { cause: error },
    );
  }
}

/** Reads what has changed since the token that the server gave out last time, or everything where it has none. */
export const readCollection: Read = async (calendar, options) => {
  const connection = connect(configOf(calendar), options);
  const changes =
    (calendar.sync_token !== null &&
      (await changesSince(calendar.location, calendar.sync_token, connection))) ||
    (await changesSince(calendar.location, '', connection));
  if (changes === undefined) return readWhole(calendar.location, calendar.etag, connection);
  const everything = changes.since === '';
  if (
    !everything &&
    changes.changed.length === 0 &&
    changes.gone.length === 0 &&
    changes.token === calendar.sync_token
  )
    return undefined;
  return {
    documents: objects(calendar.location, changes.changed, connection),
    ...(!everything && { gone: new Set([...changes.gone, ...changes.changed]) }),
    marks: () => ({ etag: null, sync_token: changes.token }),
  };
};

interface Changes {
  readonly since: string;
  readonly token: string;
  readonly changed: readonly string[];
  readonly gone: readonly string[];
}

/** `undefined` when the server does not know the token, or no tokens at all. */
async function changesSince(
  url: string,
  since: string,
  connection: Connection,
): Promise<Changes | undefined> {
  const changed = new Set<string>();
  const gone = new Set<string>();
  let token = since;
  for (let round = 0; round < mostRounds; round++) {
    const responses = await syncCollection({
      url,
      props: { 'd:getetag': {} },
      syncLevel: 1,
      syncToken: token,
      ...connection,
    });
    const next = textOf(responses[0]?.raw?.multistatus?.syncToken);
    if (responses[0]?.status === 401) throw refused(url, 401);
    if (!next) return undefined;
    let more = false;
    for (const { href, status } of responses) {
      const path = href === undefined ? undefined : pathOf(href, url);
      // The collection itself says whether the list had to be cut.
      if (path === undefined || path === pathOf(url, url)) more ||= status === 507;
      else if (status === 404 || status === 410) gone.add(path);
      else changed.add(path);
    }
    token = next;
    if (!more)
      return { since, token, changed: [...changed], gone: [...gone].filter((path) => !changed.has(path)) };
  }
  throw new Failure('unavailable', `${new URL(url).host} never comes to the end of its list of changes.`);
}

/** For servers without tokens: the list of everything tells whether there is anything new. */
async function readWhole(url: string, etag: string | null, connection: Connection) {
  const filter = {
    'comp-filter': { _attributes: { name: 'VCALENDAR' }, 'comp-filter': { _attributes: { name: 'VEVENT' } } },
  };
  const query = { url, props: { 'd:getetag': {} }, filters: [filter], depth: '1' } as const;
  const responses = await answered(url, calendarQuery({ ...query, ...connection }));
  const listed = responses.flatMap(({ href, props }) =>
    href === undefined ? [] : [{ path: pathOf(href, url), tag: textOf(props?.['getetag']) }],
  );
  const mark = createHash('sha256').update(JSON.stringify(listed)).digest('base64url');
  if (mark === etag) return undefined;
  const paths = listed.map(({ path }) => path);
  return { documents: objects(url, paths, connection), marks: () => ({ etag: mark, sync_token: null }) };
}

async function* objects(
  url: string,
  paths: readonly string[],
  connection: Connection,
): AsyncGenerator<Document> {
  for (let from = 0; from < paths.length; from += objectsPerRequest) {
    const objectUrls = paths.slice(from, from + objectsPerRequest);
    const query = { url, props: { 'd:getetag': {}, 'c:calendar-data': {} }, objectUrls, depth: '1' } as const;
    const responses = await answered(url, calendarMultiGet({ ...query, ...connection }));
    // What is withheld is not gone; what does not look like an event may be anything.
    const withheld = new Set(objectUrls.filter((path) => path.endsWith('.ics')));
    for (const { href, props } of responses) {
      const data = textOf(props?.['calendarData']);
      if (href === undefined || data === '') continue;
      withheld.delete(pathOf(href, url));
      yield { name: pathOf(href, url), pieces: [data] };
    }
    if (withheld.size > 0)
      throw new Failure(
        'unavailable',
        `${new URL(url).host} lists ${withheld.size} events that it does not send.`,
      );
  }
}

/** The library tells of a bad answer, to one of many questions even, in errors of no class. */
async function answered<Value>(url: string, question: Promise<Value>): Promise<Value> {
  try {
    return await question;
  } catch (error) {
    const [, status] = /failed: (\d{3})\b/.exec(messageOf(error)) ?? [];
    throw status === undefined || error instanceof Failure ? error : refused(url, Number(status));
  }
}

function connect({ username }: SourceConfig, options: SourceOptions): Connection {
  const { signal } = options;
  const fetch = signIn(options.fetch, username, options);
  return { fetch: (input, init) => fetch(input, { ...init, ...(signal && { signal }) }) };
}

/** Servers name the same object by its path or by its whole address. */
function pathOf(href: string, url: string): string {
  return new URL(href, url).pathname;
}

/** The library makes numbers of what looks like one. */
function textOf(value: unknown): string {
  const content =
    typeof value === 'object' && value !== null ? (value as { _cdata?: unknown })._cdata : value;
  return content === undefined || content === null ? '' : String(content);
}

function refused(url: string, status: DAVResponse['status']): Failure {
  const { host } = new URL(url);
  return status === 401 || status === 403
    ? new Failure('unavailable', `${host} does not accept the user name or the password.`)
    : new Failure('unavailable', `${host} answers with status ${status}.`);
}
