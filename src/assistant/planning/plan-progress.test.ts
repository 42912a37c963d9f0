import { expect, it } from 'vitest';
import { startChatModel } from '../../../test/model/chat-model.ts';
import { openAssistant } from '../../../test/open-assistant.ts';
import type { PolicyOptions } from '../policy/policy-model.ts';
import { PlanProgress } from './plan-rows.ts';

type Report = readonly [done: unknown, total: unknown, message: unknown];

/** Plans for a user with the given number of events, and collects the progress reports that a client receives. */
async function plan(events: number, policy: PolicyOptions, more: { readonly dry_run?: true } = {}) {
  const reports: Report[] = [];
  await using assistant = openAssistant({
    policy,
    memory: {
      onNotification: (_, { progress, total, message }) => reports.push([progress, total, message]),
    },
  });
  await assistant.call('create_user', { id: 'ada', name: 'Ada', email: 'ada@example.com' });
  for (let index = 0; index < events; index++)
    await assistant.call('create_event', {
      user_id: 'ada',
      title: 'Tea',
      start_ts: `2026-11-17T14:${10 + index}`,
    });
  const ask = (_meta: { progressToken?: string }) =>
    assistant.client.request('tools/call', {
      name: 'plan_notifications',
      arguments: { user_id: 'ada', ...more },
      _meta,
    });
  await ask({ progressToken: 'p' });
  const first = [...reports];
  await ask({ progressToken: 'p' });
  return { first, again: more.dry_run ? [] : reports.slice(first.length) };
}

const rules = { name: 'rules', timeoutMs: 5000 } as const;

it('reports every event the rules decide about, and nothing when all are decided', async () => {
  expect(await plan(2, rules)).toEqual({
    first: [
      [1, 2, '1 of 2 events checked and stored'],
      [2, 2, '2 of 2 events checked and stored'],
    ],
    again: [],
  });
  expect((await plan(0, rules)).first).toEqual([]);
});

it('reports first the answers of the model, then the checked events', async () => {
  await using model = await startChatModel(() => JSON.stringify({ notify: false, plan: [], reasoning: 'r' }));
  const policy = { name: 'endpoint', url: model.url, model: 'tiny', timeoutMs: 5000 } as const;
  const { first } = await plan(2, policy, { dry_run: true });
  expect(first).toEqual([
    [0, 4, 'asking endpoint about 2 events'],
    // Both are on one day, so the model answers about them together.
    [2, 4, 'endpoint answered about 2 of 2 events'],
    [3, 4, '1 of 2 events checked'],
    [4, 4, '2 of 2 events checked'],
  ]);
});

it('counts events about which the model did not answer', async () => {
  const policy = { name: 'endpoint', url: 'http://127.0.0.1:1', model: 'tiny', timeoutMs: 5000 } as const;
  const { first } = await plan(1, policy);
  expect(first.map(([done]) => done)).toEqual([0, 1, 2]);
});

it('limits the number of reports for many events', async () => {
  const reports: number[] = [];
  const progress = new PlanProgress(12_345, undefined, (done) => reports.push(done));
  for (let index = 0; index < 12_345; index++) progress.planned('stored');
  expect([reports.length <= 101, reports.at(-1)]).toEqual([true, 12_345]);
});
