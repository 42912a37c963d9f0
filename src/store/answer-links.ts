import { createHash, randomBytes } from 'node:crypto';
import type { Store } from './store.ts';

/**
 * Links in messages, with which a person answers without signing in. The token in the link is the only key: the database
 * holds its hash, so neither a copy of the database nor a tool that lists ids can answer for somebody.
 */
export interface AnswerLink {
  /** What the answer is about: the id of a notification. */
  readonly subject: string;
  /** The person who received the link. */
  readonly userId: string;
  readonly expiresMs: number;
}

/** A token of 256 random bits in 43 characters. A message that is sent again gets another one, and both work. */
export async function issueAnswerLink(store: Store, link: AnswerLink, nowMs: number): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await store.write(async ({ db }) => {
    await db.deleteFrom('answer_links').where('expires_ms', '<=', nowMs).execute();
    await db
      .insertInto('answer_links')
      .values({
        hash: hashOf(token),
        subject: link.subject,
        user_id: link.userId,
        expires_ms: link.expiresMs,
      })
      .execute();
  });
  return token;
}

/** The link of a token; undefined if there is none or it has expired. */
export async function findAnswerLink(
  store: Store,
  token: string,
  nowMs: number,
): Promise<AnswerLink | undefined> {
  const row = await store.read((db) =>
    db
      .selectFrom('answer_links')
      .selectAll()
      .where('hash', '=', hashOf(token))
      .where('expires_ms', '>', nowMs)
      .executeTakeFirst(),
  );
  return row && { subject: row.subject, userId: row.user_id, expiresMs: row.expires_ms };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
