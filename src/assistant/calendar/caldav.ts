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
  /** The server accepts only tasks there. */
  readonly tasksOnly: boolean;
}

/** What is read from a collection. */
const componentKinds = ['VEVENT', 'VTODO'] as const;
type ComponentKind = (typeof componentKinds)[number];

export interface Connection {
  readonly fetch: typeof fetch;
}

const objectsPerRequest = 50;
const maxSyncRounds = 100;

/** Returns the calendars and task lists of an account, or the one at the address. */
export async function findCollections(
  address: string,
  config: SourceConfig,
  options: SourceOptions,
): Promise<readonly Collection[]> {
  const url = address.replace(/^caldav(s?):/i, 'http$1:');
  const connection = connect(config, options);
  const own = await propfind({
    url,
    props: { 'd:resourcetype': {}, 'd:displayname': {}, ...componentSet },
    depth: '0',
    ...connection,
  });
  if (own[0]?.status === 401) throw httpFailure(url, 401);
  if (own[0]?.props && 'calendar' in (own[0].props['resourcetype'] ?? {}))
    return [
      { url, name: toText(own[0].props['displayname']) || url, tasksOnly: isTaskList(kindsOf(own[0])) },
    ];
  try {
    const account = await createAccount({
      account: { serverUrl: url, accountType: 'caldav' },
      ...connection,
    });
    const found = await fetchCalendars({ account, ...connection });
    return found
      .map((one) => ({ ...one, kinds: readableKinds(one.components ?? []) }))
      .filter(({ kinds }) => kinds.length > 0)
      .map(({ url: place, displayName, kinds }) => ({
        url: place,
        name: toText(displayName) || place,
        tasksOnly: isTaskList(kinds),
      }));
  } catch (error) {
    if (error instanceof Failure) throw error;
    // The library throws plain errors; their messages say what it could not find.
    throw new Failure('unavailable', `No calendars found at ${new URL(url).host}: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}

const componentSet = { 'c:supported-calendar-component-set': {} };

/** The components of a collection that we read. One that names none accepts all. */
function readableKinds(names: readonly string[]): readonly ComponentKind[] {
  return componentKinds.filter((kind) => names.length === 0 || names.includes(kind));
}

function isTaskList(kinds: readonly ComponentKind[]): boolean {
  return !kinds.includes('VEVENT');
}

function kindsOf(response: DAVResponse | undefined): readonly ComponentKind[] {
  const entries = [response?.props?.['supportedCalendarComponentSet']?.comp ?? []].flat() as {
    readonly _attributes?: { readonly name?: string };
  }[];
  return readableKinds(entries.flatMap(({ _attributes }) => _attributes?.name ?? []));
}

/** Reads the changes since the last sync token, or everything if there is none or the server rejects it. */
export const readCollection: Read = async (calendar, options) => {
  const connection = connect(configOf(calendar), options);
  const changes =
    (calendar.sync_token !== null &&
      (await changesSince(calendar.location, calendar.sync_token, connection))) ||
    (await changesSince(calendar.location, '', connection));
  if (changes === undefined) return readAll(calendar.location, calendar.etag, connection);
  const everything = changes.since === '';
  if (
    !everything &&
    changes.changed.length === 0 &&
    changes.deleted.length === 0 &&
    changes.token === calendar.sync_token
  )
    return undefined;
  return {
    documents: fetchObjects(calendar.location, changes.changed, connection),
    ...(!everything && { deleted: new Set([...changes.deleted, ...changes.changed]) }),
    marks: () => ({ etag: null, sync_token: changes.token }),
  };
};

interface Changes {
  readonly since: string;
  readonly token: string;
  readonly changed: readonly string[];
  readonly deleted: readonly string[];
}

/** Returns undefined if the server does not know the token or does not support sync tokens. */
async function changesSince(
  url: string,
  since: string,
  connection: Connection,
): Promise<Changes | undefined> {
  const changed = new Set<string>();
  const deleted = new Set<string>();
  let token = since;
  for (let round = 0; round < maxSyncRounds; round++) {
    const responses = await syncCollection({
      url,
      props: { 'd:getetag': {} },
      syncLevel: 1,
      syncToken: token,
      ...connection,
    });
    const next = toText(responses[0]?.raw?.multistatus?.syncToken);
    if (responses[0]?.status === 401) throw httpFailure(url, 401);
    if (!next) return undefined;
    let more = false;
    for (const { href, status } of responses) {
      const path = href === undefined ? undefined : toPath(href, url);
      // The entry of the collection itself says whether the list was truncated.
      if (path === undefined || path === toPath(url, url)) more ||= status === 507;
      else if (status === 404 || status === 410) deleted.add(path);
      else changed.add(path);
    }
    token = next;
    if (!more)
      return {
        since,
        token,
        changed: [...changed],
        deleted: [...deleted].filter((path) => !changed.has(path)),
      };
  }
  throw new Failure('unavailable', `${new URL(url).host} sends an endless list of changes.`);
}

/** For servers without sync tokens: a hash over all entity tags shows whether anything changed. */
async function readAll(url: string, etag: string | null, connection: Connection) {
  const own = await withFailure(url, propfind({ url, props: componentSet, depth: '0', ...connection }));
  const tags = new Map<string, string>();
  // Filters for several components in one query would have to match all of them.
  for (const name of kindsOf(own[0])) {
    const filter = {
      'comp-filter': { _attributes: { name: 'VCALENDAR' }, 'comp-filter': { _attributes: { name } } },
    };
    const query = { url, props: { 'd:getetag': {} }, filters: [filter], depth: '1' } as const;
    for (const { href, props } of await withFailure(url, calendarQuery({ ...query, ...connection })))
      if (href !== undefined) tags.set(toPath(href, url), toText(props?.['getetag']));
  }
  const listed = [...tags].map(([path, tag]) => ({ path, tag }));
  const mark = createHash('sha256').update(JSON.stringify(listed)).digest('base64url');
  if (mark === etag) return undefined;
  const paths = listed.map(({ path }) => path);
  return { documents: fetchObjects(url, paths, connection), marks: () => ({ etag: mark, sync_token: null }) };
}

async function* fetchObjects(
  url: string,
  paths: readonly string[],
  connection: Connection,
): AsyncGenerator<Document> {
  for (let from = 0; from < paths.length; from += objectsPerRequest) {
    const objectUrls = paths.slice(from, from + objectsPerRequest);
    const query = { url, props: { 'd:getetag': {}, 'c:calendar-data': {} }, objectUrls, depth: '1' } as const;
    const responses = await withFailure(url, calendarMultiGet({ ...query, ...connection }));
    // An .ics object that the server lists but does not send must not be treated as deleted.
    const missing = new Set(objectUrls.filter((path) => path.endsWith('.ics')));
    for (const { href, props } of responses) {
      const data = toText(props?.['calendarData']);
      if (href === undefined || data === '') continue;
      missing.delete(toPath(href, url));
      yield { name: toPath(href, url), pieces: [data] };
    }
    if (missing.size > 0)
      throw new Failure(
        'unavailable',
        `${new URL(url).host} lists ${missing.size} events that it does not send.`,
      );
  }
}

/** The library throws plain errors for HTTP errors; turns those into a `Failure`. */
async function withFailure<Value>(url: string, response: Promise<Value>): Promise<Value> {
  try {
    return await response;
  } catch (error) {
    const [, status] = /failed: (\d{3})\b/.exec(messageOf(error)) ?? [];
    throw status === undefined || error instanceof Failure ? error : httpFailure(url, Number(status));
  }
}

export function connect({ username }: SourceConfig, options: SourceOptions): Connection {
  const { signal } = options;
  const fetch = signIn(options.fetch, username, options);
  return { fetch: (input, init) => fetch(input, { ...init, ...(signal && { signal }) }) };
}

/** Servers refer to an object by its path or by its full URL. */
export function toPath(href: string, url: string): string {
  return new URL(href, url).pathname;
}

/** The library converts text that looks like a number; this converts it back. */
export function toText(value: unknown): string {
  const content =
    typeof value === 'object' && value !== null ? (value as { _cdata?: unknown })._cdata : value;
  return content === undefined || content === null ? '' : String(content);
}

export function httpFailure(url: string, status: DAVResponse['status']): Failure {
  const { host } = new URL(url);
  const problems: Readonly<Record<number, string>> = {
    401: 'rejects the user name or password',
    403: 'denies access (status 403). Check that the account may use CalDAV; for Google, that the "CalDAV API" is enabled',
  };
  return new Failure('unavailable', `${host} ${problems[status] ?? `responds with status ${status}`}.`);
}
