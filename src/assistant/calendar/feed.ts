import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { findAnswerLink, issueAnswerLink } from '../../store/answer-links.ts';
import { auditChange } from '../entities/decision-log.ts';
import { type AssistantData, findCalendar, findUser, notFound } from '../entities/entity-access.ts';
import { exportCalendar } from './export.ts';

/** A link to read a calendar works until somebody revokes it. */
const neverMs = Date.UTC(9999, 0, 1);
const prefix = 'feed/';

export const feedPath = /^\/feeds\/([A-Za-z0-9_-]{43})\.ics$/;

/** Makes an address with 256 random bits under which programs can read the events. The database holds only its hash. */
export async function issueFeed(
  data: AssistantData,
  userId: string,
  calendarId: string | undefined,
): Promise<string> {
  const { store, clock } = data;
  await demandCalendar(data, userId, calendarId);
  const link = { subject: `${prefix}${calendarId ?? ''}`, userId, expiresMs: neverMs };
  const token = await issueAnswerLink(store, link, clock());
  const detail = { shared: calendarId ?? 'all' };
  await store.write((writer) => auditChange(writer, clock(), { action: 'user.shared', userId, detail }));
  return `/feeds/${token}.ics`;
}

/** Ends all addresses of a calendar, or of everything of a person. Returns how many there were. */
export async function revokeFeeds(
  { store, clock }: AssistantData,
  userId: string,
  calendarId: string | undefined,
): Promise<number> {
  return store.write(async (writer) => {
    await findUser(writer.db, userId);
    const links = writer.db.deleteFrom('answer_links').where('user_id', '=', userId);
    const { numDeletedRows } = await (calendarId === undefined
      ? links.where('subject', 'like', `${prefix}%`)
      : links.where('subject', '=', `${prefix}${calendarId}`)
    ).executeTakeFirstOrThrow();
    const detail = { unshared: calendarId ?? 'all' };
    await auditChange(writer, clock(), { action: 'user.unshared', userId, detail });
    return Number(numDeletedRows);
  });
}

/** Refuses the calendar of somebody else as if it did not exist. */
export async function demandCalendar(
  { store }: AssistantData,
  userId: string,
  calendarId: string | undefined,
): Promise<void> {
  if (calendarId === undefined || calendarId === 'local') return;
  const calendar = await store.read((db) => findCalendar(db, calendarId));
  if (calendar.user_id !== userId) notFound('calendar');
}

/** Answers a request for a feed. An unknown, revoked or wrong address looks the same. */
export async function serveFeed(
  data: AssistantData,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  const link = await findAnswerLink(data.store, feedPath.exec(path)![1]!, data.clock());
  if (link === undefined || !link.subject.startsWith(prefix)) {
    response
      .writeHead(404, { 'content-type': 'text/plain; charset=utf-8' })
      .end('There is no such calendar.\n');
    return;
  }
  const { text } = await exportCalendar(data, link.userId, link.subject.slice(prefix.length) || undefined);
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  const headers = {
    etag,
    'cache-control': 'private, max-age=300',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, headers).end();
    return;
  }
  response.writeHead(200, { ...headers, 'content-type': 'text/calendar; charset=utf-8' });
  response.end(request.method === 'HEAD' ? undefined : text);
}
