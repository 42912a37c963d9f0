import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isObject } from '../../json.ts';
import { log } from '../../log.ts';
import { readRegularFileSync } from '../../regular-file.ts';
import { parseJson } from './test-model.ts';

/** One answer of a model or a sub-agent to a prompt. */
export interface Trial {
  readonly prompt: string;
  readonly revision: string;
  readonly time: string;
  readonly model: string;
  readonly arguments: Readonly<Record<string, string>>;
  readonly answer: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly duration_ms: number;
  readonly run_id?: string;
}

/** Trials that are kept. The file is shortened when it has twice as many. */
const maxTrials = 500;

/** The answers that prompts got when they were tried, in a file of this machine. */
export class TrialStore {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  add(trial: Trial): void {
    try {
      mkdirSync(dirname(this.#path), { recursive: true });
      appendFileSync(this.#path, `${JSON.stringify(trial)}\n`, { mode: 0o600 });
      const all = this.#lines();
      if (all.length <= 2 * maxTrials) return;
      const draft = `${this.#path}.${process.pid}`;
      writeFileSync(draft, `${all.slice(-maxTrials).join('\n')}\n`, { mode: 0o600 });
      renameSync(draft, this.#path);
    } catch (error) {
      log('warning', `could not keep the answer in ${this.#path}`, error);
    }
  }

  /** The trials of a prompt, the latest first. */
  list(prompt: string): readonly Trial[] {
    return this.#lines()
      .flatMap((line) => {
        const trial = parseJson(line);
        return isObject(trial) && trial['prompt'] === prompt ? [trial as unknown as Trial] : [];
      })
      .reverse();
  }

  #lines(): readonly string[] {
    try {
      return readRegularFileSync(this.#path).split('\n').filter(Boolean);
    } catch {
      return [];
    }
  }
}
