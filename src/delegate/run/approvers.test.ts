import { expect, it } from 'vitest';
import { Failure } from '../../failure.ts';
import type { Outreach } from '../../outreach.ts';
import { approvalLifetime, findApprovers, type NewsOptions } from './approvers.ts';

/** People by all that names them. Eve has taken the first name of Ben Miller. */
const people: Readonly<Record<string, string>> = {
  me: 'ada',
  ben: 'ben',
  Ben: 'eve',
  'eve@example.com': 'eve',
};
const outreach: Partial<Outreach> = {
  findPerson: async (written: string) => {
    const id = people[written];
    if (id === undefined) throw new Failure('resource-not-found', `nobody is called "${written}"`);
    return id;
  },
};
const news: NewsOptions = { notify: 'away', details: false, approvers: [], atNight: 'silent' };

it.each([
  ['an id', 'ben', ['ada', 'ben']],
  ['me', 'me', ['ada']],
  ['a name, which people can give themselves', 'Ben', ['ada']],
  ['a mail address, which people can give themselves', 'eve@example.com', ['ada']],
  ['somebody who is unknown', 'carl', ['ada']],
])('delegate.approvers with %s', async (_, written, expected) => {
  const found = await findApprovers({ ...news, approvers: [written] }, outreach as Outreach);
  expect(found).toEqual(expected.map((person) => ({ person, mayAllow: true })));
});

it.each([
  ['one of them can be reached', async (id: string) => id === 'ben', 3_600_000],
  ['none of them can be reached', async () => false, undefined],
  ['the database cannot say', () => Promise.reject(new Failure('unavailable', 'down')), undefined],
])('a request to two people › %s › waits for %s ms', async (_, canReach, expected) => {
  const options = { news: { ...news, approvers: ['ben'] }, outreach: { ...outreach, canReach } as Outreach };
  expect(await approvalLifetime(options)).toBe(expected);
});
