import { promises as disk } from 'node:fs';
import { join } from 'node:path';

export interface Artifact {
  readonly name: string;
  readonly path: string;
}

/** Name prefix of a run directory that is still being created. */
export const incompletePrefix = '.new-';

const reserve = '.reserve';
const reserveBytes = 32 * 1024;

/** Makes the names of temporary files unique within this process. */
let writes = 0;

/** The folder that holds all files of one run. Only its owner can read it. */
export class RunDirectory {
  readonly id: string;
  readonly path: string;
  readonly #redact: (text: string) => string;

  constructor(path: string, id: string, redact: (text: string) => string = (text) => text) {
    this.path = path;
    this.id = id;
    this.#redact = redact;
  }

  /** Creates the directory atomically: it becomes visible only when it contains the request and `prepare` has returned. */
  static async create(
    runsFolder: string,
    redact?: (text: string) => string,
    request: object = {},
    prepare?: (directory: RunDirectory) => Promise<unknown>,
  ): Promise<RunDirectory> {
    await disk.mkdir(runsFolder, { recursive: true, mode: 0o700 });
    const id = await createRunId(new Date());
    const incomplete = new RunDirectory(join(runsFolder, `${incompletePrefix}${id}`), id, redact);
    await disk.mkdir(incomplete.path, { mode: 0o700 });
    await incomplete.writeJson('request.json', request);
    await disk.writeFile(incomplete.file(reserve), Buffer.alloc(reserveBytes), { mode: 0o600 });
    const directory = new RunDirectory(join(runsFolder, id), id, redact);
    await prepare?.(directory);
    await disk.rename(incomplete.path, directory.path);
    return directory;
  }

  /** Frees the space that was kept for the result, so that a run that filled the disk can still record how it ended. */
  async releaseReserve(): Promise<void> {
    await disk.rm(this.file(reserve), { force: true });
  }

  /** Creates the folder of one autopilot job. The id of the job contains the id of the run. */
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

  /** True if the value contains nothing to redact. */
  isClean(value: unknown): boolean {
    const text = JSON.stringify(value);
    return this.#redact(text) === text;
  }

  async writeText(name: string, text: string): Promise<void> {
    await this.#replace(name, this.#redact(text));
  }

  /** Appends one line of JSON to a file. */
  async appendJson(name: string, value: unknown): Promise<void> {
    await disk.appendFile(this.file(name), `${this.#redact(JSON.stringify(value))}\n`, { mode: 0o600 });
  }

  /** Lists the files and folders, sorted by name. Folder names end in a slash. */
  async artifacts(): Promise<readonly Artifact[]> {
    const entries = await disk
      .readdir(this.path, { withFileTypes: true })
      .catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return []; // The run was removed meanwhile.
        throw error;
      });
    return entries
      .filter((entry) => !entry.name.startsWith('.'))
      .map((entry) => ({
        name: entry.isDirectory() ? `${entry.name}/` : entry.name,
        path: join(this.path, entry.name),
      }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** Replaces a file atomically, so that a reader never sees a partly written file. */
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

/** Returns an id such as `2025-12-29_210034370_939737596dcb`. Ids sort by creation time in UTC. */
export async function createRunId(now: Date): Promise<string> {
  const { randomBytes } = await import('node:crypto');
  const [date, time] = now.toISOString().slice(0, -1).split('T') as [string, string];
  return `${date}_${time.replaceAll(/[:.]/g, '')}_${randomBytes(6).toString('hex')}`;
}
