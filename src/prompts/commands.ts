import { promises as disk } from 'node:fs';
import { join, sep } from 'node:path';
import { Failure } from '../failure.ts';
import type { Problem } from '../feature.ts';
import { messageOf } from '../json.ts';
import { FileProblem, parseFrontMatter } from './front-matter.ts';

export interface Command {
  readonly name: string;
  readonly description: string;
  readonly body: string;
}

export interface CommandListing {
  readonly commands: readonly Command[];
  readonly problems: readonly Problem[];
}

interface Loaded {
  readonly version: string;
  readonly command?: Command;
  readonly problem?: Problem;
}

const placeholder = '{{input}}';

/** A folder of `<command>.md` files, always as they are now: what did not change is not read again. */
export class CommandFolder {
  readonly #folder: string;
  #loaded = new Map<string, Loaded>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async list(): Promise<CommandListing> {
    const files = await this.#files();
    const loaded = new Map<string, Loaded>();
    const all = await Promise.all(files.map(async (file) => [file, await this.#load(file)] as const));
    const commands = new Map<string, Command>();
    const problems: Problem[] = [];
    for (const [file, one] of all) {
      loaded.set(file, one);
      if (one.problem) problems.push(one.problem);
      if (!one.command) continue;
      if (commands.has(one.command.name)) {
        problems.push({
          file: join(this.#folder, file),
          severity: 'warning',
          message: `the name ${one.command.name} is taken by another file`,
        });
      } else commands.set(one.command.name, one.command);
    }
    this.#loaded = loaded;
    return { commands: [...commands.values()], problems };
  }

  /** Looked up among the files that are there, so that no name can lead out of the folder. */
  async get(name: string): Promise<Command> {
    const files = (await this.#files()).filter((file) => stem(file) === name);
    const [file] = files;
    if (file === undefined) throw new Failure('prompt-not-found', `Prompt not found: ${name}`);
    const loaded = await this.#load(file);
    this.#loaded.set(file, loaded);
    if (loaded.command) return loaded.command;
    const { line, message } = loaded.problem!;
    throw new Failure('content-missing', `${file}${line === undefined ? '' : `:${line}`}: ${message}`);
  }

  async #files(): Promise<string[]> {
    try {
      const entries = await disk.readdir(this.#folder, { withFileTypes: true });
      return entries
        .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.') && /\.md$/i.test(entry.name))
        .map((entry) => entry.name)
        .sort(byCodePoint);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw new Failure('unavailable', `The commands folder cannot be read: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  async #load(file: string): Promise<Loaded> {
    const path = join(this.#folder, file);
    let version = '';
    try {
      const { ctimeNs, size, ino } = await disk.stat(path, { bigint: true });
      version = `${ctimeNs}:${size}:${ino}`;
      const known = this.#loaded.get(file);
      if (known?.version === version) return known;
      await assertInside(this.#folder, path);
      return { version, command: await parseCommand(stem(file), await disk.readFile(path)) };
    } catch (error) {
      const where =
        error instanceof FileProblem
          ? { line: error.line, ...(error.column !== undefined && { column: error.column }) }
          : {};
      return { version, problem: { file: path, ...where, severity: 'error', message: messageOf(error) } };
    }
  }
}

/** Every `{{input}}` replaced; without one, the input follows after a blank line. */
export function expandCommand(command: Command, input: string): string {
  return command.body.includes(placeholder)
    ? command.body.split(placeholder).join(input)
    : `${command.body}\n\n${input}`;
}

export function takesInput(command: Command): boolean {
  return command.body.includes(placeholder);
}

async function parseCommand(name: string, bytes: Buffer): Promise<Command> {
  const source = decode(bytes);
  const { fields, body, bodyLine } = await parseFrontMatter(source);
  const { description = '' } = fields;
  if (typeof description !== 'string') throw new FileProblem('description must be text', 2);
  if (body.trim() === '') throw new FileProblem(`prompt content is required for "${name}"`, bodyLine);
  return { name, description: description.trim(), body: body.trim() };
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new FileProblem('the file is not UTF-8 text', 1);
  }
}

async function assertInside(folder: string, path: string): Promise<void> {
  const [root, target] = await Promise.all([disk.realpath(folder), disk.realpath(path)]);
  if (!target.startsWith(root + sep)) throw new FileProblem('the link leads out of the folder', 1);
}

function stem(file: string): string {
  return file.slice(0, -'.md'.length);
}

function byCodePoint(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
