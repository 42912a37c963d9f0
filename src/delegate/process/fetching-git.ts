import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../failure.ts';
import { readRegularFileSync } from '../../regular-file.ts';
import { type Environment, safeGitSettings, withGitSettings } from './environment.ts';
import { capture } from './launch.ts';

const timeoutMs = 5 * 60_000;

/** Settings of fetches: no program of any configuration runs, no symbolic link is created, and no password is asked for. */
const settings: readonly Setting[] = [
  ...safeGitSettings,
  ['core.askPass', ''],
  ['core.symlinks', 'false'],
  ['core.autocrlf', 'false'],
  ['credential.helper', ''],
  ['fetch.fsckObjects', 'true'],
  // Always one pack, whose size can be limited while it arrives.
  ['fetch.unpackLimit', '1'],
  ['gc.auto', '0'],
  ['http.followRedirects', 'false'],
  ['http.lowSpeedLimit', '100'],
  ['http.lowSpeedTime', '60'],
  ['maintenance.auto', 'false'],
];

/** Few objects can describe billions of files: each folder can contain the same folder many times. */
const maxOutput = 32_000_000;

interface FetchOptions {
  /** An address whose host may get a password from the person's own credential helper. No other host gets one. */
  readonly credentialsFor?: string;
  /** A file with the token or password for that host, instead of a helper. */
  readonly tokenFile?: string;
  /** Stops git if the packs in this git directory grow by more than this number of bytes. */
  readonly limit?: { readonly gitDir: string; readonly bytes: number };
}

/**
 * Runs a git command that may use the network. It ignores the settings of the user and of the system, and allows only
 * https, ssh and files; http is meant for this machine. Throws git's own message, with advice where a repository is private.
 */
export async function runFetchingGit(
  args: readonly string[],
  base: Environment,
  variables: Readonly<Record<string, string>>,
  { credentialsFor, tokenFile, limit }: FetchOptions = {},
): Promise<string> {
  const kept = Object.fromEntries(Object.entries(base).filter(([name]) => !name.startsWith('GIT_')));
  const credentials =
    credentialsFor === undefined
      ? []
      : tokenFile === undefined
        ? await credentialSettings(credentialsFor, kept)
        : tokenSettings(credentialsFor);
  const env = withGitSettings(
    {
      ...kept,
      ...(tokenFile !== undefined && { [tokenVariable]: readToken(tokenFile) }),
      GIT_ALLOW_PROTOCOL: 'https:ssh:file:http',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_ASKPASS: '',
      SSH_ASKPASS: '',
      GIT_SSH_COMMAND: 'ssh -oBatchMode=yes -oConnectTimeout=30',
      GIT_TERMINAL_PROMPT: '0',
      LC_ALL: 'C',
      ...variables,
    },
    [...settings, ...credentials],
  );
  const growth = limit && watchGrowth(limit);
  const { code, output, errors, startError, isOutputCut } = await capture(
    { command: 'git', args, env },
    { timeoutMs, maxOutput, ...(growth && { signal: growth.signal }) },
  ).finally(() => growth?.stop());
  if (growth?.isExceeded())
    throw new Failure('unavailable', `it is larger than ${megabytes(limit!.bytes)}, so it was not fetched`);
  if (isOutputCut) throw new Failure('unavailable', 'it has too many files');
  if (startError !== undefined)
    throw new Failure('unavailable', `git could not be started: ${startError.message}`, {
      cause: startError,
    });
  if (code === 0) return output.toString();
  throw new Failure(
    'unavailable',
    failureReason(errors.toString(), credentialsFor) || 'git was stopped after 5 minutes',
  );
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}

type Setting = readonly [key: string, value: string];

/** What the person's own git settings say of credentials for the address, as settings for its host only. */
async function credentialSettings(address: string, env: Environment): Promise<readonly Setting[]> {
  if (!/^https?:\/\//.test(address) || !URL.canParse(address)) return [];
  const url = new URL(address);
  const args = ['config', '--show-scope', '--null', '--get-regexp', '^credential\\.'];
  const { output } = await capture({ command: 'git', args, env }, { timeoutMs: 10_000 });
  const fields = output.toString().split('\0');
  const found: Setting[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const setting = fields[at + 1]!;
    const [all, context, key] =
      /^credential\.(?:(.*)\.)?(helper|username|usehttppath)(?:\n|$)/s.exec(setting) ?? [];
    // The settings of a repository that happens to be the working directory are not the person's.
    if (all === undefined || fields[at] === 'local' || fields[at] === 'worktree') continue;
    const path = context === undefined ? '' : pathFor(context, url);
    // A setting without a value is true.
    const value = all.endsWith('\n') ? setting.slice(all.length) : 'true';
    if (path !== undefined) found.push([`credential.${url.origin}${path}.${key}`, value]);
  }
  // An empty helper removes those before it.
  if (!found.findLast(([key]) => key.endsWith('.helper'))?.[1])
    throw new Failure(
      'unavailable',
      `your git settings name no credential helper for ${url.origin}; set one with git config --global credential.helper NAME`,
    );
  return found;
}

/** The path in the context of a credential setting, such as `https://*.example.com/team`. `undefined` if it is not for the address. */
function pathFor(context: string, url: URL): string | undefined {
  const [, scheme, user, host = '', written = ''] =
    /^(?:([a-z][a-z0-9+.-]*):\/\/)?(?:([^@/]*)@)?([^/]*)(\/.*)?$/i.exec(context) ?? [];
  const labels = host.replace(url.protocol === 'https:' ? /:443$/ : /:80$/, '').split('.');
  const asked = url.host.split('.');
  const path = written.replace(/\/$/, '');
  const isMeant =
    (scheme === undefined || `${scheme.toLowerCase()}:` === url.protocol) &&
    (user === undefined || user === decodeURIComponent(url.username)) &&
    labels.length === asked.length &&
    labels.every((label, index) => label === '*' || label.toLowerCase() === asked[index]) &&
    `${url.pathname}/`.startsWith(`${path}/`);
  return isMeant ? path : undefined;
}

/** Git's helper gets the token from a variable, so that it is in no argument that other processes can see. */
const tokenVariable = 'ADJUTANT_GIT_TOKEN';

function tokenSettings(address: string): readonly Setting[] {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new Failure('unavailable', 'token_file is for https; ssh uses the keys of your agent');
  const { origin, username } = new URL(address);
  const user = /^[\w.-]+$/.test(username) ? username : 'x-access-token';
  const helper = `!f() { test "$1" = get && echo username=${user} && echo "password=$${tokenVariable}"; }; f`;
  return [[`credential.${origin}.helper`, helper]];
}

function readToken(file: string): string {
  const token = readRegularFileSync(file).trim();
  if (token === '' || /\s/.test(token))
    throw new Failure('unavailable', `${file} must contain the token and nothing else`);
  return token;
}

function failureReason(errors: string, credentialsFor: string | undefined): string {
  const lines = errors.trim().split('\n');
  const written = lines.find((line) => /^(?:fatal|error):/.test(line)) ?? lines[0] ?? '';
  const reason = written.replace(/^\w+: /, '');
  if (/could not read (?:Username|Password)|Authentication failed|not found$|error: 40[134]/.test(reason))
    return credentialsFor === undefined
      ? `${reason}; if the repository is private, set credentials = "helper" or token_file on it in adjutant.toml, or use ssh`
      : `${reason}; your credential helper or token file has no valid password for this repository`;
  // ssh says why, in a line before that of git.
  if (/^Could not read from remote repository/i.test(reason))
    return `${lines[0]}; check that ssh reaches the host without a question (known_hosts) and that your key is in the agent (ssh-add)`;
  return reason;
}

const checkEveryMs = 200;

function watchGrowth({ gitDir, bytes }: FetchOptions['limit'] & {}): {
  readonly signal: AbortSignal;
  isExceeded(): boolean;
  stop(): void;
} {
  const packs = join(gitDir, 'objects', 'pack');
  const before = sizeOf(packs);
  const control = new AbortController();
  const isExceeded = () => control.signal.aborted || sizeOf(packs) - before > bytes;
  const timer = setInterval(() => {
    if (isExceeded()) control.abort();
  }, checkEveryMs);
  return { signal: control.signal, isExceeded, stop: () => clearInterval(timer) };
}

function sizeOf(folder: string): number {
  try {
    return readdirSync(folder)
      .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
      .reduce((sum, size) => sum + size, 0);
  } catch {
    return 0;
  }
}
