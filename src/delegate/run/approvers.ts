import { createHash } from 'node:crypto';
import { type Actor, isOwner, owner } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import type { Outreach } from '../../outreach.ts';
import type { PendingApproval } from '../agents/protocols/approval.ts';
import type { DelegateOptions } from './delegate-options.ts';
import type { RunCall } from './run-state.ts';

export type NewsOptions = DelegateOptions['news'];

export interface Recipient {
  readonly person: string;
  /** False if the person may only refuse. */
  readonly mayAllow: boolean;
}

/** Whom to notify of a run that the actor starts. Throws a failure if the call names somebody who is unknown. */
export async function notifiedPerson(
  requested: string | undefined,
  actor: Actor,
  { notify }: NewsOptions,
  outreach: Outreach | undefined,
): Promise<RunCall['notify']> {
  const wanted = requested ?? notify;
  if (outreach === undefined || wanted === 'nobody') return undefined;
  if (requested !== undefined && requested !== 'away')
    return { person: await outreach.findPerson(requested, actor), ifLeft: false };
  if (wanted !== 'away') return { person: wanted, ifLeft: false };
  // Found without the database, which a run must not depend on.
  const { people } = actor.rights ?? {};
  if (isOwner(actor)) return { person: 'me', ifLeft: true };
  return Array.isArray(people) && people.length === 1 ? { person: people[0], ifLeft: true } : undefined;
}

/** The people who decide on requests: me and the approvers. The person who is notified of the run may refuse. */
export async function findApprovers(
  { notify, approvers }: NewsOptions,
  outreach: Outreach,
  notified?: string,
): Promise<readonly Recipient[]> {
  if (notify === 'nobody' && notified === undefined) return [];
  const allowing = await Promise.all([
    findKnown(outreach, 'me'),
    ...approvers.map((id) => findApprover(outreach, id)),
  ]);
  const mayAllow = new Set(allowing.filter((id) => id !== undefined));
  const other = notified === undefined ? undefined : await findKnown(outreach, notified);
  const people = new Set([...mayAllow, ...(other === undefined ? [] : [other])]);
  return [...people].map((person) => ({ person, mayAllow: mayAllow.has(person) }));
}

/** Whether the actor may allow what agents ask for: as the owner, or as one of the approvers with a token of their own. */
export async function mayDecide(
  { rights }: Actor,
  { news, outreach }: { readonly news: NewsOptions; readonly outreach?: Outreach },
): Promise<boolean> {
  if (rights === undefined) return true;
  const [own, another] = rights.people === 'all' ? [] : rights.people;
  if (own === undefined || another !== undefined || outreach === undefined) return false;
  const approvers = await findApprovers({ ...news, notify: 'me' }, outreach);
  return approvers.some(({ person, mayAllow }) => mayAllow && person === own);
}

/** Only an id names an approver: people can change their own name and address, and so pass for somebody else. */
async function findApprover(outreach: Outreach, written: string): Promise<string | undefined> {
  const id = await findKnown(outreach, written);
  if (id === undefined || id === written || written === 'me') return id;
  log(
    'warning',
    `"${written}" in delegate.approvers is no id and may not allow anything; did you mean ${id}?`,
  );
  return undefined;
}

const reachableLifetimeMs = 60 * 60_000;

/** How long a request may wait for an answer. Undefined: as usual. */
export async function approvalLifetime({
  news,
  outreach,
}: Pick<DelegateOptions, 'news' | 'outreach'>): Promise<number | undefined> {
  if (outreach === undefined) return undefined;
  try {
    for (const { person } of await findApprovers(news, outreach))
      if (await outreach.canReach(person)) return reachableLifetimeMs;
  } catch (error) {
    log('debug', 'it is not known whether anybody can be notified of requests', error);
  }
  return undefined;
}

/** The id of a person; `undefined` if there is none. Other failures, such as those of the database, are thrown. */
export async function findKnown(outreach: Outreach, written: string): Promise<string | undefined> {
  try {
    return await outreach.findPerson(written, owner, false);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'unavailable') throw error;
    log(written === 'me' ? 'debug' : 'warning', `nobody is notified as "${written}"`, error);
    return undefined;
  }
}

/** A hash of everything that a person decides on. */
export function contentOf({ arguments: args, ...request }: PendingApproval): string {
  const { id, what, command, cwd, diff, host, tool } = request;
  const parts = [id, what, command, cwd, diff, host, tool, args];
  const content = JSON.stringify(parts.map((part) => part ?? null));
  return createHash('sha256').update(content).digest('base64url');
}
