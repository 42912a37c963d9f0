import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { componentFile } from '../../test/components.ts';
import { npm } from '../../test/npm.ts';
import { bundle } from '../../test/program.ts';

/** A server to measure: how to start it on each transport, and what to ask it. */
export interface Contender {
  readonly name: string;
  readonly stdio: readonly string[];
  /** The address is printed on stderr unless `address` names it. */
  readonly http?: {
    readonly args: readonly string[];
    readonly env?: Record<string, string>;
    readonly address?: string;
  };
  readonly requests: { readonly 'tools/call': object; readonly 'prompts/get': object };
}

const servers = join(import.meta.dirname, 'servers');
const everything = componentFile('@modelcontextprotocol/server-everything/dist/index.js');
const expand = {
  'tools/call': { name: 'expand_prompt', arguments: { command: 'command-7', input: 'tides' } },
  'prompts/get': { name: 'command-7', arguments: { input: 'tides' } },
};

/** Adjutant with a hundred commands in `home`, the bare script, and other servers with a comparable tool and prompt. */
export function contenders(home: string, port: () => number): readonly Contender[] {
  const [everythingPort, fastPort, ownPort] = [port(), port(), port()];
  const fast = fastmcpFolder();
  return [
    {
      name: 'bare script',
      stdio: [join(servers, 'bare.cjs')],
      http: { args: [join(servers, 'bare.cjs'), 'http'] },
      requests: expand,
    },
    {
      name: 'Adjutant',
      stdio: [bundle, 'serve', '--home', home],
      http: {
        args: [
          ...[bundle, 'serve', '--http', '--home', home, '--port', String(ownPort)],
          '--http-requests-per-second=1000000',
        ],
        address: `http://127.0.0.1:${ownPort}/mcp`,
      },
      requests: expand,
    },
    {
      name: 'SDK v2, minimal',
      stdio: [join(servers, 'sdk.mjs')],
      http: { args: [join(servers, 'sdk.mjs'), 'http'] },
      requests: expand,
    },
    {
      name: 'server-everything',
      stdio: [everything, 'stdio'],
      http: {
        args: [everything, 'streamableHttp'],
        env: { PORT: String(everythingPort) },
        address: `http://127.0.0.1:${everythingPort}/mcp`,
      },
      requests: {
        'tools/call': { name: 'echo', arguments: { message: 'tides' } },
        'prompts/get': { name: 'args-prompt', arguments: { city: 'tides' } },
      },
    },
    ...(fast === undefined
      ? []
      : [
          {
            name: 'FastMCP, minimal',
            stdio: [join(servers, 'fastmcp.mjs'), fast],
            http: { args: [join(servers, 'fastmcp.mjs'), fast, 'http', String(fastPort)] },
            requests: expand,
          },
        ]),
  ];
}

/** Installs FastMCP on first use: nothing else needs it. */
function fastmcpFolder(): string | undefined {
  const folder = join(import.meta.dirname, '..', '..', '.cache', 'fastmcp');
  if (existsSync(join(folder, 'node_modules', 'fastmcp'))) return folder;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
    npm(folder, 'install', '--no-audit', '--no-fund', '--ignore-scripts', 'fastmcp', 'zod');
    return folder;
  } catch (error) {
    console.error(`FastMCP is left out, because npm could not install it: ${(error as Error).message}`);
    return undefined;
  }
}

/** A hundred prompt commands. */
export function writeCommands(home: string): void {
  const folder = join(home, 'commands');
  mkdirSync(folder, { recursive: true });
  for (let index = 0; index < 100; index++)
    writeFileSync(
      join(folder, `command-${index}.md`),
      `---\ndescription: Command number ${index}\n---\nDo {{input}}, ${index} times.\n`,
    );
}
