import { log } from '../../log.ts';
import type { OutreachDecision } from '../../outreach.ts';
import { publicAddress } from '../../public-address.ts';
import { type Decided, issueAnswerLink } from '../../store/answer-links.ts';
import type { Notification, User } from '../../store/schema.ts';
import type { Store } from '../../store/store.ts';
import { findChannel } from '../entities/channels.ts';
import { parsePayload } from '../entities/payload.ts';
import { canAnswer, type MessageLinks } from './message.ts';
import { recipientOf } from './reachable-channels.ts';

/** Links work for some weeks, because people look for a way to unsubscribe in old mail as well. */
const linkLifeMs = 30 * 86_400_000;

/** The links of a message: to the page that shows its subject, and to the one where its recipient answers. */
export async function linksOf(
  store: Store,
  publicUrl: string,
  notification: Notification,
  user: User,
  nowMs: number,
): Promise<MessageLinks> {
  const { page, decision } = parsePayload(notification.payload);
  const token = canAnswer(notification, user) ? await answerToken(store, notification, nowMs) : undefined;
  return {
    acknowledge: token && publicAddress(publicUrl, `acknowledge/${token}`),
    page: page === undefined ? undefined : publicAddress(publicUrl, page),
    ...(decision && (await decisionLinks(store, publicUrl, notification, user, decision, nowMs))),
  };
}

/**
 * The link that shows a request and may allow it, only where nobody but the person reads the message, and the link that
 * refuses it.
 */
async function decisionLinks(
  store: Store,
  publicUrl: string,
  { channel, expires_ms }: Notification,
  user: User,
  { subject, content, mayAllow }: OutreachDecision,
  nowMs: number,
): Promise<MessageLinks> {
  const expiresMs = expires_ms ?? nowMs;
  const { address } = recipientOf(user, channel);
  const isOwn = findChannel(channel)?.address.mayAllow?.(address) === true;
  const link = async (atMost: Decided) => {
    const decision = { content, atMost };
    const token = await issueAnswerLink(store, { subject, userId: user.id, expiresMs, decision }, nowMs);
    return publicAddress(publicUrl, `decide/${token}`);
  };
  return {
    ...(mayAllow && isOwn && { review: await link('allow') }),
    refuse: await link('refuse'),
  };
}

/** The token of a link with which the recipient answers. A reminder is sent without one if the database fails. */
export async function answerToken(
  store: Store,
  { id, user_id, event_start_ms }: Notification,
  nowMs: number,
): Promise<string | undefined> {
  const link = { subject: id, userId: user_id, expiresMs: Math.max(nowMs, event_start_ms) + linkLifeMs };
  return issueAnswerLink(store, link, nowMs).catch((error: unknown) => {
    log(
      'warning',
      'a reminder is sent without a link for the answer, because the link cannot be stored',
      error,
    );
    return undefined;
  });
}
