import { join, resolve } from 'node:path';
import type { AssistantOptions } from './assistant/assistant.ts';
import type { PolicyOptions } from './assistant/policy/policy-model.ts';
import { createAudit } from './audit/audit.ts';
import type { Audit, CallOutcome } from './audit/audit-entry.ts';
import { type Config, ownFiles, ownFolders, ownSecrets, withoutOwnVariables } from './config.ts';
import { owner } from './context.ts';
import type { ContractName } from './contracts/contract.ts';
import { createRedaction } from './delegate/process/redaction.ts';
import { type DelegateOptions, delegateOptions } from './delegate/run/delegate-options.ts';
import { internalContext } from './engine/context.ts';
import { callOutcome } from './engine/tool-call.ts';
import { Denied, Failure } from './failure.ts';
import type { ExpandOwn, ExpandText } from './feature.ts';
import { NamedTokens } from './identity/named-tokens.ts';
import { setLogRedaction } from './log.ts';
import { commandName } from './prompts/catalog/expander.ts';
import type { RunGit } from './prompts/mounts/repository-pull.ts';
import type { PromptDocuments, PromptsFeature, PromptsOptions } from './prompts/prompts.ts';
import type { RoutinesOptions } from './routines/routines.ts';
import { createRecords, type Records } from './store/records.ts';
import type { SecretKind } from './store/secret-kind.ts';
import { isPostgres, locate } from './store/store.ts';
import { Access } from './toolsets/access.ts';
import { isGranted, scopeFor } from './toolsets/scopes.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface PromptSources {
  /** Where each setting came from: `default`, a file, a variable or a flag. */
  readonly origins?: Readonly<Record<string, string>>;
  readonly logsProblems?: boolean;
}

export function promptOptions(
  config: Config,
  { origins = {}, logsProblems = false }: PromptSources,
): PromptsOptions {
  const reads = (program: string) => config['originals.read'].includes(program);
  const namedBy = (setting: string) => (origins[setting] === 'default' ? undefined : origins[setting]);
  return {
    commandsDir: config['commands.dir'],
    jsonlDir: config['jsonl.dir'],
    twigDir: config['twig.dir'],
    originals: {
      ...(reads('hexai') && { hexaiDir: config['originals.hexai_dir'] }),
      ...(reads('twig') && { twigDir: config['originals.twig_dir'] }),
    },
    mounts: config['prompts.mounts'] as PromptsOptions['mounts'] & {},
    skillFolders: config['skills.folders'],
    userHome: config['prompts.user_home'],
    poll: config['prompts.watch'] === 'poll',
    namedBy: {
      commandsDir: namedBy('commands.dir'),
      jsonlDir: namedBy('jsonl.dir'),
      twigDir: namedBy('twig.dir'),
    },
    logsProblems,
    protectedLabels: config['prompts.protected_labels'],
    silencedRules: config['prompts.lint_ignore'],
    countsUsage: config['prompts.usage'],
    expose: { rules: config['prompts.expose'], limit: config['prompts.expose_limit'] },
    searchFile: join(config['http.state_dir'], 'prompt-search.db'),
    nativeDir: config['http.state_dir'],
    listFile: join(config['http.state_dir'], 'listed-prompts.json'),
    holdsLabels: config['prompts.hold_label_on_failure'],
    ...testModel(config),
  };
}

/** A drop-in contract that a server of `standard` offers beside its own keeps the documented folders of the original. */
export function withOriginalFolders(config: Config, origins: PromptSources['origins'] & {}): Config {
  const isChosen = (setting: string) => (origins[setting] ?? 'default') !== 'default';
  const hexai = isChosen('jsonl.dir') ? undefined : config['originals.hexai_dir'];
  const twig = isChosen('twig.dir') ? undefined : config['originals.twig_dir'];
  return { ...config, ...(hexai && { 'jsonl.dir': hexai }), ...(twig && { 'twig.dir': twig }) };
}

/** Reads git repositories of prompt files with the same precautions as those of runs. */
function gitReader(env: Environment): PromptsOptions['openRepository'] & {} {
  return async (folder) => {
    const { Repository } = await import('./delegate/workspace/git.ts');
    const repository = await Repository.find(folder, withoutOwnVariables(env));
    return repository && { read: async (args) => (await repository.run(folder, args)).output.toString() };
  };
}

/** What prompts need git for: the history of their files, and repositories to serve. */
export function promptGit(
  config: Config,
  env: Environment,
): Pick<PromptsOptions, 'openRepository' | 'repositories'> {
  return { openRepository: gitReader(env), ...promptRepositories(config, env) };
}

/** Git repositories of prompts. */
export function promptRepositories(config: Config, env: Environment): Pick<PromptsOptions, 'repositories'> {
  const configured = config['prompts.repositories'] as (PromptsOptions['repositories'] & {})['list'];
  if (configured.length === 0) return {};
  const list = configured.map((one) => ({
    ...one,
    address: one.address.replace(/^~(?=\/)/, () => config['prompts.user_home']),
  }));
  return { repositories: { list, folder: config['prompts.repositories_dir'], git: fetchingGit(env) } };
}

/** Git for repositories of prompts, with the variables of the person and without our own. */
function fetchingGit(env: Environment): RunGit {
  return async (args, variables = {}, options = {}) => {
    const { runFetchingGit } = await import('./delegate/process/fetching-git.ts');
    return runFetchingGit(args, withoutOwnVariables(env), variables, options);
  };
}

/** Tests of prompts ask the same model as the assistant. */
function testModel(config: Config): Pick<PromptsOptions, 'model'> {
  const [url, model] = [config['assistant.model_url'], config['assistant.model']];
  if (!url || !model) return {};
  const key = config['assistant.model_api_key'];
  return { model: { url, model, key, timeoutMs: config['assistant.model_timeout_ms'] } };
}

/** On PostgreSQL, several machines share prompts and run records. On SQLite there is nothing to share. */
export function sharedRecords(config: Config): { readonly records?: Records } {
  const url = config['assistant.database_url'];
  return isPostgres(url) ? { records: createRecords(url) } : {};
}

/** Where labels, uses and trials of prompts are stored. */
export function promptDocuments(
  config: Config,
  { records }: { readonly records?: Records },
): PromptDocuments {
  if (records !== undefined)
    return { documents: records, localDocuments: createRecords(localDatabase(config)) };
  const documents = createRecords(config['assistant.database_url']);
  return { documents, localDocuments: documents };
}

/** With `isDropIn`, the feature has only the tools of the contract `delegate`, and each call waits for its run to end. */
export function delegateFeatureOptions(
  config: Config,
  env: Environment,
  isDropIn: boolean,
  more: Partial<DelegateOptions> = {},
): DelegateOptions {
  const options = delegateOptions(config, withoutOwnVariables(env), isDropIn);
  return {
    ...options,
    unreadable: [...ownFiles(config, env), ...databaseFiles(config)],
    ownFolders: ownFolders(config, env),
    ...more,
    // Both are read late, and a copy of the options would read them at once: somebody may sign in to an agent while the server
    // runs, and the token is created when a server starts.
    get agent() {
      return options.agent;
    },
    get knownVariables() {
      return secretsOf(config, env);
    },
  };
}

/** Read late: the token is created when a server starts. */
function secretsOf(config: Config, env: Environment): Environment {
  return { ...env, ...ownSecrets(config) };
}

/** Removes the secrets of the settings and the environment from the log. */
export function redactLog(config: Config, env: Environment): void {
  setLogRedaction((text) => createRedaction(secretsOf(config, env))(text));
}

/** The files of the databases on this machine. SQLite keeps recent changes beside the main file. */
function databaseFiles(config: Config): readonly string[] {
  const { engine, target } = locate(config['assistant.database_url']);
  const files = [...(engine === 'sqlite' ? [target] : []), localDatabase(config)];
  return files.flatMap((file) => ['', '-wal', '-shm', '-journal'].map((suffix) => resolve(file + suffix)));
}

/** `createTaskRunner` is called only when a sub-agent is configured to decide about notifications. */
export function assistantOptions(
  config: Config,
  createTaskRunner: () => PolicyOptions['delegate'] & {},
): AssistantOptions {
  return {
    databaseUrl: config['assistant.database_url'],
    calendars: {
      privateHosts: config['calendars.private_hosts'],
      passwordsFile: config['calendars.passwords_file'],
      maxBytes: config['calendars.max_bytes'],
      intervalMs: config['calendars.interval_minutes'] * 60_000,
    },
    channels: config,
    toolTimeoutMs: config['assistant.tool_timeout_ms'],
    me: { id: config['assistant.me'], file: join(config['http.state_dir'], 'me') },
    plansOnWrite: true,
    publicUrl: config['delivery.public_url'],
    async localUrl() {
      const { findServers } = await import('./running-servers.ts');
      const [server] = await findServers(config['http.state_dir']);
      return server?.url;
    },
    policy: {
      name: config['assistant.policy'],
      url: config['assistant.model_url'],
      model: config['assistant.model'],
      key: config['assistant.model_api_key'],
      timeoutMs: config['assistant.model_timeout_ms'],
      ...(config['assistant.policy'] === 'delegate' && { delegate: createTaskRunner() }),
    },
  };
}

export function routineOptions(
  config: Config,
): Pick<RoutinesOptions, 'databaseUrl' | 'stateDir' | 'settings' | 'publicUrl' | 'present'> {
  const tokens = new NamedTokens(config['http.state_dir']);
  return {
    databaseUrl: config['assistant.database_url'],
    stateDir: config['delegate.state_dir'],
    publicUrl: config['delivery.public_url'],
    settings: {
      minIntervalMs: config['routines.min_interval_minutes'] * 60_000,
      catchUpHours: config['routines.catch_up_hours'],
      maxFailures: config['routines.max_failures'],
      maxPerHour: config['routines.max_per_hour'],
      keepMs: config['routines.keep_days'] * 86_400_000,
      tellsErrors: config['delegate.notify_details'],
      maxParallel: config['delegate.max_parallel'],
    },
    present: ({ name, token }) =>
      token === undefined
        ? owner
        : token.kind === 'named'
          ? tokens.present(name.replace(/^token /, ''), token.id)
          : undefined,
  };
}

/** The security log of all servers and commands of this installation. */
export function openAudit(config: Config) {
  const databaseUrl = config['assistant.database_url'];
  return createAudit({
    databaseUrl,
    // Prompts and runs must work while the database of the features is damaged or cannot be reached.
    localUrl: localDatabase(config),
    oldFolder: join(config['http.state_dir'], 'audit'),
    days: config['audit.days'],
  });
}

/** The database of this machine beside that of the features, for everything that is not shared. */
export function localDatabase(config: Config): string {
  return join(config['http.state_dir'], 'local.db');
}

/** The kinds of records that hold secrets. Backups leave them out. */
export async function secretKinds(): Promise<readonly SecretKind[]> {
  const { signInKind } = await import('./assistant/calendar/sign-ins.ts');
  const { webhookKeyKind } = await import('./routines/definition/secrets.ts');
  return [signInKind, webhookKeyKind];
}

/** What clients may use. The drop-in contracts have no discovery tools, so they list every allowed tool. */
export function clientAccess(name: ContractName, config: Config): Access {
  const selection = {
    toolsets: config.toolsets,
    tools: config.tools,
    excludeTools: config.exclude_tools,
    readOnly: config.read_only,
  };
  return new Access([selection], name !== 'standard');
}

/** Expands prompts for other features, if the actor could also call `expand_prompt`. */
export function grantedExpansion({ expandText }: PromptsFeature): ExpandText {
  return async (text, args, context, options) => {
    const name = commandName(text);
    if (name !== undefined && !isGranted(context.actor, 'expand_prompt'))
      throw new Denied(
        'refused',
        `The prompt ${name} is not available: it needs a token with the scope ${scopeFor('expand_prompt')}.`,
      );
    return expandText(text, args, context, options);
  };
}

/** Expands for a caller with their rights, and for the planner with those of the owner. */
export function ownExpansion(expandText: ExpandText): ExpandOwn {
  return (text, args, context = internalContext()) => expandText(text, args, context, { asks: false });
}

/** Puts the answers that people give in the forms of clients into the security log. */
export function recordedDecisions(audit: Audit): Pick<DelegateOptions, 'recordDecision'> {
  return {
    recordDecision: ({ actor, client }, args, work) =>
      audit.run(
        { actor, client: client.name, action: 'answer_approval', args },
        { work, outcome: decisionOutcome },
      ),
  };
}

/** An answer that comes too late, or a second time with a repeated call, changes nothing. */
function decisionOutcome(end: { readonly value: void } | { readonly error: unknown }): CallOutcome {
  if ('value' in end) return { outcome: 'done' };
  const { error } = end;
  return error instanceof Failure && error.kind === 'refused' ? { outcome: 'withdrawn' } : callOutcome(end);
}
