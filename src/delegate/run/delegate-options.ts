import { join } from 'node:path';
import type { Context } from '../../context.ts';
import type { ExpandText } from '../../feature.ts';
import type { Outreach } from '../../outreach.ts';
import type { ValuesOf } from '../../setting.ts';
import type { Records } from '../../store/records.ts';
import type { CustomAgent } from '../agents/acp-definition.ts';
import type { AgentName } from '../agents/agent.ts';
import type { ApprovalDecision } from '../agents/protocols/approval.ts';
import type { Environment } from '../process/environment.ts';
import { autopilotOptions } from './autopilot-settings.ts';
import type { Budgets, Price } from './budget.ts';
import { defaultAgent } from './default-agent.ts';
import type { delegateSettings } from './settings.ts';

/** Records the answer of a person in the security log, as a call of `answer_approval`, and then sends it. */
export type RecordDecision = (
  context: Context,
  decision: { readonly run_id: string; readonly approval_id: string; readonly decision: ApprovalDecision },
  send: () => Promise<void>,
) => Promise<void>;

/** What delegate needs to know: the settings, and what the program adds to them. */
export interface DelegateOptions extends Readonly<ReturnType<typeof delegateOptions>> {
  /** Variables whose secret values are redacted in run files. Includes variables that programs do not receive. */
  readonly knownVariables?: Environment;
  /**
   * True in a process that finishes the runs whose hosts were killed: a server, or a command that starts runs. Commands that
   * only read must not wait for that.
   */
  readonly recoversRuns?: boolean;
  /** Absent where no security log is kept. */
  readonly recordDecision?: RecordDecision;
  /** True for a server whose clients can leave while it runs on: over HTTP. */
  readonly outlivesClients?: boolean;
  /** Shared store through which several machines list each other's runs. */
  readonly records?: Records;
  /** Expands prompts of the library in tasks and roles. Absent under the drop-in contract, which passes texts on unchanged. */
  readonly expandText?: ExpandText;
  /** The folders that hold skills of the library. Absent under the drop-in contract. */
  readonly librarySkills?: () => Promise<readonly string[]>;
  /** Reaches people. Absent under the drop-in contract. */
  readonly outreach?: Outreach;
}

type Values = ValuesOf<typeof delegateSettings> & {
  readonly home: string | undefined;
  readonly 'http.port': number;
  readonly 'originals.read': readonly string[];
};

/** Converts configuration values to delegate options. */
export function delegateOptions(values: Values, env: Environment, document: boolean) {
  const codexHome = values['delegate.codex_home'];
  // Under its contract, runs are where the original stores them.
  const delegatorRuns = join(codexHome, 'delegator', 'runs');
  const ownRuns = join(values['delegate.state_dir'], 'runs');
  const runsDir =
    values['delegate.runs_dir'] ?? (document && values.home === undefined ? delegatorRuns : ownRuns);
  const timeoutMs = (name: 'start' | 'idle' | 'total') => values[`delegate.${name}_timeout_seconds`] * 1000;
  const seconds = values['delegate.approval_timeout_seconds'];
  const agents = values['delegate.agents'] as readonly CustomAgent[];
  const userHome = env['HOME'] ?? env['USERPROFILE'] ?? '';
  const named = values['delegate.agent'];
  const isCodex = named === 'auto' && (document || values['delegate.command'] !== undefined);
  return {
    /** True under the drop-in contract: only its three tools exist, and each call returns when its run ends. */
    document,
    // Asked again for every run, because a person may install or sign in to an agent in the meantime.
    get agent(): AgentName {
      return defaultAgent({
        agent: isCodex ? 'codex' : named,
        order: values['delegate.agent_order'],
        commands: new Map(agents.flatMap(({ name, command }) => (command ? [[name, command]] : []))),
        ...{ codexHome, userHome, env },
      });
    },
    command: values['delegate.command'],
    agents,
    budgets: values['delegate.budgets'] as Budgets,
    prices: values['delegate.prices'] as readonly Price[],
    codexHome,
    userHome,
    runsDir,
    ...(values['originals.read'].includes('delegator') &&
      values.home === undefined &&
      runsDir !== delegatorRuns && {
        /** Runs of another program that are shown too. */
        otherRunsDir: delegatorRuns,
      }),
    queueFile: join(values['delegate.state_dir'], 'runs.sqlite'),
    /** The environment of every program the server starts. */
    env,
    /** The working directory of the server. */
    startedIn: process.cwd(),
    /** Maximum number of running agents, counted over all runs of the user. */
    maxParallel: values['delegate.max_parallel'],
    approvals: {
      mode: values['delegate.approvals'],
      rules: values['delegate.approval_rules'],
      timeoutMs: seconds === undefined ? undefined : seconds * 1000,
    },
    /** How people hear of runs. */
    news: {
      /** `away`: me, if no client waits for the run any more. Otherwise a person, or `nobody`. */
      notify: values['delegate.notify'],
      /** Messages contain results, errors and commands, which lock screens may show. */
      details: values['delegate.notify_details'],
      /** People who may allow what agents ask for, besides me. */
      approvers: values['delegate.approvers'],
      /** What quiet hours do to requests for permission. */
      atNight: values['delegate.approvals_at_night'],
    },
    /** When the changes of a run are applied, unless the call says so. */
    apply: document ? 'auto' : values['delegate.apply'],
    /** How the processes of an agent are kept together. */
    containment: values['delegate.containment'],
    /** Which finished runs are kept. Absent fields mean no limit. */
    retention: retentionOf(values, document),
    /** Folders above this size are not copied to isolate a run. */
    copyLimitBytes: values['delegate.copy_limit_mb'] * 1024 * 1024,
    /** Time limits in milliseconds; 0 means no limit. `grace` is the time between asking an agent to stop and killing it. */
    limits: { start: timeoutMs('start'), idle: timeoutMs('idle'), total: timeoutMs('total'), grace: 3_000 },
    reasoningEffort: values['delegate.reasoning_effort'],
    ceiling: values['delegate.sandbox_ceiling'],
    dangerFolders: values['delegate.danger_folders'],
    /** Protected folders that runs may write to anyway. */
    writeFolders: values['delegate.write_folders'],
    /** Folders whose own agent settings apply to runs in them. */
    trustedFolders: values['delegate.trusted_folders'],
    /** Private files and folders of the person that runs may read. */
    visibleFolders: values['delegate.visible_folders'],
    /** Variables that runs get although their names or values suggest a secret. */
    visibleVariables: values['delegate.visible_variables'],
    /** MCP servers that read-only runs may use. */
    readOnlyServers: values['delegate.read_only_servers'],
    /** Files and folders of Adjutant that no sandboxed command may read. */
    unreadable: [] as readonly string[],
    /** Folders that belong to Adjutant alone. */
    ownFolders: [] as readonly string[],
    ownEntry: { names: values['delegate.own_entries'], port: values['http.port'] },
    onDisconnect: values['delegate.on_disconnect'],
    autopilot: autopilotOptions(values),
    /** Time after which a call returns the run id instead of the result. 0 waits for the end of the run. */
    answerWithinMs: document ? 0 : values['delegate.answer_within_seconds'] * 1000,
  };
}

/** The original keeps all its runs. */
function retentionOf(
  values: Values,
  document: boolean,
): { readonly ageMs?: number; readonly bytes?: number } {
  const { 'delegate.keep_days': days, 'delegate.keep_mb': megabytes } = values;
  if (document) return {};
  return { ...(days > 0 && { ageMs: days * 86_400_000 }), ...(megabytes > 0 && { bytes: megabytes * 1e6 }) };
}
