import { createHash } from 'node:crypto';
import { propfind } from 'tsdav';
import { Failure } from '../../failure.ts';
import { singleLine } from '../../single-line.ts';
import type { Calendar } from '../../store/schema.ts';
import { type Connection, connect, httpFailure, toText } from './caldav.ts';
import {
  configOf,
  type SourceOptions,
  type StoredObject,
  type Target,
  type TargetAbilities,
  type WriteOutcome,
} from './source.ts';

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
      this.#connection.fetch(location, { method: 'OPTIONS' }),
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
    for (let attempt = 0; attempt < maxReads; attempt++) {
      const first = await this.#get(href);
      if (first === undefined || isStrong(first.tag)) return first && { ...first, version: first.tag! };
      // A proxy that compresses replies weakens the tag in the header or drops it, but not the one in the property.
      const tag = (await this.#tagOf(href)) ?? first.tag;
      if (tag === undefined)
        throw new Failure(
          'refused',
          `${this.#host} sends no entity tag, so the event cannot be changed safely.`,
        );
      if (!isStrong(tag)) return { text: first.text, version: `${tag} ${hashOf(first.text)}` };
      const second = await this.#get(href);
      if (second === undefined) return undefined;
      if (second.text === first.text) return { text: first.text, version: tag };
    }
    throw new Failure('conflict', 'Other programs keep changing this event; try again.');
  }

  async #get(href: string): Promise<{ readonly text: string; readonly tag?: string } | undefined> {
    const response = await this.#connection.fetch(this.#url(href), { method: 'GET' });
    if (response.status === 404 || response.status === 410) return undefined;
    if (response.status !== 200) throw httpFailure(this.#url(href), response.status);
    const tag = response.headers.get('etag');
    return { text: await response.text(), ...(tag !== null && { tag }) };
  }

  /** The entity tag as the server itself states it. */
  async #tagOf(href: string): Promise<string | undefined> {
    const props = { 'd:getetag': {} };
    const [own] = await propfind({ url: this.#url(href), props, depth: '0', ...this.#connection });
    return toText(own?.props?.['getetag']) || undefined;
  }

  addressFor(uid: string): string {
    return new URL(`${encodeURIComponent(uid)}.ics`, this.#calendar.location.replace(/\/?$/, '/')).pathname;
  }

  create(href: string, text: string): Promise<WriteOutcome> {
    return this.#write('PUT', href, { 'if-none-match': '*' }, text);
  }

  replace(href: string, text: string, version: string): Promise<WriteOutcome> {
    return this.#writeVersion('PUT', href, version, text);
  }

  remove(href: string, version: string): Promise<WriteOutcome> {
    return this.#writeVersion('DELETE', href, version);
  }

  /**
   * Servers must not accept a weak tag in `If-Match`, though some do. If the content is still that of the version, the write
   * is repeated without a condition, because not all servers know `If-Match: *`. A change in that moment would be lost.
   */
  async #writeVersion(method: string, href: string, version: string, text?: string): Promise<WriteOutcome> {
    const [tag = '', hash] = version.split(/ (?=[\w-]+$)/);
    const outcome = await this.#write(method, href, { 'if-match': tag }, text);
    if (outcome === 'written' || hash === undefined) return outcome;
    const current = await this.read(href);
    if (current?.version !== version) return 'changed';
    return this.#write(method, href, {}, text);
  }

  async #write(method: string, href: string, condition: Record<string, string>, body?: string) {
    const headers = {
      ...condition,
      ...(body !== undefined && { 'content-type': 'text/calendar; charset=utf-8' }),
    };
    const response = await this.#connection.fetch(this.#url(href), { method, headers, body: body ?? null });
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

const maxReads = 4;

function isStrong(tag: string | undefined): boolean {
  return tag !== undefined && !/^W\//i.test(tag);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
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
