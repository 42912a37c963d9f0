import { join } from 'node:path';
import { defineSettings } from '../../setting.ts';
import { agentNames } from '../agents/agent.ts';
import { sandboxes } from '../agents/sandbox.ts';
import { autopilotSettings } from './autopilot-settings.ts';

export const delegateSettings = defineSettings({
  'delegate.agent': {
    type: 'choice',
    values: agentNames,
    default: 'codex',
    description: 'The program that does the work: Codex, or Claude Code.',
  },
  'delegate.command': {
    type: 'string',
    aliases: [{ env: 'ADJUTANT_CODEX' }],
    description: 'The path or name of that program, where it is not the one on the PATH.',
  },
  'delegate.codex_home': {
    type: 'path',
    default: (places) => join(places.userHome, '.codex'),
    aliases: [{ env: 'CODEX_HOME', shared: true }],
    description: 'The folder with the settings, threads and skills of Codex; passed on to it.',
  },
  'delegate.runs_dir': {
    type: 'path',
    description:
      'Where runs keep their files. Otherwise delegator/runs in the folder of Codex, or runs in home.',
  },
  'delegate.state_dir': {
    type: 'path',
    default: (places) => places.home ?? join(places.state, 'adjutant'),
    description: 'Where the servers of one user keep the line of waiting runs.',
  },
  'delegate.max_parallel': {
    type: 'integer',
    minimum: 1,
    default: 4,
    description: 'Runs at a time, counted over all servers of the user; others wait in line.',
  },
  'delegate.reasoning_effort': {
    type: 'string',
    aliases: [{ env: 'CODEX_DELEGATE_REASONING_EFFORT' }],
    description: 'The effort for calls that name none.',
  },
  'delegate.sandbox_ceiling': {
    type: 'choice',
    values: sandboxes,
    default: 'danger-full-access',
    description: 'The widest sandbox any run may have. The widest of all also needs delegate.danger_folders.',
  },
  'delegate.danger_folders': {
    type: 'list',
    default: [],
    description: 'Folders in which runs without any sandbox are allowed.',
  },
  'delegate.write_folders': {
    type: 'list',
    default: [],
    description:
      'Folders in which runs may write although it is refused elsewhere of their kind: the home folder itself, the root, folders of the system.',
  },
  'delegate.own_entries': {
    type: 'list',
    default: [],
    description:
      'Names of MCP servers in the settings of Codex that lead back here, where they cannot be recognised.',
  },
  'delegate.on_disconnect': {
    type: 'choice',
    values: ['cancel', 'finish'],
    default: 'cancel',
    description: 'What becomes of a run when the client that waits for it goes away.',
  },
  'delegate.answer_within_seconds': {
    type: 'integer',
    minimum: 0,
    default: 50,
    description:
      'After so long a call answers with the run_id instead of the result, below the time most clients wait; 0 waits for the end.',
  },
  'delegate.start_timeout_seconds': {
    type: 'integer',
    minimum: 0,
    default: 60,
    description: 'How long the agent may take to begin; 0 for no limit.',
  },
  'delegate.idle_timeout_seconds': {
    type: 'integer',
    minimum: 0,
    default: 1_800,
    description: 'How long a run may be silent, a long command included; 0 for no limit.',
  },
  'delegate.total_timeout_seconds': {
    type: 'integer',
    minimum: 0,
    default: 7_200,
    description: 'How long a run may take; 0 for no limit.',
  },
  ...autopilotSettings,
});
