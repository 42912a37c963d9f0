import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { owner } from '../context.ts';
import { actorWith } from '../toolsets/scopes.ts';
import { issueToken } from './issue-token.ts';
import { NamedTokens } from './named-tokens.ts';

let folder: string;
let store: NamedTokens;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-tokens-'));
  store = new NamedTokens(folder);
});
afterEach(() => rmSync(folder, { recursive: true }));

it('accepts a token until it expires', () => {
  const { token, expires_at } = issueToken(store, owner, { name: 'laptop', scopes: ['read'], days: 2 });
  const end = Date.parse(expires_at!);
  expect(store.find(token, end - 1)).toMatchObject({ name: 'token laptop', token: { expiresAt: end } });
  expect(store.find(token, end)).toBeUndefined();
  expect(store.list()).toEqual([
    { name: 'laptop', scopes: ['read'], created_at: expect.any(String), expires_at },
  ]);
});

it('refuses a token whose end is damaged', () => {
  const { token } = issueToken(store, owner, { name: 'laptop', scopes: ['read'], days: 2 });
  const file = join(folder, 'tokens', 'token-laptop.json');
  writeFileSync(file, JSON.stringify({ scopes: ['read'], sha256: '0'.repeat(64), expires_at: 'soon' }));
  expect(store.find(token)).toBeUndefined();
});

it('never gives a scope that its creator does not have', () => {
  const reader = actorWith('token reader', ['read', 'calendar:ada']);
  for (const scope of ['admin', 'calendar:*', 'calendar:bo', 'prompts:write'])
    expect(() => issueToken(store, reader, { name: 'more', scopes: ['read', scope] })).toThrow(
      `You cannot give the scope ${scope}`,
    );
  expect(store.list()).toEqual([]);
  issueToken(store, reader, { name: 'same', scopes: ['calendar:ada'] });
  issueToken(store, actorWith('token boss', ['admin']), { name: 'all', scopes: ['admin'] });
  expect(store.list().map(({ name }) => name)).toEqual(['all', 'same']);
  expect(() => issueToken(store, owner, { name: 'typo', scopes: ['reed'] })).toThrow('did you mean read?');
});

it('never creates a token that lasts longer than the one of its creator', () => {
  const { token } = issueToken(store, owner, { name: 'boss', scopes: ['admin'], days: 30 });
  const boss = store.find(token)!;
  for (const days of [undefined, 31])
    expect(() => issueToken(store, boss, { name: 'longer', scopes: ['read'], days })).toThrow(
      'Your own token expires on',
    );
  expect(issueToken(store, boss, { name: 'shorter', scopes: ['read'], days: 29 })).toHaveProperty('token');
  expect(store.list().map(({ name }) => name)).toEqual(['boss', 'shorter']);
});

it('never creates a token for a caller with an access token', () => {
  const visitor = actorWith('oauth ada', ['admin'], { kind: 'oauth', expiresAt: Date.now() + 60_000 });
  for (const days of [undefined, 1])
    expect(() => issueToken(store, visitor, { name: 'more', scopes: ['read'], days })).toThrow(
      'cannot create named tokens',
    );
  expect(store.list()).toEqual([]);
});
