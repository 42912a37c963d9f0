import { join } from 'node:path';
import { defineSettings } from '../../setting.ts';
import { sandboxes } from '../agents/sandbox.ts';
import { containments } from '../process/containments.ts';
import { applyModes } from '../workspace/apply-mode.ts';
import { autopilotSettings } from './autopilot-settings.ts';
import { budgetSchema, priceSchema } from './budget.ts';

export const delegateSettings = defineSettings({
  'delegate.agent': {
    type: 'string',
    default: 'auto',
    description:
      'The agent of runs that name none, such as codex or claude; auto is the first of delegate.agent_order that is installed and signed in. With delegate.command, auto is codex.',
  },
  'delegate.agent_order': {
    type: 'list',
    default: ['codex', 'claude', 'gemini', 'qwen', 'opencode'],
    description: 'The order in which auto looks for an agent.',
  },
  'delegate.agents': {
    type: 'structure',
    schema: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name'],
        additionalProperties: false,
        properties: {
          name: { type: 'string', pattern: '^[a-z][a-z0-9_-]*$', description: 'Name for calls and settings' },
          command: { type: 'string', description: 'Path or name of the program. Default: the name' },
          args: {
            type: 'array',
            items: { type: 'string' },
            description: 'Arguments that start it as an ACP agent',
          },
          model: { type: 'string', description: 'Model of runs that name none' },
          writes: {
            type: 'array',
            items: { type: 'string' },
            description: 'Folders of its own that it may write to, relative to the home folder',
          },
        },
      },
    },
    default: [],
    description:
      'Further agents that speak the Agent Client Protocol, and programs or models for the built-in ones. list_agents names all of them.',
  },
  'delegate.budgets': {
    type: 'structure',
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: { run: budgetSchema, autopilot: budgetSchema, day: budgetSchema },
    },
    default: {},
    description:
      'Limits for one run, for one autopilot and for all runs of a day: tokens, US dollars, minutes. A run that exceeds one ends with that reason.',
  },
  'delegate.prices': {
    type: 'structure',
    schema: { type: 'array', items: priceSchema },
    default: [],
    description:
      'US dollars per million tokens, for agents that do not report their costs. The first match counts.',
  },
  'delegate.command': {
    type: 'string',
    aliases: [{ env: 'ADJUTANT_CODEX' }],
    description: 'Path or name of the agent program. Default: the program on the PATH.',
  },
  'delegate.codex_home': {
    type: 'path',
    default: (places) => join(places.userHome, '.codex'),
    aliases: [{ env: 'CODEX_HOME', shared: true }],
    description: 'Folder with the settings, threads and skills of Codex. Passed to Codex as CODEX_HOME.',
  },
  'delegate.runs_dir': {
    type: 'path',
    description:
      'Folder for run files. Default: runs in delegate.state_dir; under the contract delegate, delegator/runs in the folder of Codex.',
  },
  'delegate.state_dir': {
    type: 'path',
    default: (places) => places.home ?? join(places.state, 'adjutant'),
    description: 'Folder for the run queue and the folder claims that all servers of a user share.',
  },
  'delegate.max_parallel': {
    type: 'integer',
    minimum: 1,
    default: 4,
    description:
      'Maximum number of parallel runs, across all servers of the user. Further runs wait in the queue.',
  },
  'delegate.reasoning_effort': {
    type: 'string',
    aliases: [{ env: 'CODEX_DELEGATE_REASONING_EFFORT' }],
    description: 'Reasoning effort for calls that do not set one.',
  },
  'delegate.sandbox_ceiling': {
    type: 'choice',
    values: sandboxes,
    default: 'danger-full-access',
    description:
      'Least restrictive sandbox a run may use. danger-full-access also requires delegate.danger_folders, except with --contract delegate.',
  },
  'delegate.danger_folders': {
    type: 'list',
    default: [],
    description: 'Folders in which runs may use danger-full-access, that is, no sandbox.',
  },
  'delegate.write_folders': {
    type: 'list',
    default: [],
    description:
      'Protected folders in which runs may write anyway. Protected are the home folder itself, the root folder and system folders.',
  },
  'delegate.trusted_folders': {
    type: 'list',
    default: [],
    description:
      'Folders whose own hooks, helpers, MCP servers, variables and endpoints apply to runs in them. Elsewhere the settings of a repository are ignored.',
  },
  'delegate.visible_folders': {
    type: 'list',
    default: [],
    description:
      'Private files and folders that runs may read, such as ~/.ssh, ~/.config/gh or ~/.npmrc. Without this setting, the keys, sign-ins, histories and settings of other programs in the home folder are hidden from agents.',
  },
  'delegate.visible_variables': {
    type: 'list',
    default: [],
    description:
      'Variables that runs get although their names (KEY, SECRET, TOKEN, PASSWORD, PASSWD, PASSPHRASE, CREDENTIAL, and AUTH, PASS, PAT or PWD as a word) or values (an address with a password) suggest a secret. * stands for any text. An agent always gets the variables of its own model provider.',
  },
  'delegate.read_only_servers': {
    type: 'list',
    default: [],
    description:
      'MCP servers in the Codex settings that read-only runs may use. All others are disabled for them, because their tools run outside the sandbox.',
  },
  'delegate.own_entries': {
    type: 'list',
    default: [],
    description:
      'Names of MCP servers in the Codex settings that start this server, if it cannot detect them itself.',
  },
  'delegate.approvals': {
    type: 'choice',
    values: ['never', 'ask'],
    default: 'never',
    description:
      'Whether agents may ask for permission to leave their sandbox: never, or ask the person whose client started the run, after delegate.approval_rules. Only runs of the owner that may write and a delegate.sandbox_ceiling of danger-full-access.',
  },
  'delegate.approval_rules': {
    type: 'list',
    default: [],
    description:
      'Rules that answer requests before a person is asked: allow, ask or refuse, the first words of the command, and "in" with a folder. The first rule that matches decides. Example: allow npm test in ~/shop.',
  },
  'delegate.approval_timeout_seconds': {
    type: 'integer',
    minimum: 1,
    description:
      'Time after which a request without an answer is refused, in seconds. Without this setting, one hour if a person can be notified of it, and five minutes otherwise. The time limits of the run stand still meanwhile.',
  },
  'delegate.approvers': {
    type: 'list',
    default: [],
    description:
      'Ids of people who get requests for permission and may allow them, besides me. Others who are notified of a run may only refuse.',
  },
  'delegate.approvals_at_night': {
    type: 'choice',
    values: ['silent', 'delay', 'ignore'],
    default: 'silent',
    description:
      'How a request for permission arrives in the quiet hours of a person: without a sound, after them, or as at any other time.',
  },
  'delegate.notify': {
    type: 'string',
    default: 'away',
    description:
      'Who is notified when a run ends or has questions, unless the call says so: a person by id or name, me, nobody, or away: me, if the client has left before the end of the run.',
  },
  'delegate.notify_details': {
    type: 'boolean',
    default: false,
    description:
      'Whether these messages contain results, errors and commands, which lock screens can show. Without it, they name only the folder and what happened.',
  },
  'delegate.containment': {
    type: 'choice',
    values: ['auto', ...containments],
    default: 'auto',
    description:
      'How all processes of an agent are ended with its run: a Linux pid namespace, a subreaper, or none of these, which misses processes that hide. auto uses the best one that works.',
  },
  'delegate.apply': {
    type: 'choice',
    values: applyModes,
    default: 'auto',
    description:
      'When the changes of a writing run are applied to its folder: when the run ends, when a person says so (adjutant runs apply, or the page), or never, but committed to a branch adjutant/RUN. An autopilot applies the changes of each job when it ends; otherwise its jobs work one after another in one workspace.',
  },
  'delegate.copy_limit_mb': {
    type: 'integer',
    minimum: 0,
    default: 2_000,
    description:
      'Size in megabytes up to which a folder is copied to isolate a run, where an overlay does not work. Writing runs in larger folders are refused there.',
  },
  'delegate.keep_days': {
    type: 'integer',
    minimum: 0,
    default: 60,
    description:
      'Days after which a server deletes the files of a finished run, unless its changes wait to be applied. 0 for no limit.',
  },
  'delegate.keep_mb': {
    type: 'integer',
    minimum: 0,
    default: 5_000,
    description:
      'Size of all runs in megabytes above which a server deletes the oldest finished ones, unless their changes wait to be applied. 0 for no limit.',
  },
  'delegate.on_disconnect': {
    type: 'choice',
    values: ['cancel', 'finish'],
    default: 'cancel',
    description: 'Whether to cancel or finish a run when the client waiting for it disconnects.',
  },
  'delegate.answer_within_seconds': {
    type: 'integer',
    minimum: 0,
    default: 50,
    description:
      'Seconds after which a call returns the run_id instead of the result. The default is below the timeout of most clients. 0 waits for the end of the run.',
  },
  'delegate.start_timeout_seconds': {
    type: 'integer',
    minimum: 0,
    default: 60,
    description: 'Time limit for the agent to start, in seconds. 0 for no limit.',
  },
  'delegate.idle_timeout_seconds': {
    type: 'integer',
    minimum: 0,
    default: 1_800,
    description:
      'Time limit without output from the agent, in seconds. A long command counts as silence. 0 for no limit.',
  },
  'delegate.total_timeout_seconds': {
    type: 'integer',
    minimum: 0,
    default: 7_200,
    description: 'Time limit for a run, in seconds. 0 for no limit.',
  },
  ...autopilotSettings,
});
