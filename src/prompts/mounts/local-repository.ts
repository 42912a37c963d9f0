import { basename, join } from 'node:path';
import { isObject } from '../../json.ts';
import { FileCache } from '../files/file-cache.ts';

/** A git repository of prompts, as configured. */
export interface RepositoryOptions {
  readonly address: string;
  /** Default: the last part of the address. */
  readonly name?: string;
  /** Default: the branch that the repository itself proposes. */
  readonly branch?: string;
  /** A full commit id. The repository then stays at this commit. */
  readonly commit?: string;
  /** The folder with the prompts. Default: the whole repository. */
  readonly folder?: string;
  /** `libraries`, or a format of mounts. */
  readonly format?: string;
  /** Added before every name, followed by a colon. Not for libraries. */
  readonly prefix?: string;
  readonly interval_minutes?: number;
  /** Lets git ask the person's own credential helper for a password of the address's host. */
  readonly credentials?: 'helper';
  /** The file with a token or password that only the address's host gets, read at each fetch. */
  readonly token_file?: string;
}

/** What is known about the last fetch. */
export interface RepositoryState {
  /** The settings that the state belongs to. */
  readonly of: string;
  /** The commit that is served, and when it was fetched. */
  readonly commit?: string;
  readonly fetched?: string;
  /** The last attempt, and why it failed. */
  readonly attempt: string;
  readonly error?: string;
}

const defaultMinutes = 60;

/** One repository on this machine: `ROOT/NAME` holds `state.json`, the git objects, and one folder per commit. */
export class LocalRepository {
  readonly options: RepositoryOptions;
  readonly name: string;
  readonly folder: string;
  readonly #states = new FileCache<RepositoryState>({ parse: parseState });
  /** Milliseconds between updates. 0 if only `prompts pull` updates the repository. */
  readonly intervalMs: number;

  constructor(root: string, options: RepositoryOptions, name = nameOf(options)) {
    this.options = options;
    this.name = name;
    this.folder = join(root, this.name);
    this.intervalMs = (options.interval_minutes ?? defaultMinutes) * 60_000;
  }

  get stateFile(): string {
    return join(this.folder, 'state.json');
  }

  /** Other settings than those of the last fetch make its files useless. */
  get identity(): string {
    const { address, branch, commit, folder } = this.options;
    return JSON.stringify([address, branch ?? null, commit ?? null, folder ?? null]);
  }

  /** The folder with the files of a commit. Its name becomes the name of a library. */
  filesOf(commit: string): string {
    return join(this.folder, commit, basename(this.options.folder ?? '') || this.name);
  }

  /** `undefined` if the repository was never fetched with these settings. */
  async state(): Promise<RepositoryState | undefined> {
    const loaded = await this.#states.load(this.stateFile);
    return loaded?.value?.of === this.identity ? loaded.value : undefined;
  }

  /** When the next update is due, as a time in milliseconds. */
  async nextUpdate(): Promise<number> {
    return Date.parse((await this.state())?.attempt ?? '') + this.intervalMs || 0;
  }
}

async function parseState(bytes: Buffer): Promise<RepositoryState> {
  const state: unknown = JSON.parse(bytes.toString());
  if (!isObject(state)) throw new Error('state.json must be an object');
  return state as unknown as RepositoryState;
}

/** The configured repositories. Further ones of the same name get a number. */
export function localRepositories(
  root: string,
  list: readonly RepositoryOptions[],
): readonly LocalRepository[] {
  const count = new Map<string, number>();
  return list.map((options) => {
    const name = nameOf(options);
    const number = (count.get(name) ?? 0) + 1;
    count.set(name, number);
    return new LocalRepository(root, options, number === 1 ? name : `${name}-${number}`);
  });
}

function nameOf({ name, address }: RepositoryOptions): string {
  return name ?? nameFrom(address);
}

/** `git@host:team/my-prompts.git` is called `my-prompts`. */
export function nameFrom(address: string): string {
  const last = address
    .replace(/[/\\]+$/, '')
    .split(/[/\\:]/)
    .at(-1)!;
  return last.replace(/\.git$/, '').replaceAll(/[^\w-]/g, '-') || 'repository';
}
