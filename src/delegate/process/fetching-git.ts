import { Failure } from '../../failure.ts';
import { type Environment, safeGitSettings, withGitSettings } from './environment.ts';
import { capture } from './launch.ts';

const timeoutMs = 5 * 60_000;

/** Settings of fetches: no program of any configuration runs, no symbolic link is created, and no password is asked for. */
const settings: readonly (readonly [string, string])[] = [
  ...safeGitSettings,
  ['core.askPass', ''],
  ['core.symlinks', 'false'],
  ['core.autocrlf', 'false'],
  ['credential.helper', ''],
  ['fetch.fsckObjects', 'true'],
  ['gc.auto', '0'],
  ['http.followRedirects', 'false'],
  ['maintenance.auto', 'false'],
];

/**
 * Runs a git command that may use the network. It ignores the settings of the user and of the system, and allows only
 * https, ssh and files; http is meant for this machine. Throws git's own message.
 */
export async function runFetchingGit(
  args: readonly string[],
  base: Environment,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const kept = Object.fromEntries(Object.entries(base).filter(([name]) => !name.startsWith('GIT_')));
  const env = withGitSettings(
    {
      ...kept,
      GIT_ALLOW_PROTOCOL: 'https:ssh:file:http',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_ASKPASS: '',
      SSH_ASKPASS: '',
      GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
      GIT_TERMINAL_PROMPT: '0',
      LC_ALL: 'C',
      ...variables,
    },
    settings,
  );
  const { code, output, errors, startError } = await capture({ command: 'git', args, env }, { timeoutMs });
  if (startError !== undefined)
    throw new Failure('unavailable', `git could not be started: ${startError.message}`, {
      cause: startError,
    });
  if (code === 0) return output.toString();
  const lines = errors.toString().trim().split('\n');
  const reason = lines.find((line) => /^(?:fatal|error):/.test(line)) ?? lines[0];
  throw new Failure('unavailable', reason?.replace(/^\w+: /, '') || 'git was stopped after 5 minutes');
}
