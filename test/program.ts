import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../src/json.ts';
import { StdioPeer } from './stdio-peer.ts';

const root = join(import.meta.dirname, '..');
export const bundle = join(root, 'dist', 'adjutant.cjs');

export interface ProgramOptions {
  /** Prompt files to create in the commands folder, by file name. */
  readonly commands?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeFlags?: readonly string[];
}

/** Starts the built program with a temporary home folder. */
export class Program extends StdioPeer {
  readonly home: string;

  constructor(args: readonly string[], options: ProgramOptions = {}) {
    const home = mkdtempSync(join(tmpdir(), 'adjutant-home-'));
    const commands = join(home, 'commands');
    mkdirSync(commands);
    for (const [file, text] of Object.entries(options.commands ?? {}))
      writeFileSync(join(commands, file), text);
    super([...(options.nodeFlags ?? []), bundle, ...args, '--home', home], {
      cwd: home,
      env: { PATH: process.env['PATH'], HOME: home, TZ: 'UTC', ...options.env },
    });
    this.home = home;
  }

  /** Waits for a server on HTTP. Its token is in a file: it is not printed, because the output is not a terminal. */
  async listening(): Promise<{ readonly url: string; readonly token: string }> {
    const [, url] = await this.untilStderr(/Page: (\S+?)\/ /);
    return { url: url!, token: readFileSync(join(this.home, 'token'), 'utf8').trim() };
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    try {
      await super[Symbol.asyncDispose]();
    } finally {
      rmSync(this.home, { recursive: true, force: true });
    }
  }
}

export const greeting = {
  'greet.md': '---\ndescription: Greets\n---\nSay hello to {{input}}.\n',
  'research.md': '---\ndescription: Research a topic\n---\nFind out everything.\n',
};

export function initialize(version = '2025-11-25', id: string | number = 0): JsonObject {
  return {
    jsonrpc: '2.0',
    id,
    method: 'initialize',
    params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };
}
