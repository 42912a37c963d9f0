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

/** Runs the official suite's scenarios of one revision against an endpoint. */
export async function runSuite(url: string, revision: Revision): Promise<Score> {
  const output = await new Promise<string>((resolve, reject) => {
    const args = [program, 'server', '--url', url, '--requirements', revision];
    // The output lists failed scenarios, so the exit code is not needed.
    execFile(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') reject(error);
      else resolve(`${stdout}${stderr}`);
    });
  });
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
