import { expect, it } from 'vitest';
import type { Outreach } from '../../outreach.ts';
import type { PendingApproval } from '../agents/protocols/approval.ts';
import { requestKey } from '../run/run-events.ts';
import { createDecisions } from './decisions.ts';

const request = {
  id: '7',
  run_id: 'r1',
  what: 'tool',
  tool: 'mcp__shop__deploy',
  arguments: '{"target":"production"}',
  decisions: ['allow_once', 'refuse'],
  asked_at: new Date().toISOString(),
  expires_at: new Date(Date.now() + 60_000).toISOString(),
} as const satisfies PendingApproval;

const find = (pending: PendingApproval & { run_id: string }) => {
  const calls = { list: async () => [pending], answer: async () => {}, deny: () => {} };
  const news = { notify: 'me', details: false, approvers: [], atNight: 'silent' } as const;
  return createDecisions(calls, news, {} as Outreach).find(requestKey('r1', '7'));
};

it('a link shows the arguments of a call, and allows no others', async () => {
  const shown = await find(request);
  expect(shown).toMatchObject({
    details: 'mcp__shop__deploy\n\n{"target":"production"}',
    canBeAllowed: true,
  });
  const other = await find({ ...request, arguments: '{"target":"test"}' });
  expect(other!.content).not.toBe(shown!.content);
});

it('a link can only refuse a request that is not shown whole', async () => {
  expect(await find({ ...request, decisions: ['refuse'] })).toMatchObject({ canBeAllowed: false });
});
