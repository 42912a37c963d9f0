import { execFile } from 'node:child_process';
import { componentFile } from '../components.ts';

/** Number of scenarios that each revision requires. The suite does not change these lists any more. */
export const required = { '2025-11-25': 30, '2026-07-28': 37 } as const;
export type Revision = keyof typeof required;

export interface Score {
  readonly revision: Revision;
  readonly passed: number;
  readonly required: number;
  /** Required scenarios that failed. */
  readonly failures: readonly string[];
  /** Failed scenarios that are not required. */
  readonly unscored: readonly string[];
  readonly output: string;
}

const program = componentFile('@modelcontextprotocol/conformance/dist/index.js');

/** Scenarios of the tasks extension, with the number of checks that each of them makes. */
export const taskScenarios: Readonly<Record<string, number>> = {
  'tasks-lifecycle': 9,
  'tasks-capability-negotiation': 5,
  'tasks-wire-fields': 4,
  'tasks-request-state-removal': 3,
  'tasks-mrtr-input': 4,
  'tasks-request-headers': 5,
  'tasks-dispatch-and-envelope': 9,
  'tasks-required-task-error': 3,
  'tasks-mrtr-composition': 2,
};

/** Scenarios of the skills extension, with the number of checks that each of them makes. */
export const skillScenarios: Readonly<Record<string, number>> = {
  'sep-2640-skills-enumeration': 32,
  'sep-2640-skills-manifest': 6,
  'sep-2640-skills-directory': 7,
};

export const extensionScenarios = { ...taskScenarios, ...skillScenarios };

/** Runs one scenario; `passed`, `checks` and `warnings` are what the suite counts. Skipped checks do not count. */
export async function runScenario(url: string, scenario: string) {
  const output = await suite('--url', url, '--scenario', scenario);
  const [, passed = '0', checks = '0', warnings = '0'] =
    /^Passed: (\d+)\/(\d+), \d+ failed, (\d+) warnings/m.exec(output) ?? [];
  return { passed: Number(passed), checks: Number(checks), warnings: Number(warnings), output };
}

function suite(...args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    // The output lists failed scenarios, so the exit code adds nothing.
    execFile(
      process.execPath,
      [program, 'server', ...args],
      { maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (error !== null && typeof error.code !== 'number') reject(error);
        else resolve(`${stdout}${stderr}`);
      },
    );
  });
}

/** Runs the official suite's scenarios of one revision against an endpoint. */
export async function runSuite(url: string, revision: Revision): Promise<Score> {
  const output = await suite('--url', url, '--requirements', revision);
  const names = (pattern: RegExp) => [...output.matchAll(pattern)].map(([, name]) => name!);
  const unscored = names(/^ {2}[✓✗] (\S+) \(/gm);
  const scored = (name: string) => !unscored.includes(name);
  const failures = names(/^✗ ([^:\s]+):/gm);
  return {
    revision,
    passed: names(/^✓ ([^:\s]+):/gm).filter(scored).length,
    required: required[revision],
    failures: failures.filter(scored),
    unscored: failures.filter((name) => !scored(name)),
    output,
  };
}
