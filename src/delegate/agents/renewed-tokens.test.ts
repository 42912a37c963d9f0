import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepRenewedTokens } from './renewed-tokens.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tokens-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const fields = ['access', 'refresh', 'expires'];
const own = {
  anthropic: { type: 'oauth', access: 'a1', refresh: 'r1', expires: 1, enterpriseUrl: 'https://mine' },
  openai: { type: 'api', key: 'mine' },
};

async function keep(renewed: unknown): Promise<unknown> {
  writeFileSync(join(folder, 'own'), JSON.stringify(own));
  writeFileSync(join(folder, 'renewed'), typeof renewed === 'string' ? renewed : JSON.stringify(renewed));
  await keepRenewedTokens(join(folder, 'own'), join(folder, 'renewed'), { fields });
  return JSON.parse(readFileSync(join(folder, 'own'), 'utf8'));
}

it('keeps renewed tokens', async () => {
  const renewed = { ...own, anthropic: { ...own.anthropic, access: 'a2', refresh: 'r2', expires: 2 } };
  expect(await keep(renewed)).toEqual(renewed);
});

it.each([
  ['another account', { ...own, 'https://evil': { type: 'wellknown', key: 'X', token: 'x' } }],
  ['another address', { ...own, anthropic: { ...own.anthropic, enterpriseUrl: 'https://evil' } }],
  ['another kind of account', { ...own, anthropic: { type: 'wellknown', key: 'X', token: 'x' } }],
  ['another key', { ...own, openai: { type: 'api', key: 'evil' } }],
  ['tokens of another type', { anthropic: { access: { evil: true }, refresh: ['x'], expires: '2' } }],
  ['no account', {}],
  ['text', 'nothing'],
])('does not keep %s', async (_, renewed) => {
  expect(await keep(renewed)).toEqual(own);
});

it('reads no other file through a link', async () => {
  const secret = { anthropic: { access: 'secret', refresh: 'secret', expires: 3 } };
  writeFileSync(join(folder, 'secret'), JSON.stringify(secret));
  writeFileSync(join(folder, 'own'), JSON.stringify(own));
  symlinkSync(join(folder, 'secret'), join(folder, 'link'));
  await keepRenewedTokens(join(folder, 'own'), join(folder, 'link'), { fields });
  expect(JSON.parse(readFileSync(join(folder, 'own'), 'utf8'))).toEqual(own);
});

it('creates no file', async () => {
  writeFileSync(join(folder, 'renewed'), JSON.stringify(own));
  await keepRenewedTokens(join(folder, 'missing'), join(folder, 'renewed'), { fields });
  expect(existsSync(join(folder, 'missing'))).toBe(false);
});
