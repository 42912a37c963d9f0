import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createServer } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import type { ContractName } from '../../src/contracts/contract.ts';
import { resolveNpmShim } from '../../src/delegate/agents/executable.ts';
import type { RunRecord } from '../../src/delegate/run/run-record.ts';
import { removeFolder } from '../../src/delegate/workspace/remove-folder.ts';
import type { JsonObject } from '../../src/json.ts';
import { connectMemory, type MemoryClient, type MemoryOptions } from '../../src/transports/memory.ts';

const components = join(import.meta.dirname, '..', 'components', 'package.json');

/** The npm launcher script of Codex. */
export const codexShim = join(
  dirname(createRequire(components).resolve('@openai/codex/package.json')),
  'bin/codex.js',
);

export const claude = join(dirname(components), 'node_modules', '.bin', 'claude');

/** Whether this machine has the programs that Claude Code's own sandbox needs. */
export const hasClaudeSandbox = ['bwrap', 'socat'].every((program) =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program))),
);

/** The native program that the launcher script starts. */
export function nativeCodex(): Promise<string> {
  return resolveNpmShim(codexShim);
}

export interface Workbench extends AsyncDisposable {
  /** Contains all other folders of the workbench. */
  readonly folder: string;
  readonly home: string;
  readonly codexHome: string;
  /** A git repository that runs work in. */
  readonly project: string;
  readonly env: Record<string, string>;
  /** Adds a program to the PATH. */
  link(name: string, target: string): void;
  /** Starts a new server in this process and connects a client. */
  connect(settings?: Readonly<Record<string, string>>, options?: ConnectOptions): Promise<Connection>;
  /** Like `connect`, for a client of the protocol revision without `initialize`. */
  connectModern(settings?: Readonly<Record<string, string>>): Promise<MemoryClient>;
}

export interface ConnectOptions extends MemoryOptions {
  /** What the client can do. */
  readonly capabilities?: JsonObject;
  readonly clientName?: string;
  readonly contract?: ContractName;
}

export interface Connection {
  readonly client: MemoryClient;
  readonly notifications: { readonly method: string; readonly params: JsonObject }[];
  /** Calls a tool and returns its text and structured content. */
  call(tool: string, args: object, meta?: JsonObject): Promise<{ text: string; record: RunRecord }>;
  close(): Promise<void>;
}

/** Creates a temporary folder with a home, a CODEX_HOME and a project. */
export function createWorkbench(codexConfig = ''): Workbench {
  const folder = mkdtempSync(join(tmpdir(), 'workbench-'));
  const at = (name: string) => {
    mkdirSync(join(folder, name));
    return join(folder, name);
  };
  const [home, codexHome, project, bin] = [at('home'), at('codex'), at('project'), at('bin')];
  writeFileSync(join(codexHome, 'config.toml'), codexConfig);
  writeFileSync(join(project, 'README.md'), '# A project\n');
  execFileSync('git', ['init', '-q'], { cwd: project });
  const env = {
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: home,
    CODEX_HOME: codexHome,
    // The project must not be in the temporary folder, which every sandbox can write to. Codex also needs helper programs to use the bwrap of the machine, and creates none below the temporary folder.
    TMPDIR: at('tmp'),
  };
  const closing: (() => Promise<void>)[] = [];
  const serve = async (settings: Readonly<Record<string, string>>, contract: ContractName) => {
    const argv = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
    const { config } = await loadConfig({ argv: ['--home', home, ...argv], env, cwd: folder });
    const server = createServer(contract, config, { env, recoversRuns: true });
    closing.push(() => server.close());
    return server;
  };
  return {
    folder,
    home,
    codexHome,
    project,
    env,
    link: (name, target) => symlinkSync(target, join(bin, name)),
    connectModern: async (settings = {}) => connectMemory(await serve(settings, 'standard')),
    async connect(
      settings = {},
      { contract = 'standard', capabilities = {}, clientName = 'test', ...options } = {},
    ) {
      const server = await serve(settings, contract);
      const notifications: Connection['notifications'] = [];
      const client = connectMemory(server, {
        ...options,
        onNotification: (method, params) => notifications.push({ method, params }),
      });
      await client.request('initialize', {
        protocolVersion: '2025-11-25',
        capabilities,
        clientInfo: { name: clientName, version: '1' },
      });
      return {
        client,
        notifications,
        async call(tool, args, meta = {}) {
          const result = await client.request('tools/call', {
            name: tool,
            arguments: args as JsonObject,
            _meta: meta,
          });
          const [content] = result['content'] as { text: string }[];
          return { text: content!.text, record: result['structuredContent'] as unknown as RunRecord };
        },
        close: () => server.close(),
      };
    },
    async [Symbol.asyncDispose]() {
      for (const close of closing) await close();
      // Candidates of a comparison keep their overlay mounts, which an ordinary user can only remove this way.
      await removeFolder(folder);
    },
  };
}

/** Runs `codex exec` directly, without Adjutant, until it exits. */
export async function runCodex(
  bench: Workbench,
  codex: string,
  args: readonly string[],
  prompt: string,
): Promise<void> {
  const child = spawn(codex, ['exec', '--json', '-C', bench.project, ...args, '-'], {
    cwd: bench.project,
    env: bench.env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdout.resume();
  child.stdin.end(prompt);
  await once(child, 'close');
}
