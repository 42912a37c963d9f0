import { promises as disk } from 'node:fs';
import { join } from 'node:path';

export interface Artifact {
  readonly name: string;
  readonly path: string;
}

/** What a directory is called until it is complete. */
export const unfinished = '.new-';

/** Tells the files apart that this process writes at a time. */
let writes = 0;

/** One folder for each run, for its owner's eyes only; everything the run leaves behind lies in it. */
export class RunDirectory {
  readonly id: string;
  readonly path: string;
  readonly #redact: (text: string) => string;

  constructor(path: string, id: string, redact: (text: string) => string = (text) => text) {
    this.path = path;
    this.id = id;
    this.#redact = redact;
  }

  /** It appears under its name with the request in it, or not at all. */
  static async create(
    runsFolder: string,
    redact?: (text: string) => string,
    request: object = {},
  ): Promise<RunDirectory> {
    await disk.mkdir(runsFolder, { recursive: true, mode: 0o700 });
    const id = await createRunId(new Date());
    const hidden = new RunDirectory(join(runsFolder, `${unfinished}${id}`), id, redact);
    await disk.mkdir(hidden.path, { mode: 0o700 });
    await hidden.writeJson('request.json', request);
    const path = join(runsFolder, id);
    await disk.rename(hidden.path, path);
    return new RunDirectory(path, id, redact);
  }

  /** The folder of a part of this run, under its own id. */
  async createSubrun(jobId: string, folder = 'subruns'): Promise<RunDirectory> {
    const path = join(this.path, folder, jobId);
    await disk.mkdir(path, { recursive: true, mode: 0o700 });
    return new RunDirectory(path, `${this.id}/${jobId}`, this.#redact);
  }

  file(name: string): string {
    return join(this.path, name);
  }

  async writeJson(name: string, value: unknown): Promise<void> {
    const redacted = JSON.stringify(
      value,
      (_, inner) => (typeof inner === 'string' ? this.#redact(inner) : inner),
      2,
    );
    await this.#replace(name, `${redacted}\n`);
  }

  /** Whether nothing would have to be taken out of it on its way to the disk. */
  isClean(value: unknown): boolean {
    const text = JSON.stringify(value);
    return this.#redact(text) === text;
  }

  async writeText(name: string, text: string): Promise<void> {
    await this.#replace(name, this.#redact(text));
  }

  /** One more line of JSON at the end of a file that grows. */
  async appendJson(name: string, value: unknown): Promise<void> {
    await disk.appendFile(this.file(name), `${this.#redact(JSON.stringify(value))}\n`, { mode: 0o600 });
  }

  /** What is there now, by name; a folder's name ends in a slash. */
  async artifacts(): Promise<readonly Artifact[]> {
    const entries = await disk.readdir(this.path, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.name.startsWith('.'))
      .map((entry) => ({
        name: entry.isDirectory() ? `${entry.name}/` : entry.name,
        path: join(this.path, entry.name),
      }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** A reader sees the old text or the new one, never a part. */
  async #replace(name: string, text: string): Promise<void> {
    const temporary = this.file(`.${name}.${process.pid}-${++writes}.tmp`);
    try {
      await disk.writeFile(temporary, text, { mode: 0o600 });
      await disk.rename(temporary, this.file(name));
    } catch (error) {
      await disk.rm(temporary, { force: true });
      throw error;
    }
  }
}

/** `2025-12-29_210034370_939737596dcb`: sorts by time, in UTC. */
export async function createRunId(now: Date): Promise<string> {
  const { randomBytes } = await import('node:crypto');
  const [date, time] = now.toISOString().slice(0, -1).split('T') as [string, string];
  return `${date}_${time.replaceAll(/[:.]/g, '')}_${randomBytes(6).toString('hex')}`;
}
