import { createHash, randomBytes } from 'node:crypto';
import type { Store } from './store.ts';

/**
 * Links in messages, with which a person answers without signing in. The token in the link is the only key: the database
 * holds its hash, so neither a copy of the database nor a tool that lists ids can answer for somebody.
 */
export interface AnswerLink {
  /** What the answer is about: the id of a notification, or a request. */
  readonly subject: string;
  /** The person who received the link. */
  readonly userId: string;
  readonly expiresMs: number;
  /** Present if the link decides a request. It is of no use for any other content. */
  readonly decision?: LinkDecision;
}

export interface LinkDecision {
  /** Hash of what is decided. */
  readonly content: string;
  /** A link that may allow may also refuse. */
  readonly atMost: Decided;
  /** What was decided with the link. */
  readonly outcome?: Decided;
}

export type Decided = 'allow' | 'refuse';

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
        content: link.decision?.content ?? null,
        decision: link.decision?.atMost ?? null,
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
  if (row === undefined) return undefined;
  const { subject, user_id, expires_ms, content, decision, outcome } = row;
  return {
    ...{ subject, userId: user_id, expiresMs: expires_ms },
    ...(content !== null &&
      decision !== null && { decision: { content, atMost: decision, ...(outcome && { outcome }) } }),
  };
}

/** Records what was decided with a link. */
export async function consumeAnswerLink(store: Store, token: string, outcome: Decided): Promise<void> {
  await store.write(({ db }) =>
    db.updateTable('answer_links').set({ outcome }).where('hash', '=', hashOf(token)).execute(),
  );
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
