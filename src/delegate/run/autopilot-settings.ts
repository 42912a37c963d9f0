import { defineSettings, type ValuesOf } from '../../setting.ts';

/** Difficulty of a job. The settings map each level to a model and a reasoning effort. */
export const thinkingLevels = ['low', 'medium', 'high'] as const;

/** Defaults for autopilot runs. */
export type AutopilotSettings = Readonly<ReturnType<typeof autopilotOptions>>;

/** Common commands that only inspect, build or test a project. */
const defaultChecks = [
  ...['npm', 'pnpm', 'yarn', 'bun'].flatMap((manager) => [`${manager} test`, `${manager} run`]),
  ...['cargo test', 'cargo check', 'cargo build', 'cargo clippy', 'cargo fmt --check'],
  ...['go test', 'go vet', 'go build'],
  ...['pytest', 'python -m pytest', 'python3 -m pytest', 'ruff check', 'mypy'],
  ...['make test', 'make check', 'make lint', 'make build'],
  ...['mvn test', 'gradle test', './gradlew test', 'dotnet test', 'dotnet build'],
  ...['tsc', 'npx tsc', 'node --check', 'node --test', 'test -e', 'test -f', 'git diff --check'],
];

export const autopilotSettings = defineSettings({
  'autopilot.agents': {
    type: 'list',
    default: [],
    description:
      'Agents that a plan may give jobs to, such as codex and claude. Default: the configured agent does all jobs.',
  },
  'autopilot.planner_timeout_seconds': {
    type: 'integer',
    minimum: 1,
    default: 300,
    description: 'Time limit for planning, in seconds. After that the autopilot fails.',
  },
  'autopilot.checks': {
    type: 'list',
    default: defaultChecks,
    description: 'Prefixes of the commands that may run as acceptance checks of a job.',
  },
  'autopilot.check_timeout_seconds': {
    type: 'integer',
    minimum: 1,
    default: 600,
    description: 'Time limit for one acceptance check, in seconds.',
  },
  'autopilot.model_low': {
    type: 'string',
    aliases: [{ env: 'CODEX_AUTOPILOT_MODEL_LOW' }],
    description: 'Model for planning and for simple jobs.',
  },
  'autopilot.model_medium': {
    type: 'string',
    aliases: [{ env: 'CODEX_AUTOPILOT_MODEL_MEDIUM' }],
    description: 'Model for ordinary jobs.',
  },
  'autopilot.model_high': {
    type: 'string',
    aliases: [{ env: 'CODEX_AUTOPILOT_MODEL_HIGH' }],
    description: 'Model for hard jobs.',
  },
  'autopilot.reasoning_effort_low': {
    type: 'string',
    aliases: [{ env: 'CODEX_AUTOPILOT_REASONING_EFFORT_LOW' }],
    description: 'Reasoning effort for planning and for simple jobs.',
  },
  'autopilot.reasoning_effort_medium': {
    type: 'string',
    aliases: [{ env: 'CODEX_AUTOPILOT_REASONING_EFFORT_MEDIUM' }],
    description: 'Reasoning effort for ordinary jobs.',
  },
  'autopilot.reasoning_effort_high': {
    type: 'string',
    aliases: [{ env: 'CODEX_AUTOPILOT_REASONING_EFFORT_HIGH' }],
    description: 'Reasoning effort for hard jobs.',
  },
});

/** Converts configuration values to autopilot settings. */
export function autopilotOptions(values: ValuesOf<typeof autopilotSettings>) {
  const byLevel = (name: 'model' | 'reasoning_effort') => ({
    low: values[`autopilot.${name}_low`],
    medium: values[`autopilot.${name}_medium`],
    high: values[`autopilot.${name}_high`],
  });
  return {
    /** The agents that a plan may give jobs to. */
    agents: values['autopilot.agents'],
    plannerTimeoutMs: values['autopilot.planner_timeout_seconds'] * 1000,
    /** Prefixes of the commands that may run as acceptance checks. */
    checks: values['autopilot.checks'],
    checkTimeoutMs: values['autopilot.check_timeout_seconds'] * 1000,
    models: byLevel('model'),
    efforts: byLevel('reasoning_effort'),
  };
}
