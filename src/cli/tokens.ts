import type { LoadedConfig } from '../config.ts';
import { owner } from '../context.ts';
import { openAudit } from '../feature-options.ts';
import { issueToken } from '../identity/issue-token.ts';
import { type NamedToken, NamedTokens } from '../identity/named-tokens.ts';
import { isScope, scopeNames, unknownScope } from '../toolsets/scopes.ts';
import { type Command, UsageError, unknownSubcommand } from './terminal/command.ts';
import { type Terminal, tableText } from './terminal/terminal.ts';

/** Makes a change of the named token and records it in the security log. */
type Change = <Value>(name: string, work: () => Value) => Promise<Value>;
type Action = (store: NamedTokens, loaded: LoadedConfig, terminal: Terminal, change: Change) => Promise<void>;

const actions: Readonly<Record<string, Action>> = {
  async create(store, { positionals: [, name], flags }, terminal, change) {
    if (name === undefined)
      throw new UsageError('give the token a name: adjutant tokens create NAME --scope SCOPE');
    const scopes = readScopes(flags['scope']);
    const days = readDays(flags['days']);
    const { token, ...expiry } = await change(name, () => issueToken(store, owner, { name, scopes, days }));
    terminal.answer({ name, scopes, token, ...expiry }, `${token}\n`);
    const until = expiry.expires_at === undefined ? '' : ` until ${expiry.expires_at.slice(0, 10)}`;
    terminal.hint(`This token is shown only now. It may${until}: ${scopes.join(', ')}.\n`);
  },
  async list(store, _, terminal) {
    const all = store.list();
    terminal.answer({ tokens: all }, () =>
      all.length === 0
        ? 'There are no named tokens.'
        : tableText(terminal, ['name', 'scopes', 'created', 'expires'], all.map(row)),
    );
  },
  async revoke(store, { positionals: [, name] }, terminal, change) {
    if (name === undefined) throw new UsageError('name the token to revoke: adjutant tokens revoke NAME');
    await change(name, () => store.revoke(name));
    terminal.report({ revoked: name }, `Revoked ${name}. Its connections end now.`);
  },
};

/** Creates, lists and revokes the tokens of other people and programs. */
export const tokens: Command = {
  name: 'tokens',
  summary: 'Create, list and revoke tokens for other people and programs.',
  usage: 'tokens create|list|revoke [NAME] [--scope SCOPE] [--days DAYS]',
  maxWords: 2,
  flags: {
    scope: {
      type: 'string',
      multiple: true,
      description: `create: what the token may do; repeat it or separate with commas: ${scopeNames.join(', ')}.`,
    },
    days: { type: 'string', description: 'create: days until the token expires. Default: never.' },
  },
  settings: ['home', 'config', 'http.state_dir'],
  async run(loaded, terminal) {
    const [name = 'list'] = loaded.positionals;
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) throw unknownSubcommand('tokens', name, Object.keys(actions));
    const store = new NamedTokens(loaded.config['http.state_dir']);
    const audit = openAudit(loaded.config);
    try {
      await action(store, loaded, terminal, (id, work) =>
        audit.run(
          { actor: owner, action: `tokens ${name}`, args: { id } },
          {
            work: async () => work(),
            outcome: (end) => ({ outcome: 'value' in end ? 'done' : 'failed' }),
          },
        ),
      );
    } finally {
      await audit.close();
    }
    return 0;
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
    throw new UsageError(`say what the token may do with --scope: ${scopeNames.join(', ')}`);
  const unknown = scopes.find((scope) => !isScope(scope));
  if (unknown !== undefined) throw new UsageError(unknownScope(unknown));
  return [...new Set(scopes)];
}
