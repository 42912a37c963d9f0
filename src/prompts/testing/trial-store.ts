import { createHash } from 'node:crypto';
import type { JsonObject } from '../../json.ts';
import { log } from '../../log.ts';
import { OldLines } from '../../store/old-lines.ts';
import type { KeyedEdit, Records } from '../../store/records.ts';

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

/** Trials that are kept. */
const maxTrials = 500;
const kind = 'prompt_trial';

/** The answers that prompts got when they were tried on this machine. */
export class TrialStore {
  readonly #documents: Records;
  readonly #old: OldLines;

  /** `oldPath` is the file of an earlier version. */
  constructor(documents: Records, oldPath: string) {
    this.#documents = documents;
    const edit = (line: JsonObject) =>
      typeof line['prompt'] === 'string' && typeof line['time'] === 'string'
        ? trialEdit(line as unknown as Trial)
        : undefined;
    this.#old = new OldLines(documents, { path: oldPath, kind, edit });
  }

  async add(trial: Trial): Promise<void> {
    try {
      await this.#old.takeOver();
      const kept = (await this.#documents.keys(kind)).filter((key) => /^\d/.test(key)).sort();
      const removed = kept.slice(0, Math.max(0, kept.length + 1 - maxTrials));
      await this.#documents.changeMany(kind, [
        trialEdit(trial),
        ...removed.map((key) => ({ key, edit: () => ({ next: undefined }) })),
      ]);
    } catch (error) {
      log('warning', `could not keep the answer in ${this.#documents.place}`, error);
    }
  }

  /** The trials of a prompt, the latest first. */
  async list(prompt: string): Promise<readonly Trial[]> {
    await this.#old.takeOver();
    const trials = (await this.#documents.list(kind)) as unknown as readonly Trial[];
    return trials
      .filter((trial) => trial.prompt === prompt)
      .sort((one, other) => (one.time < other.time ? 1 : one.time > other.time ? -1 : 0));
  }
}

/** Keys sort by time. The same trial always has the same key, because earlier versions rewrite their file at times. */
function trialEdit(trial: Trial): KeyedEdit {
  const next = trial as unknown as JsonObject;
  const hash = createHash('sha256').update(JSON.stringify(trial)).digest('hex').slice(0, 16);
  return { key: `${trial.time} ${hash}`, edit: (current) => (current === undefined ? { next } : undefined) };
}
