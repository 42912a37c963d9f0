import { defineSettings, type ValuesOf } from '../../setting.ts';
import type { ThinkingLevel } from './thinking-level.ts';

/** How autopilots are flown where the caller does not say. */
export interface AutopilotSettings {
  readonly models: Readonly<Record<ThinkingLevel, string | undefined>>;
  readonly efforts: Readonly<Record<ThinkingLevel, string | undefined>>;
  /** `fixed` asks no model for a plan. */
  readonly planner: 'model' | 'fixed';
  readonly plannerTimeoutMs: number;
  readonly worktrees: WorktreeRule;
  /** The beginnings of the commands that may run as acceptance checks. */
  readonly checks: readonly string[];
  readonly checkTimeoutMs: number;
}

export const worktreeRules = ['never', 'overlap', 'always'] as const;
/** Which writing jobs get a tree of their own: none, those that would get in each other's way, or all. */
export type WorktreeRule = (typeof worktreeRules)[number];

/** Commands that most projects have, and that do no more than look, build or test. */
const usualChecks = [
  ...['npm', 'pnpm', 'yarn', 'bun'].flatMap((manager) => [`${manager} test`, `${manager} run`]),
  ...['cargo test', 'cargo check', 'cargo build', 'cargo clippy', 'cargo fmt --check'],
  ...['go test', 'go vet', 'go build'],
  ...['pytest', 'python -m pytest', 'python3 -m pytest', 'ruff check', 'mypy'],
  ...['make test', 'make check', 'make lint', 'make build'],
  ...['mvn test', 'gradle test', './gradlew test', 'dotnet test', 'dotnet build'],
  ...['tsc', 'npx tsc', 'node --check', 'node --test', 'test -e', 'test -f', 'git diff --check'],
];

export const autopilotSettings = defineSettings({
  'autopilot.planner': {
    type: 'choice',
    values: ['model', 'fixed'],
    default: 'model',
    description: 'Who plans: a model, or a fixed rule (look, do, check) that costs nothing.',
  },
  'autopilot.planner_timeout_seconds': {
    type: 'integer',
    minimum: 1,
    default: 300,
    description: 'How long planning may take before the fixed rule is used.',
  },
  'autopilot.worktrees': {
    type: 'choice',
    values: worktreeRules,
    default: 'never',
    description:
      'Which writing jobs work in a git worktree of their own and end as patches: none (they take turns), those that could touch the same files, or all.',
  },
  'autopilot.checks': {
    type: 'list',
    default: usualChecks,
    description: 'The beginnings of the commands that a plan may have run as acceptance checks.',
  },
  'autopilot.check_timeout_seconds': {
    type: 'integer',
    minimum: 1,
    default: 600,
    description: 'How long one acceptance check may take.',
  },
  'autopilot.model_low': {
    type: 'string',
    aliases: [{ env: 'CODEX_AUTOPILOT_MODEL_LOW' }],
    description: 'The model for planning and for jobs that need little thought.',
  },
  'autopilot.model_medium': {
    type: 'string',
    aliases: [{ env: 'CODEX_AUTOPILOT_MODEL_MEDIUM' }],
    description: 'The model for ordinary jobs.',
  },
  'autopilot.model_high': {
    type: 'string',
    aliases: [{ env: 'CODEX_AUTOPILOT_MODEL_HIGH' }],
    description: 'The model for hard jobs.',
  },
  'autopilot.reasoning_effort_low': {
    type: 'string',
    aliases: [{ env: 'CODEX_AUTOPILOT_REASONING_EFFORT_LOW' }],
    description: 'The effort for planning and for jobs that need little thought.',
  },
  'autopilot.reasoning_effort_medium': {
    type: 'string',
    aliases: [{ env: 'CODEX_AUTOPILOT_REASONING_EFFORT_MEDIUM' }],
    description: 'The effort for ordinary jobs.',
  },
  'autopilot.reasoning_effort_high': {
    type: 'string',
    aliases: [{ env: 'CODEX_AUTOPILOT_REASONING_EFFORT_HIGH' }],
    description: 'The effort for hard jobs.',
  },
});

/** What an autopilot needs, from the settings as they are in force. */
export function autopilotOptions(values: ValuesOf<typeof autopilotSettings>): AutopilotSettings {
  const level = (of: 'model' | 'reasoning_effort') => ({
    low: values[`autopilot.${of}_low`],
    medium: values[`autopilot.${of}_medium`],
    high: values[`autopilot.${of}_high`],
  });
  return {
    planner: values['autopilot.planner'],
    plannerTimeoutMs: values['autopilot.planner_timeout_seconds'] * 1000,
    worktrees: values['autopilot.worktrees'],
    checks: values['autopilot.checks'],
    checkTimeoutMs: values['autopilot.check_timeout_seconds'] * 1000,
    models: level('model'),
    efforts: level('reasoning_effort'),
  };
}
