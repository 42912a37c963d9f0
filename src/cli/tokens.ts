import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadedConfig } from '../config.ts';
import { owner } from '../context.ts';
import { issueToken } from '../identity/issue-token.ts';
import { type NamedToken, NamedTokens } from '../identity/named-tokens.ts';
import { isScope, scopeNames, unknownScope } from '../toolsets/scopes.ts';
import { type Action, type Command, number, several, UsageError, type Use } from './terminal/command.ts';
import { tableText } from './terminal/terminal.ts';

function tokenAction(
  work: (store: NamedTokens, use: Use) => Promise<void>,
  action: Omit<Action, 'run'>,
): Action {
  return {
    ...action,
    async run(use) {
      await work(new NamedTokens(use.config['http.state_dir']), use);
      return 0;
    },
  };
}

/** Creates, lists and revokes the tokens of other people and programs, and replaces that of the owner. */
export const tokens: Command = {
  name: 'tokens',
  summary: 'Tokens for other people and programs',
  actions: {
    list: tokenAction(
      async (store, { terminal }) => {
        const all = store.list();
        terminal.answer({ tokens: all }, () =>
          all.length === 0
            ? 'There are no named tokens.'
            : tableText(terminal, ['name', 'scopes', 'created', 'expires'], all.map(row)),
        );
      },
      { summary: 'List tokens', examples: ['tokens list', 'tokens list --json'] },
    ),
    create: tokenAction(
      async (store, { words: [name = ''], flags, terminal }) => {
        const scopes = readScopes(flags['scope']);
        const days = readDays(flags['days']);
        const { token, ...expiry } = issueToken(store, owner, { name, scopes, days });
        terminal.answer({ name, scopes, token, ...expiry }, `${token}\n`);
        const until = expiry.expires_at === undefined ? '' : ` until ${expiry.expires_at.slice(0, 10)}`;
        terminal.hint(`This token is shown only now. It may${until}: ${scopes.join(', ')}.\n`);
      },
      {
        summary: 'Create a token',
        args: 'NAME',
        flags: {
          scope: several('SCOPE', `What it may do, can be repeated: ${scopeNames.join(', ')}`),
          days: number('DAYS', 'Days until it expires; never, unless given'),
        },
        changes: 'files',
        examples: ['tokens create phone --scope calendar:ada', 'tokens create laptop --scope read --days 90'],
      },
    ),
    revoke: tokenAction(
      async (store, { words: [name = ''], terminal }) => {
        store.revoke(name);
        terminal.report({ revoked: name }, `✓ Revoked ${name}. Its connections end now.`);
      },
      {
        summary: 'Revoke a token',
        args: 'TOKEN',
        changes: 'files',
        examples: ['tokens revoke phone', 'tokens list'],
      },
    ),
    'rotate-owner': tokenAction(
      async (_, { config, terminal }) => {
        const file = config['http.token_file'] ?? join(config['http.state_dir'], 'token');
        const { ensureToken, rotateToken } = await import('../transports/token.ts');
        const token =
          existsSync(file) || config['http.token_file'] !== undefined
            ? rotateToken(file)
            : ensureToken(config['http.state_dir']);
        terminal.answer({ token, token_file: file }, `${token}\n`);
        terminal.hint(
          `Running servers accept only this token of the owner from now on. It is in ${file}.\nClients with the former one, and the page, need it: adjutant install, adjutant open\n`,
        );
      },
      {
        summary: 'Replace the token of the owner, without a restart of servers',
        changes: 'files',
        examples: ['tokens rotate-owner', 'tokens rotate-owner --json'],
      },
    ),
  },
};

function row({ name, scopes, created_at, expires_at }: NamedToken): readonly string[] {
  return [name, scopes.join(' '), created_at.slice(0, 10), expires_at?.slice(0, 10) ?? 'never'];
}

function readDays(given: LoadedConfig['flags'][string]): number | undefined {
  if (given === undefined) return undefined;
  if (/^[1-9]\d{0,3}$/.test(String(given)) && Number(given) <= 3650) return Number(given);
  throw new UsageError(
    `--days is the number of days until the token expires, from 1 to 3650, not "${given}"`,
  );
}

function readScopes(given: LoadedConfig['flags'][string]): readonly string[] {
  const scopes = [given ?? []]
    .flat()
    .flatMap((text) => String(text).split(','))
    .map((scope) => scope.trim())
    .filter((scope) => scope !== '');
  if (scopes.length === 0)
    throw new UsageError(
      `say what the token may do with --scope: ${scopeNames.join(', ')}\n  Example: adjutant tokens create phone --scope read`,
    );
  const unknown = scopes.find((scope) => !isScope(scope));
  if (unknown !== undefined) throw new UsageError(unknownScope(unknown));
  return [...new Set(scopes)];
}
