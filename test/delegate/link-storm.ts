import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expandEvent } from '../../src/assistant/calendar/expand-event.ts';
import { createResponses, serveAcknowledge } from '../../src/assistant/delivery/acknowledge.ts';
import { linksOf } from '../../src/assistant/delivery/message-links.ts';
import { createOutreach } from '../../src/assistant/delivery/outreach.ts';
import { Scheduler } from '../../src/assistant/delivery/scheduler.ts';
import { Worker } from '../../src/assistant/delivery/worker.ts';
import type { AgentEvent } from '../../src/delegate/agents/protocols/agent-event.ts';
import { PendingApprovals } from '../../src/delegate/agents/protocols/pending-approvals.ts';
import { contentOf, findApprovers, type NewsOptions } from '../../src/delegate/run/approvers.ts';
import { requestKey } from '../../src/delegate/run/run-events.ts';
import { createDecisions } from '../../src/delegate/tools/decisions.ts';
import { createStore } from '../../src/store/store.ts';
import { fill, person } from '../assistant-rows.ts';
import { channelConfig, senderPerChannel } from '../channel-config.ts';

export interface LinkStormReport {
  readonly requests: number;
  readonly messages: number;
  readonly taps: number;
  readonly allowed: number;
  readonly refused: number;
  readonly expired: number;
  readonly problems: readonly string[];
}

interface Received {
  readonly person: string;
  readonly channel: string;
  readonly review: string | undefined;
  readonly refuse: string | undefined;
}

const run = 'run-1';
const people = Array.from({ length: 10 }, (_, at) => `p${at}`);
const news: NewsOptions = { notify: 'me', details: false, approvers: ['p1', 'p2'], atNight: 'silent' };
const mayAllow = new Set(['p0', 'p1', 'p2']);
/** The addresses of each person on one of three channels. One Telegram chat is a group. */
const addressOf = (at: number) =>
  [
    { channel_pref: 'email' },
    { channels: [at === 4 ? 'tgram://-77' : `tgram://${100 + at}`] },
    { channels: [`ntfy://topic-${at}`] },
  ][at % 3]!;

/**
 * Requests for permission that go to ten people, three of whom may allow. Previews fetch each link, people tap twice and at the same
 * time, others try what they may not, guess and replay, and some come late. Each decision must be that of the person whose page
 * says so, the first one and in time.
 */
export async function playLinkStorm(requests: number): Promise<LinkStormReport> {
  const folder = mkdtempSync(join(tmpdir(), 'link-storm-'));
  const store = createStore(join(folder, 'adjutant.db'));
  const data = { store, clock: Date.now, occurrences: expandEvent };
  const outreach = createOutreach(data, channelConfig(join(folder, 'outbox')), { id: 'p0', file: '' });
  const problems: string[] = [];
  const answered = new Map<string, { decision: string; by: string }[]>();
  const executed = new Map<string, string[]>();
  const denied: string[] = [];
  const record = (event: AgentEvent) => {
    if (event.kind === 'answered')
      answered.set(event.id, [...(answered.get(event.id) ?? []), { decision: event.decision, by: event.by }]);
  };
  const answer = async (id: string, { decision }: { decision: string }) => {
    executed.set(id, [...(executed.get(id) ?? []), decision]);
  };
  let pending: Parameters<ConstructorParameters<typeof PendingApprovals>[1]['onChange']>[0] = [];
  const approvals = new PendingApprovals(
    { rules: [], timeoutMs: 60 * 60_000 },
    {
      record,
      answer,
      onChange(open) {
        pending = open;
      },
    },
  );
  const decisions = createDecisions(
    {
      list: async () => pending.map((request) => ({ ...request, run_id: run })),
      answer: async ({ approval_id, decision }, by) => approvals.answer(approval_id, { decision }, by),
      deny: ({ approval_id }, by) => denied.push(`${approval_id} ${by}`),
    },
    news,
    outreach,
  );
  const responses = createResponses(
    { data, options: { privateHosts: [], passwordsFile: '', maxBytes: 0, intervalMs: 0 } },
    decisions,
  );
  const server = createServer((request, response) => {
    void serveAcknowledge(responses, request.url ?? '', request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    await fill(store, {
      users: people.map((id, at) => {
        const { channels, ...more } = { channels: undefined, ...addressOf(at) } as { channels?: string[] };
        const listed = channels && { email: null, channels: JSON.stringify(channels) };
        return person(id, { phone_e164: null, ...more, ...listed });
      }),
    });
    const inbox = new Map<string, Received[]>();
    const senders = senderPerChannel((channel) => ({
      async deliver({ data: { about }, text, recipient, decision }) {
        const review = /^Review and decide: (\S+)$/m.exec(text)?.[1];
        const refuse = /^Refuse: (\S+)$/m.exec(text)?.[1];
        if (decision?.refuse.url !== refuse || decision?.review?.url !== review)
          problems.push(`${about}: the button and the link differ`);
        const received = { person: recipient.name.replace('Name of ', ''), channel, review, refuse };
        inbox.set(String(about), [...(inbox.get(String(about)) ?? []), received]);
        return { kind: 'accepted', detail: 'ok' };
      },
    }));
    for (let at = 0; at < requests; at += 1) {
      const id = `request-${at}`;
      approvals.ask({ id, what: 'command', command: `touch ${at}`, decisions: ['allow_once', 'refuse'] });
      const request = pending.find((one) => one.id === id)!;
      const subject = requestKey(run, id);
      for (const to of await findApprovers(news, outreach, people[3 + (at % 7)]))
        await outreach.send({
          key: subject,
          person: to.person,
          title: { kind: 'asks_permission', name: 'shop' },
          urgency: 'important',
          expiresMs: Date.parse(request.expires_at),
          decision: { subject, content: contentOf(request), mayAllow: to.mayAllow },
        });
    }
    const worker = new Worker({
      ...{ store, senders, owner: 'storm' },
      links: (notification, user) => linksOf(store, origin, notification, user, Date.now()),
    });
    await new Scheduler({ store, worker, clock: Date.now }).once();
    let taps = 0;
    const tap = async (url: string, decision?: 'allow' | 'refuse') => {
      taps += 1;
      const body = decision && new URLSearchParams({ decision });
      const reply = await fetch(url, { method: 'POST', ...(body && { body }) });
      const text = await reply.text();
      return { status: reply.status, outcome: /<p>(Allowed|Refused)\./.exec(text)?.[1], text };
    };
    const look = async (url: string) => (await (await fetch(url)).text()).includes('touch ');
    const expired: string[] = [];
    const play = async (at: number) => {
      const id = `request-${at}`;
      const received = inbox.get(requestKey(run, id)) ?? [];
      const check = (isRight: boolean, what: string) => {
        if (!isRight) problems.push(`${id}: ${what}`);
      };
      check(received.length === 4, `${received.length} messages instead of 4`);
      const open = () => !answered.has(id);
      // Only mail and private chats carry a link that can allow, and only for those who may.
      for (const { person: to, channel, review, refuse } of received)
        check(
          refuse !== undefined &&
            (review !== undefined) === (mayAllow.has(to) && ['email', 'telegram'].includes(channel)),
          `${to} got the wrong links by ${channel}`,
        );
      // Previews and scanners fetch every link.
      for (const link of received.flatMap(({ review, refuse }) => [review, refuse]))
        if (link !== undefined) check(await look(link), 'a link does not show the command');
      // Others try to allow with links that can only refuse, and guess.
      for (const { refuse } of received)
        check((await tap(refuse!, 'allow')).status === 403, 'a link that refuses allowed');
      check((await tap(`${origin}decide/${'x'.repeat(43)}`, 'allow')).status === 404, 'a guess was accepted');
      check(open(), 'it was decided by something that is no decision');
      const attempts = denied.filter((one) => one.startsWith(`${id} `)).length;
      check(attempts === received.length, `${attempts} attempts to allow are recorded`);
      if (at % 10 === 9) {
        // Nobody answers in time.
        expired.push(id);
        await expire(id);
        for (const { review, refuse } of received)
          check(
            (await tap(review ?? refuse!, review ? 'allow' : 'refuse')).outcome === undefined,
            'a late tap counted',
          );
        return;
      }
      // Two people decide at the same time, each with a double tap; later they replay their link with another decision.
      const [first, second] = [received[at % 4]!, received[(at + 1 + (at % 3)) % 4]!];
      const wish = ({ review }: Received) => (review !== undefined && at % 5 !== 0 ? 'allow' : 'refuse');
      const linkOf = (one: Received) => (wish(one) === 'allow' ? one.review! : (one.review ?? one.refuse!));
      const replies = await Promise.all(
        [first, first, second, second].map(async (one) => ({ one, ...(await tap(linkOf(one), wish(one))) })),
      );
      const won = replies.filter(({ outcome }) => outcome !== undefined);
      const winners = new Set(won.map(({ one }) => one.person));
      check(winners.size === 1 && won.length === 2, `${won.length} taps of ${winners.size} people won`);
      const [winner] = won;
      const [decision, another] = answered.get(id) ?? [];
      check(another === undefined && executed.get(id)?.length === 1, 'it was answered more than once');
      const expected = winner && wish(winner.one) === 'allow' ? 'allow_once' : 'refuse';
      check(
        decision?.decision === expected && decision.by === `${winner?.one.person}, by a link`,
        `${decision?.decision} by ${decision?.by}, but the page of ${winner?.one.person} says ${winner?.outcome}`,
      );
      check(expected === 'refuse' || mayAllow.has(winner!.one.person), 'somebody allowed who may not');
      for (const one of [first, second]) {
        const replay = await tap(linkOf(one), wish(one) === 'allow' ? 'refuse' : 'allow');
        check(
          replay.text === replies.find((reply) => reply.one === one && reply.status !== 0)!.text,
          'a repeated tap shows another page',
        );
      }
      check(answered.get(id)!.length === 1, 'a replay counted');
    };
    /** The clock passes the end of the request. */
    const expire = async (id: string) => {
      const index = pending.findIndex((one) => one.id === id);
      Object.assign(pending[index]!, { expires_at: new Date(Date.now() - 1).toISOString() });
      await pause(0);
    };
    const order = Array.from({ length: requests }, (_, at) => at);
    for (let start = 0; start < requests; start += 20)
      await Promise.all(order.slice(start, start + 20).map(play));
    const all = [...answered.values()].flat();
    const count = (decision: string) =>
      all.filter((one) => one.decision === decision && one.by !== 'the time limit').length;
    return {
      requests,
      messages: [...inbox.values()].flat().length,
      taps,
      allowed: count('allow_once'),
      refused: count('refuse'),
      expired: expired.length,
      problems,
    };
  } finally {
    approvals.refuseAll('the end');
    server.closeAllConnections();
    server.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
