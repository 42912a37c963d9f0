import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallFeature, ToolAnswer, ToolArguments, ToolName } from './api.ts';
import { type AssistantFeature, type AssistantOptions, createAssistant } from './assistant/assistant.ts';
import type { Delivery } from './assistant/delivery/delivery.ts';
import type { PolicyOptions } from './assistant/policy/policy-model.ts';
import { createRecords } from './assistant/store/records.ts';
import { isPostgres } from './assistant/store/store.ts';
import { type Config, settingsInForce, withoutOwnVariables } from './config.ts';
import type { ContractName } from './contracts/contract.ts';
import { contracts } from './contracts/contracts.ts';
import { modernVersion } from './contracts/standard.ts';
import { createDelegate } from './delegate/delegate.ts';
import type { DelegateOptions } from './delegate/settings/delegate-options.ts';
import { delegateOptions } from './delegate/settings/delegate-options.ts';
import { createDemo } from './demo/demo.ts';
import { Server } from './engine/server.ts';
import { Failure } from './failure.ts';
import type { Context, Feature } from './feature.ts';
import {
  createCommands,
  createJsonl,
  createPrompts,
  createTwig,
  type PromptsFeature,
  type PromptsOptions,
} from './prompts/prompts.ts';
import { FolderWatch } from './prompts/watch/folder-watch.ts';
import type { Records } from './records.ts';
import { createSkills } from './skills/skills.ts';
import { connectedClients } from './status/connected-clients.ts';
import { RequestLog } from './status/request-log.ts';
import { createStatus } from './status/status.ts';

export interface AppOptions {
  readonly stateKey?: Buffer;
  /** The environment that programs started from here shall have. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where each setting came from. */
  readonly origins?: Readonly<Record<string, string>>;
  /** Writes problems with prompt files to the log, for servers that run on their own. */
  readonly logsProblems?: boolean;
  /** What the servers of one process know of each other. */
  readonly neighbours?: Neighbours;
}

export interface Neighbours {
  readonly servers: Set<Server>;
  readonly log: RequestLog;
}

export function createNeighbours(): Neighbours {
  return { servers: new Set(), log: new RequestLog() };
}

/** The composition root: the only place that knows every feature. */
export function createServer(name: ContractName, config: Config, options: AppOptions = {}): Server {
  const { stateKey, origins = {}, neighbours = createNeighbours() } = options;
  const features = name === 'standard' ? standardFeatures() : featuresOf(name, config, options);
  const server: Server = new Server({
    contract: contracts[name],
    features,
    observe: (event) => neighbours.log.add(event),
    ...(stateKey && { stateKey }),
  });
  neighbours.servers.add(server);
  return server;

  function standardFeatures(): readonly Feature[] {
    const { prompts, delegate, assistant } = mainFeatures(config, options);
    const main = [prompts, delegate, assistant, ...skillsOf(config, prompts)];
    const callFeature: CallFeature = (tool, args, context) => callTool(server, tool, args, context);
    return [...main, demoOf(config, callFeature, assistant), statusOf(main, config, origins, neighbours)];
  }
}

/** Calls a tool through the engine and returns its structured answer. */
async function callTool<Name extends ToolName>(
  server: Server,
  name: Name,
  args: ToolArguments<Name>,
  context: Context,
): Promise<ToolAnswer<Name>> {
  const { structured, content = [] } = await server.call(name, args, context);
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  return (structured ?? { text }) as ToolAnswer<Name>;
}

function demoOf(config: Config, call: CallFeature, { storedData }: AssistantFeature): Feature {
  return createDemo({
    commandsDir: config['commands.dir'],
    librariesDir: config['twig.dir'],
    outboxDir: config['delivery.outbox_dir'],
    runsDir: delegateOptions(config, {}, false).runsDir,
    stateFile: join(config['http.state_dir'], 'demo.json'),
    call,
    storedData,
  });
}

/** No feature, so no extension is declared, if the settings allow no skill at all. */
function skillsOf(config: Config, library: PromptsFeature): readonly Feature[] {
  const folders = config['skills.folders'];
  const prompts = config['skills.prompts'];
  if (folders.length === 0 && prompts === 'none') return [];
  const skills = createSkills({
    folders,
    prompts,
    library: library.definitions,
    libraryChanges: (listener) => library.subscribe?.(listener) ?? (() => {}),
    watch: (changed) => new FolderWatch({ changed, poll: config['prompts.watch'] === 'poll' }),
  });
  return [skills];
}

function statusOf(
  features: readonly Feature[],
  config: Config,
  origins: AppOptions['origins'] & {},
  neighbours: Neighbours,
): Feature {
  return createStatus({
    log: neighbours.log,
    clients: () =>
      connectedClients(
        [...neighbours.servers].flatMap(({ sessions }) => [...sessions]),
        modernVersion,
      ),
    problems: async () => (await Promise.all(features.map((feature) => feature.problems?.() ?? []))).flat(),
    settings: () => settingsInForce(config, origins),
  });
}

/** Sends what comes due in the diary. */
export async function createDelivery(config: Config, env: AppOptions['env'] & {} = {}): Promise<Delivery> {
  const { createDelivery: create } = await import('./assistant/delivery/delivery.ts');
  const { databaseUrl, policy, calendars, channels } = assistantOptions(config, env);
  return create({
    databaseUrl,
    policy,
    calendars,
    channels,
    publicUrl: config['delivery.public_url'],
    slots: config['delivery.slots'],
    leaseMs: config['delivery.lease_seconds'] * 1000,
  });
}

function mainFeatures(config: Config, options: AppOptions) {
  const { env = {} } = options;
  const shared = sharedRecords(config);
  const prompts = createPrompts({ ...promptOptions(config, options), ...shared });
  const expandPrompt = expander(prompts);
  return {
    prompts,
    delegate: createDelegate({ ...delegateFor(config, env, false), ...shared, expandPrompt }),
    assistant: createAssistant(assistantOptions(config, env)),
  };
}

/** The feature behind one of the published documents. */
function featuresOf(
  name: Exclude<ContractName, 'standard'>,
  config: Config,
  options: AppOptions,
): readonly Feature[] {
  const { env = {} } = options;
  switch (name) {
    case 'commands':
      return [createCommands(promptOptions(config, options))];
    case 'jsonl':
      return [createJsonl({ ...promptOptions(config, options), ...sharedRecords(config) })];
    case 'twig':
      return [createTwig(promptOptions(config, options))];
    case 'delegate':
      return [createDelegate({ ...delegateFor(config, env, true), ...sharedRecords(config) })];
    case 'assistant':
      return [createAssistant(assistantOptions(config, env))];
  }
}

function delegateFor(config: Config, env: AppOptions['env'] & {}, document: boolean): DelegateOptions {
  return { ...delegateOptions(config, withoutOwnVariables(env), document), knownVariables: env };
}

/** A call that no client makes. */
function alone(signal = new AbortController().signal): Context {
  return {
    signal,
    client: { name: 'adjutant', version: '', protocolVersion: '', capabilities: {} },
    meta: {},
    progress: () => {},
    log: () => {},
    can: () => false,
    ask: () => Promise.reject(new Failure('capability-missing', 'Nobody can be asked here.')),
  };
}

/** Fills a prompt of the library with a text, as far as there is one. */
function expander({ prompts }: Feature): DelegateOptions['expandPrompt'] & {} {
  return async (name, input) => {
    try {
      const rendered = await prompts?.get(name, { input }, alone());
      return rendered?.messages
        .flatMap(({ content }) => (content.type === 'text' ? [content.text] : []))
        .join('\n\n');
    } catch (error) {
      if (error instanceof Failure && error.kind === 'prompt-not-found') return undefined;
      throw error;
    }
  };
}

function promptOptions(config: Config, { origins = {}, logsProblems = false }: AppOptions): PromptsOptions {
  const namedBy = (setting: string) => (origins[setting] === 'default' ? undefined : origins[setting]);
  return {
    commandsDir: config['commands.dir'],
    jsonlDir: config['jsonl.dir'],
    twigDir: config['twig.dir'],
    mounts: config['prompts.mounts'] as PromptsOptions['mounts'] & {},
    userHome: config['prompts.user_home'],
    poll: config['prompts.watch'] === 'poll',
    namedBy: {
      commandsDir: namedBy('commands.dir'),
      jsonlDir: namedBy('jsonl.dir'),
      twigDir: namedBy('twig.dir'),
    },
    logsProblems,
  };
}

/** Where several machines share a diary they share their prompts and tell each other of their runs. */
function sharedRecords(config: Config): { readonly records?: Records } {
  const url = config['assistant.database_url'];
  return isPostgres(url) ? { records: createRecords(url) } : {};
}

function assistantOptions(config: Config, env: AppOptions['env'] & {}): AssistantOptions {
  return {
    databaseUrl: config['assistant.database_url'],
    calendars: {
      privateHosts: config['calendars.private_hosts'],
      passwordsFile: config['calendars.passwords_file'],
      maxBytes: config['calendars.max_bytes'],
      intervalMs: config['calendars.interval_minutes'] * 60_000,
    },
    channels: channelOptions(config),
    toolTimeoutMs: config['assistant.tool_timeout_ms'],
    policy: {
      name: config['assistant.policy'],
      url: config['assistant.model_url'],
      model: config['assistant.model'],
      key: config['assistant.model_api_key'],
      timeoutMs: config['assistant.model_timeout_ms'],
      ...(config['assistant.policy'] === 'delegate' && { delegate: taskRunner(config, env) }),
    },
  };
}

function channelOptions(config: Config): AssistantOptions['channels'] {
  const account = config['delivery.call_account'];
  const token = config['delivery.call_token'];
  const from = config['delivery.call_from'];
  const ntfyUrl = config['delivery.ntfy_url'];
  return {
    outboxDir: config['delivery.outbox_dir'],
    mailFrom: config['delivery.mail_from'],
    smtpUrl: config['delivery.smtp_url'],
    ...(account && token && from && { call: { url: config['delivery.call_url'], account, token, from } }),
    webhookSecret: config['delivery.webhook_secret'],
    privateHosts: config['delivery.private_hosts'],
    ...(ntfyUrl && { ntfy: { url: ntfyUrl, token: config['delivery.ntfy_token'] } }),
  };
}

/** Lets a sub-agent answer a question: one that may look at nothing and waits for nobody. */
function taskRunner(config: Config, env: AppOptions['env'] & {}): PolicyOptions['delegate'] & {} {
  const features = [createDelegate(delegateFor(config, env, true))];
  const server = new Server({ contract: contracts.delegate, features });
  return async (task, signal) => {
    const args = {
      task: `${task}\n\nThe summary of your result is that JSON object, as text.`,
      cwd: tmpdir(),
      skip_git_repo_check: true,
      skills_mode: 'none',
      max_skills: 0,
      include_repo_skills: false,
      include_global_skills: false,
    } as const;
    const { summary, error } = await callTool(server, 'delegate_run', args, alone(signal));
    if (error) throw new Error(error);
    return summary;
  };
}
