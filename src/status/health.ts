import { type Finding, findingSchema, type Problem } from '../feature.ts';
import { defineTool, hints } from '../tool.ts';

export interface HealthOptions {
  problems(): Promise<readonly Problem[]>;
  /** Checks the machine and the configuration, given the problems of the features. Default: only the problems. */
  readonly checks?: ((problems: readonly Problem[]) => Promise<readonly Finding[]>) | undefined;
}

export function healthTool({ problems, checks = async (found) => problemFindings(found) }: HealthOptions) {
  let running: Promise<readonly Finding[]> | undefined;
  /** The checks start programs, so simultaneous calls share one round. */
  const check = () => {
    running ??= problems()
      .then(checks)
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  return defineTool({
    name: 'check_health',
    toolsets: ['admin'],
    scope: 'admin',
    title: 'Check health',
    description:
      'Checks disk, database, prompts, providers, Codex and installed clients, like adjutant doctor.',
    searchHint: 'doctor diagnose broken setup',
    phrases:
      'doctor diagnose diagnosis check everything works working setup installation broken wrong healthy self-test troubleshoot fix repair disk database codex login clients configured is anything',
    inputSchema: { type: 'object', properties: {} },
    outputSchema: {
      type: 'object',
      required: ['healthy', 'findings'],
      properties: {
        healthy: { type: 'boolean', description: 'False if a finding is bad' },
        findings: { type: 'array', items: findingSchema },
      },
    },
    annotations: hints.reads,
    async call() {
      const findings = await check();
      return { structured: { healthy: findings.every(({ state }) => state !== 'bad'), findings } };
    },
  });
}

/** The problems that the features report about their files and data. Those with a topic are findings of their own. */
export function problemFindings(problems: readonly Problem[]): readonly Finding[] {
  const title = 'Prompts and data';
  const good: Finding = { title, state: 'good', detail: 'no problems found' };
  const sources = Map.groupBy(
    problems.filter(({ severity }) => severity !== 'note'),
    ({ source }) => source,
  );
  const ofSources = [...sources].flatMap(([source, found]) => (source ? [sourceFinding(source, found)] : []));
  const findings = (sources.get(undefined) ?? []).map(
    ({ file, line, severity, message, remedy, prompts, topic }): Finding => ({
      title: topic ?? title,
      state: severity === 'error' ? 'bad' : 'warning',
      detail: topic === undefined ? `${file}${line === undefined ? '' : `:${line}`}: ${message}` : message,
      ...(remedy !== undefined && { remedy }),
      ...(prompts?.[0] !== undefined && { prompt: prompts[0] }),
    }),
  );
  const all = [...findings, ...ofSources];
  return all.every((finding) => finding.title !== title) ? [good, ...all] : all;
}

/** One line for all prompts of a source: a library of thousands has hundreds of findings. */
function sourceFinding(source: string, problems: readonly Problem[]): Finding {
  const first = problems.find(({ severity }) => severity === 'error') ?? problems[0]!;
  const { file, line, message, severity, remedy, prompts } = first;
  const place = `${file}${line === undefined ? '' : `:${line}`}: ${message}`;
  const errors = problems.filter((problem) => problem.severity === 'error').length;
  const warnings = problems.length - errors;
  const counted = [
    ...(errors > 0 ? [errors === 1 ? '1 error' : `${errors} errors`] : []),
    ...(warnings > 0 ? [warnings === 1 ? '1 warning' : `${warnings} warnings`] : []),
  ];
  return {
    title: 'Prompts and data',
    state: severity === 'error' ? 'bad' : 'warning',
    detail: problems.length === 1 ? place : `${source}: ${counted.join(', ')}, such as ${place}`,
    ...(problems.length > 1
      ? { remedy: 'adjutant prompts lint lists those of prompts, adjutant status --json all' }
      : remedy !== undefined && { remedy }),
    ...(prompts?.[0] !== undefined && { prompt: prompts[0] }),
  };
}
