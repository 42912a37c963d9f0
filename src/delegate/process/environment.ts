export type Environment = Readonly<Record<string, string | undefined>>;

/** Environment variable that marks every process of a run, even if the process has a new parent or session. */
export const runMarker = 'DELEGATE_RUN';

/** Programs that run git outside their sandbox, for example to read the branch, must not start this program. */
const noMonitor = ['core.fsmonitor', 'false'] as const;

/** Settings that keep git from starting programs that a repository configures under a fixed name. */
export const safeGitSettings: readonly (readonly [string, string])[] = [
  noMonitor,
  ['core.hooksPath', '/dev/null'],
  // Git in a submodule uses the settings of the submodule.
  ['submodule.recurse', 'false'],
];

/** Variables that git sets for the programs it starts, such as a hook that starts this server. They refer to another repository. */
const repositoryVariables = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_PREFIX',
  'GIT_NAMESPACE',
];

/** The environment of an agent: the user's own, with the agent's settings and the mark of the run. Hooks stay, for commits. */
export function agentEnvironment(
  base: Environment,
  settings: Environment,
  runId: string,
  without: readonly string[] = [],
): Environment {
  const kept = withoutRepository(omit(base, without));
  return { ...withGitParameters(kept, noMonitor), ...settings, [runMarker]: runId };
}

function omit(env: Environment, names: readonly string[]): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
}

/**
 * Adds a git setting to the variable that `git -c` uses. Agents hide variables with `KEY` in their names from commands, and
 * git fails if GIT_CONFIG_COUNT is set without them, so those of the user are moved too.
 */
function withGitParameters(env: Environment, [key, value]: readonly [string, string]): Environment {
  const numbered = Object.entries(env).filter(([name]) => /^GIT_CONFIG_(KEY|VALUE)_\d+$/.test(name));
  const moved = Array.from({ length: Number(env['GIT_CONFIG_COUNT']) || 0 }, (_, at) =>
    [env[`GIT_CONFIG_KEY_${at}`] ?? '', env[`GIT_CONFIG_VALUE_${at}`] ?? ''].join('='),
  );
  const quoted = [...moved, `${key}=${value}`].map((one) => `'${one.replaceAll("'", "'\\''")}'`);
  return {
    ...env,
    ...Object.fromEntries(numbered.map(([name]) => [name, undefined])),
    GIT_CONFIG_COUNT: undefined,
    GIT_CONFIG_PARAMETERS: [env['GIT_CONFIG_PARAMETERS'] ?? [], quoted].flat().join(' '),
  };
}

/** The environment of an acceptance check. The agent may have written its code, so it gets no secrets. */
export function checkEnvironment(
  base: Environment,
  settings: Environment,
  without: readonly string[],
): Environment {
  return { ...omit(base, without), CI: '1', ...settings };
}

/** The environment of a git command: no prompts, no network, no lock files that only save time. */
export function gitEnvironment(base: Environment): Environment {
  return {
    ...base,
    // The repository's settings choose the program that fetches missing objects.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
}

export function withoutRepository(env: Environment): Environment {
  return omit(env, repositoryVariables);
}

/** Adds settings that override those of every configuration file. */
export function withGitSettings(
  env: Environment,
  settings: readonly (readonly [string, string])[],
): Environment {
  const first = Number(env['GIT_CONFIG_COUNT']) || 0;
  const added = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${first + at}`, key],
    [`GIT_CONFIG_VALUE_${first + at}`, value],
  ]);
  return { ...env, ...Object.fromEntries(added), GIT_CONFIG_COUNT: String(first + settings.length) };
}
