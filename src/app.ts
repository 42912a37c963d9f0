import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ToolAnswer, ToolArguments, ToolName } from './api.ts';
import { type AssistantFeature, type AssistantOptions, createAssistant } from './assistant/assistant.ts';
import type { Delivery } from './assistant/delivery/delivery.ts';
import type { PolicyOptions } from './assistant/policy/policy-model.ts';
import { createActivity } from './audit/activity-tool.ts';
import type { Audit } from './audit/audit-entry.ts';
import { type Config, mayHaveSkills, settingsInForce } from './config.ts';
import { type Context, identityOf } from './context.ts';
import type { ContractName } from './contracts/contract.ts';
import { contracts } from './contracts/contracts.ts';
import { modernVersion } from './contracts/standard.ts';
import { createDelegate } from './delegate/delegate.ts';
import { delegateOptions } from './delegate/run/delegate-options.ts';
import { createDecisions as createRequestDecisions } from './delegate/tools/decisions.ts';
import { createDemo } from './demo/demo.ts';
import { internalContext } from './engine/context.ts';
import { Server } from './engine/server.ts';
import { Denied } from './failure.ts';
import type { ExpandOwn, Feature, Finding, Problem } from './feature.ts';
import type { CallFeature } from './feature-api.ts';
import {
  assistantOptions,
  clientAccess,
  delegateFeatureOptions,
  grantedExpansion,
  openAudit,
  ownExpansion,
  type PromptSources,
  promptDocuments,
  promptGit,
  promptOptions,
  recordedDecisions,
  redactLog,
  routineOptions,
  sharedRecords,
  withOriginalFolders,
} from './feature-options.ts';
import { createInbox } from './inbox/inbox.ts';
import type { Decisions, Outreach } from './outreach.ts';
import { Lazy } from './pace.ts';
import { FolderWatch } from './prompts/files/folder-watch.ts';
import { followPrompts } from './prompts/native/native-sync.ts';
import {
  createCommands,
  createJsonl,
  createPrompts,
  createTwig,
  type PromptsFeature,
} from './prompts/prompts.ts';
import { createRoutines } from './routines/routines.ts';
import { addressOf } from './skills/skill.ts';
import { createSkills } from './skills/skills.ts';
import type { ClientConnections } from './status/client-tools.ts';
import { connectedClients } from './status/connected-clients.ts';
import { RequestLog } from './status/request-log.ts';
import { createStatus } from './status/status.ts';
import type { TokenStore } from './status/token-tools.ts';
import { createRecords } from './store/records.ts';
import { createApps } from './web/apps.ts';

/** The name with which the page identifies itself. */
const pageClient = 'adjutant-page';

type Environment = Readonly<Record<string, string | undefined>>;

/** `logsProblems` writes problems with prompt files to the log, for servers that nobody watches. */
export interface AppOptions extends PromptSources {
  /** Signs request state, so that another process with the same key can continue the request. */
  readonly stateKey?: Buffer;
  /** Environment for the programs that features start. */
  readonly env?: Environment;
  /** Servers of the same process, which report their clients and requests together. */
  readonly group?: ServerGroup;
  /** The security log, if several servers of this process share it. */
  readonly audit?: ReturnType<typeof openAudit>;
  /** Checks the machine and the configuration, given the problems of the features. */
  readonly checks?: (problems: readonly Problem[]) => Promise<readonly Finding[]>;
  /** The named tokens, for a server that accepts them. */
  readonly tokens?: TokenStore;
  /** Connects the clients of this machine, for a server that only this machine can reach. */
  readonly connections?: ClientConnections;
  /** True for a server, and for a command that starts runs: it finishes the runs whose processes were killed. */
  readonly recoversRuns?: boolean;
  /** True for a server whose clients can leave while it runs on. */
  readonly outlivesClients?: boolean;
  /** True for a worker and for a server over HTTP: they fire the routines of this machine. */
  readonly firesRoutines?: boolean;
  /** Keeps the prompts up to date that `adjutant install --with-prompts` wrote into the folders of clients. */
  readonly updatesClients?: boolean;
}

export interface ServerGroup {
  readonly servers: Set<Server>;
  readonly log: RequestLog;
}

export const createServerGroup = (): ServerGroup => ({ servers: new Set(), log: new RequestLog() });

/** The composition root: the only file that knows every feature. */
export function createServer(name: ContractName, config: Config, options: AppOptions = {}): Server {
  const { stateKey, group = createServerGroup() } = options;
  if (options.env !== undefined) redactLog(config, options.env);
  const audit = options.audit ?? openAudit(config);
  const features = name === 'standard' ? standardFeatures() : createDropInFeatures(name, config, options);
  const server: Server = new Server({
    contract: contracts[name],
    features,
    access: clientAccess(name, config),
    limits: { batchReplyBytes: config.max_batch_reply_bytes, nameLength: config.max_name_length },
    // The page reports requests. Its own would hide those of the clients.
    observe: (event) => event.client !== pageClient && group.log.add(event),
    audit,
    ...(stateKey && { stateKey }),
  });
  group.servers.add(server);
  return server;

  function standardFeatures(): readonly Feature[] {
    const main = createMainFeatures(config, options, audit);
    const { shared, prompts, assistant } = main;
    if (options.updatesClients) followPrompts(prompts, config['http.state_dir']);
    const callFeature: CallFeature = (tool, args, context) => callTool(server, tool, args, context);
    const routines = createRoutineFeature(config, options, audit, main, async (tool, args, context) => {
      const { actor, client } = context;
      try {
        // As if the actor called at the command line: toolsets do not apply, read-only and scopes do.
        server.access.withoutToolsets().heldBy(actor).demand(server.offeredTools.get(tool)!.tool);
        return await callTool(server, tool, args, context, audit);
      } catch (error) {
        if (error instanceof Denied)
          audit.record({
            ...{ actor, client: client.name, action: tool, args },
            ...{ outcome: 'denied', reason: error.message },
          });
        throw error;
      }
    });
    const shown = [prompts, main.delegate, assistant, routines, ...createSkillFeatures(config, prompts)];
    return [
      ...shown,
      createDemoFeature(config, callFeature, assistant),
      createInbox({
        sources: shown.flatMap(({ inbox }) => inbox ?? []),
        records: shared.records ?? createRecords(config['assistant.database_url']),
        ownerOf: (actor) => assistant.outreach.findPerson('me', actor, false).catch(() => identityOf(actor)),
        mayCall: (tool, { actor }, reads) =>
          server.access
            .withoutToolsets()
            .heldBy(actor)
            .allows({ name: tool, annotations: { readOnlyHint: reads } }),
      }),
      createStatusFeature(shown, config, options, group),
      createActivity(audit),
      createApps(),
    ];
  }
}

/** Calls a tool through the engine and returns its structured result. */
async function callTool<Name extends ToolName>(
  server: Server,
  name: Name,
  args: ToolArguments<Name>,
  context: Context,
  audit?: Audit,
): Promise<ToolAnswer<Name>> {
  const { structured, content = [] } = await server.call(name, args, context, audit);
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  return (structured ?? { text }) as ToolAnswer<Name>;
}

function createDemoFeature(config: Config, call: CallFeature, { storedData }: AssistantFeature): Feature {
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

/** Returns no feature, so that no extension is declared, if the settings allow no skill. */
function createSkillFeatures(config: Config, prompts: PromptsFeature): readonly Feature[] {
  if (!mayHaveSkills(config)) return [];
  return [
    createSkills({
      prompts: config['skills.prompts'],
      library: prompts.library,
      libraryChanges: (listener) => prompts.subscribe(listener),
      watch: (changed) => new FolderWatch({ changed, poll: config['prompts.watch'] === 'poll' }),
    }),
  ];
}

function createStatusFeature(
  features: readonly Feature[],
  config: Config,
  { origins = {}, checks, tokens, connections }: AppOptions,
  group: ServerGroup,
): Feature {
  return createStatus({
    log: group.log,
    clients: () =>
      connectedClients(
        [...group.servers].flatMap(({ sessions }) => [...sessions]),
        modernVersion,
      ),
    problems: async () =>
      (await Promise.all(features.map(async (feature) => feature.problems?.() ?? []))).flat(),
    settings: () => settingsInForce(config, origins),
    checks,
    ...(tokens && { tokens }),
    ...(connections && { connections }),
  });
}

/**
 * For a server on stdio: shows due reminders on the desktop if no worker does. Undefined without a desktop, and inside a
 * sub-agent, whose server ends with it.
 */
export async function createDesktopDelivery(config: Config, env: Environment): Promise<Delivery | undefined> {
  const { desktop } = await import('./assistant/channels/desktop.ts');
  if (config.read_only || desktop.connect(config, { privateHosts: [] }) === undefined) return undefined;
  const { isStartedByAgent, runMarker } = await import('./delegate/process/process-table.ts');
  if (env[runMarker] !== undefined || (await isStartedByAgent())) return undefined;
  return createDelivery(config, env, [desktop.name]);
}

/**
 * Creates the worker that syncs calendars, plans notifications and delivers them when they are due. With `only`, it delivers
 * by these channels what no other worker claims.
 */
export async function createDelivery(
  config: Config,
  env: Environment = {},
  only?: readonly string[],
  decisions?: (outreach: Outreach) => Decisions,
): Promise<Delivery> {
  const { createDelivery: create } = await import('./assistant/delivery/delivery.ts');
  const { databaseUrl, policy, calendars, channels, me } = assistantFeatureOptions(config, env);
  // Few workers need a prompt, so the library is opened by the first text that names one.
  const library = new Lazy(async () => openPrompts(config, { env }));
  const expand: ExpandOwn = async (...text) => ownExpansion(grantedExpansion(await library.get()))(...text);
  const delivery = create({
    ...(config.contract === 'standard' && { expand }),
    ...{ databaseUrl, policy, calendars, channels, decisions, me },
    publicUrl: config['delivery.public_url'],
    slots: config['delivery.slots'],
    leaseMs: config['delivery.lease_seconds'] * 1000,
    ...(only && { only }),
  });
  return {
    ...delivery,
    async stop() {
      await delivery.stop();
      await (await library.current)?.close?.();
    },
  };
}

/** Lets the links of messages decide requests for permission, through a server of `standard`. */
export function createDecisions(server: Server, config: Config): (outreach: Outreach) => Decisions {
  const calls = {
    list: async () => (await callTool(server, 'list_approvals', {}, internalContext())).approvals,
    answer: (request: ToolArguments<'answer_approval'>, by: string) =>
      server.call('answer_approval', request, { ...internalContext(), actor: { name: by } }, server.audit),
    deny: (args: ToolArguments<'answer_approval'>, by: string) =>
      server.audit?.record({
        ...{ actor: { name: by }, action: 'answer_approval', args },
        ...{ outcome: 'denied', reason: 'the link or its person may only refuse' },
      }),
  };
  const { news } = delegateOptions(config, {}, false);
  return (outreach) => createRequestDecisions(calls, news, outreach);
}

/** Opens the whole catalog of prompts. */
export function openPrompts(
  config: Config,
  options: AppOptions = {},
  shared = sharedRecords(config),
): PromptsFeature {
  const { env = {} } = options;
  return createPrompts({
    ...promptOptions(config, options),
    ...promptGit(config, env),
    ...promptDocuments(config, shared),
    ...shared,
    ...(mayHaveSkills(config) && { skillAddress: addressOf }),
  });
}

function createMainFeatures(config: Config, options: AppOptions, audit: Audit) {
  const { env = {} } = options;
  const shared = sharedRecords(config);
  const prompts = openPrompts(config, options, shared);
  const expandText = grantedExpansion(prompts);
  const assistant = createAssistant({
    ...assistantFeatureOptions(config, env),
    expand: ownExpansion(expandText),
  });
  const { outreach } = assistant;
  return {
    ...{ shared, prompts, expandText },
    delegate: createDelegate(
      delegateFeatureOptions(config, env, false, {
        ...shared,
        ...recordedDecisions(audit),
        recoversRuns: options.recoversRuns ?? false,
        ...{ expandText, outreach, outlivesClients: options.outlivesClients ?? false },
        librarySkills: async () => skillParents(await prompts.library()),
      }),
    ),
    assistant,
  };
}

/** The folders in which the skills of the library are, each once. */
function skillParents(library: Awaited<ReturnType<PromptsFeature['library']>>): readonly string[] {
  return [...new Set(library.flatMap(({ folder }) => (folder === undefined ? [] : [dirname(folder)])))];
}

/** Joins routines with the features that they use. */
function createRoutineFeature(
  config: Config,
  { firesRoutines = false }: AppOptions,
  audit: Audit,
  { expandText, delegate, assistant }: ReturnType<typeof createMainFeatures>,
  call: CallFeature,
): Feature {
  return createRoutines({
    ...routineOptions(config),
    fires: firesRoutines && config['routines.enabled'] && !config.read_only,
    call,
    expandText,
    outreach: assistant.outreach,
    findEvents: (...query) => assistant.findEvents(...query),
    person: (...query) => assistant.person(...query),
    refuseSubagents: (context) => delegate.refuseSubagents(context, 'create, change or run routines'),
    recordDenied: (action, address, reason) =>
      audit.record({ actor: { name: 'nobody' }, action, args: {}, address, outcome: 'denied', reason }),
  });
}

/** Creates the one feature that a drop-in contract serves. */
function createDropInFeatures(
  name: Exclude<ContractName, 'standard'>,
  given: Config,
  options: AppOptions,
): readonly Feature[] {
  const { env = {}, origins = {} } = options;
  const config = given.contract === 'standard' ? withOriginalFolders(given, origins) : given;
  switch (name) {
    case 'commands':
      return [createCommands(promptOptions(config, options))];
    case 'jsonl':
      return [createJsonl({ ...promptOptions(config, options), ...sharedRecords(config) })];
    case 'twig':
      return [createTwig(promptOptions(config, options))];
    case 'delegate': {
      const more = { ...sharedRecords(config), recoversRuns: options.recoversRuns ?? false };
      return [createDelegate(delegateFeatureOptions(config, env, true, more))];
    }
    case 'assistant': {
      const own = assistantFeatureOptions(config, env);
      return [createAssistant({ ...own, unpaged: true, plansOnWrite: false })];
    }
  }
}

function assistantFeatureOptions(config: Config, env: Environment): AssistantOptions {
  return assistantOptions(config, () => createTaskRunner(config, env));
}

/** Runs a sub-agent without skills in the temporary folder and returns its summary. */
function createTaskRunner(config: Config, env: Environment): PolicyOptions['delegate'] & {} {
  const { runsDir } = delegateFeatureOptions(config, env, false);
  const features = [createDelegate(delegateFeatureOptions(config, env, true, { runsDir }))];
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
    const { summary, error } = await callTool(server, 'delegate_run', args, internalContext(signal));
    if (error) throw new Error(error);
    return summary;
  };
}
