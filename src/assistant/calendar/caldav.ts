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
import { singleLine } from '../../single-line.ts';
import type { Calendar } from '../../store/schema.ts';
import type { Document } from '../icalendar/parse.ts';
import { signIn } from './passwords.ts';
import {
  configOf,
  type Read,
  type SourceConfig,
  type SourceOptions,
  type StoredObject,
  type Target,
  type TargetAbilities,
  type WriteOutcome,
} from './source.ts';

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
  return status === 401 || status === 403
    ? new Failure('unavailable', `${host} rejects the user name or password.`)
    : new Failure('unavailable', `${host} responds with status ${status}.`);
}

/** Writes the events of one calendar on a CalDAV server. Every write is conditional. */
export class CalDavTarget implements Target {
  readonly #calendar: Calendar;
  readonly #connection: Connection;

  constructor(calendar: Calendar, options: SourceOptions) {
    this.#calendar = calendar;
    this.#connection = connect(configOf(calendar), options);
  }

  async abilities(): Promise<TargetAbilities> {
    const { location } = this.#calendar;
    const props = { 'd:current-user-privilege-set': {}, 'd:current-user-principal': {} };
    const [[own], options] = await Promise.all([
      propfind({ url: location, props, depth: '0', ...this.#connection }),
      this.#send('OPTIONS', location),
    ]);
    if (own?.status === 401) throw httpFailure(location, 401);
    const principal = toText(own?.props?.['currentUserPrincipal']?.href);
    return {
      writable: isWritable(own?.props?.['currentUserPrivilegeSet']),
      sendsInvitations: /\bcalendar-auto-schedule\b/.test(options.headers.get('dav') ?? ''),
      addresses: principal === '' ? [] : await this.#addresses(new URL(principal, location).href),
    };
  }

  async #addresses(principal: string): Promise<readonly string[]> {
    const props = { 'c:calendar-user-address-set': {} };
    const [found] = await propfind({ url: principal, props, depth: '0', ...this.#connection });
    const hrefs = found?.props?.['calendarUserAddressSet']?.href;
    return (Array.isArray(hrefs) ? hrefs : [hrefs])
      .map((href) => toText(href).toLowerCase())
      .filter((href) => href.startsWith('mailto:'))
      .map((href) => href.slice('mailto:'.length));
  }

  async read(href: string): Promise<StoredObject | undefined> {
    const response = await this.#send('GET', this.#url(href));
    if (response.status === 404 || response.status === 410) return undefined;
    const version = response.headers.get('etag');
    if (response.status !== 200) throw httpFailure(this.#url(href), response.status);
    if (version === null)
      throw new Failure(
        'refused',
        `${this.#host} sends no entity tag, so the event cannot be changed safely.`,
      );
    return { text: await response.text(), version };
  }

  addressFor(uid: string): string {
    return new URL(`${encodeURIComponent(uid)}.ics`, this.#calendar.location.replace(/\/?$/, '/')).pathname;
  }

  create(href: string, text: string): Promise<WriteOutcome> {
    return this.#write('PUT', href, { 'if-none-match': '*' }, text);
  }

  replace(href: string, text: string, version: string): Promise<WriteOutcome> {
    return this.#write('PUT', href, { 'if-match': version }, text);
  }

  remove(href: string, version: string): Promise<WriteOutcome> {
    return this.#write('DELETE', href, { 'if-match': version });
  }

  async #write(method: string, href: string, condition: Record<string, string>, body?: string) {
    const headers = {
      ...condition,
      ...(body !== undefined && { 'content-type': 'text/calendar; charset=utf-8' }),
    };
    const response = await this.#send(method, this.#url(href), {
      headers,
      ...(body !== undefined && { body }),
    });
    if (response.status === 412) return 'changed';
    // Somebody deleted the object first.
    if (method === 'DELETE' && (response.status === 404 || response.status === 410)) return 'changed';
    // Xandikos reports a refused write as 207, which counts as successful in HTTP.
    if ([200, 201, 204].includes(response.status)) return 'written';
    throw this.#refusal(response.status, await response.text());
  }

  #refusal(status: number, body: string): Failure {
    if (status === 401) return httpFailure(this.#calendar.location, status);
    const { name } = this.#calendar;
    if (status === 403 || status === 405)
      return new Failure(
        'refused',
        `${this.#host} does not allow changes to the calendar "${name}" (status ${status})${reasonIn(body)}. Nothing was changed. Ask its owner for write access, or use another calendar.`,
      );
    const failed = `change to the calendar "${name}" (status ${status})${reasonIn(body)}.`;
    // A proxy reports an error also if the server behind it has stored the event.
    return status >= 500
      ? new Failure('unavailable', `${this.#host} failed on the ${failed}`)
      : new Failure('refused', `${this.#host} rejected the ${failed} Nothing was changed.`);
  }

  async #send(method: string, url: string, init: RequestInit = {}): Promise<Response> {
    const response = await this.#connection.fetch(url, { ...init, method });
    return response;
  }

  #url(href: string): string {
    const url = new URL(href, this.#calendar.location);
    // The address comes from the server's own answers; it must not lead anywhere else.
    if (url.origin !== new URL(this.#calendar.location).origin)
      throw new Failure('refused', `The event is on ${url.host}, which is not the server of its calendar.`);
    return url.href;
  }

  get #host(): string {
    return new URL(this.#calendar.location).host;
  }
}

/** Servers that report no privileges decide when the write arrives. */
function isWritable(privileges: unknown): boolean {
  if (privileges === undefined || privileges === null) return true;
  const names = JSON.stringify(privileges);
  return names === '{}' || /"(all|write|writeContent|write-content|bind)"/.test(names);
}

/** The start of the server's error text, without markup. */
function reasonIn(body: string): string {
  const text = singleLine(body.replaceAll(/<[^>]*>/g, ' '), 200).trim();
  return text === '' ? '' : `: ${text}`;
}
