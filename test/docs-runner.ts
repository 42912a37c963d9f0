import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '../src/json.ts';
import { type Block, blocksOf, isId, patternOf, withWildcards } from './docs-block.ts';
import { bundle, initialize } from './program.ts';
import { StdioPeer } from './stdio-peer.ts';

/** The environment in which the examples of a page run. */
export interface PageSetup {
  /** Working folder of the commands, relative to the home folder. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Texts on the page, such as host names, and what to replace them with on this machine. */
  readonly replacements?: Readonly<Record<string, string>>;
  /** Programs that are not installed on this machine. */
  readonly missingPrograms?: readonly string[];
  close?(): PromiseLike<void>;
}

/** Declares a test for each code block of a page. The blocks share one home folder and run in order. */
export function testPage(
  page: string,
  setUp: (home: string) => PageSetup | Promise<PageSetup> = () => ({}),
): void {
  describe(page, () => {
    const blocks = blocksOf(page);
    let runner: PageRunner;
    beforeAll(async () => {
      const home = mkdtempSync(join(tmpdir(), 'adjutant-docs-'));
      runner = new PageRunner(home, await setUp(home));
    });
    afterAll(() => runner.close());
    for (const block of blocks)
      it(block.name, ({ signal, skip }) => {
        skip(runner.lacksProgram(block), `${block.needs} is not installed`);
        return runner.run(block, signal);
      });
    it('uses every file that it shows in a later example', () => {
      const run = blocks.filter(({ notRun }) => notRun === undefined);
      const last = run.findLastIndex(({ file }) => file !== undefined && file !== configuration);
      const isUsed = run.slice(last + 1).some(({ file }) => !file);
      expect(last === -1 || isUsed).toBe(true);
    });
  });
}

const configuration = 'adjutant.toml';

/** Runs the examples of one page. */
export class PageRunner {
  readonly #home: string;
  readonly #setup: PageSetup;
  readonly #replacements: Map<string, string>;
  readonly #cwd: string;
  readonly #env: Record<string, string>;
  #server: StdioPeer | undefined;
  #reply: JsonObject | undefined;
  #signal: AbortSignal | undefined;

  constructor(home: string, setup: PageSetup) {
    this.#home = home;
    this.#setup = setup;
    this.#replacements = new Map(Object.entries(setup.replacements ?? {}));
    this.#cwd = join(home, setup.cwd ?? '');
    const bin = join(home, 'bin');
    const temporary = join(home, 'tmp');
    mkdirSync(temporary);
    this.#write('bin/adjutant', `#!/bin/sh\nexec "${process.execPath}" "${bundle}" "$@"\n`);
    chmodSync(join(bin, 'adjutant'), 0o755);
    this.#env = {
      HOME: home,
      ADJUTANT_HOME: home,
      PATH: `${bin}:${process.env['PATH']}`,
      // Codex needs helper programs to use the bwrap of the machine, and creates none below the temporary folder.
      TMPDIR: temporary,
      EDITOR: 'true',
      TZ: 'UTC',
      ...setup.env,
    };
  }

  lacksProgram({ needs }: Block): boolean {
    return needs !== undefined && this.#setup.missingPrograms?.includes(needs) === true;
  }

  async run(block: Block, signal: AbortSignal): Promise<void> {
    const { language, file, until, notRun } = block;
    this.#signal = signal;
    const text = this.#replaceAll(block.text);
    if (language === 'toml') parseToml(text);
    if (language === 'json') JSON.parse(text);
    if (language === 'nginx') expect(text).toMatch(/^(?:\s*[^\s{};][^{};]*(?:;|\{)|\s*\}|\s)*$/);
    if (notRun !== undefined) return;
    if (file !== undefined) await this.#writeExample(file, text);
    else if (language === 'sh') await this.#runSuccessfully(text, until);
    else if (language === 'console') await this.#runConsole(text);
    else if (language === 'json') await this.#sendOrCompare(JSON.parse(text));
    else
      throw new Error(`${block.name}: cannot run this block; test/docs-block.ts lists the supported kinds`);
  }

  async close(): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
    await this.#setup.close?.();
    rmSync(this.#home, { recursive: true, force: true });
  }

  async #writeExample(file: string, text: string): Promise<void> {
    this.#write(file, text);
    if (file === configuration) await this.#runSuccessfully('adjutant prompts list --quiet');
  }

  async #runSuccessfully(script: string, until?: string): Promise<void> {
    const { code, output } = await this.#shell(`set -ex\n${script}`, until);
    // npm exits with 130 when it is interrupted.
    expect(until === undefined ? [0] : [0, 130], output).toContain(code);
  }

  async #runConsole(text: string): Promise<void> {
    const [before, ...parts] = text.split(/^\$ /m);
    expect(before, 'a console block must start with a command').toBe('');
    for (const part of parts) {
      const [, command, shown] = /^((?:.*\\\n)*.*\n)([\s\S]*?)\n*$/.exec(`${part}\n`)!;
      const { code, output } = await this.#shell(this.#replaceAll(command!));
      if (shown === '') {
        expect(code, output).toBe(0);
        continue;
      }
      const { pattern, ids } = patternOf(`${shown}\n`);
      const found = pattern.exec(`${output.trimEnd()}\n`);
      if (found === null) expect(output).toBe(shown);
      ids.forEach((id, index) => void this.#replacements.set(id, found![index + 1]!));
    }
  }

  #replaceAll(text: string): string {
    return [...this.#replacements].reduce(
      (replaced, [name, value]) => replaced.replaceAll(name, value),
      text,
    );
  }

  /** Runs a script in a new shell. A file passes exported variables on to the next shell. */
  async #shell(script: string, until?: string): Promise<{ code: number; output: string }> {
    const exportsFile = join(this.#home, '.exported');
    const wrapped = `exec 2>&1; trap : INT\n[ ! -f "${exportsFile}" ] || . "${exportsFile}"\n${script}\nended=$?\nexport -p >"${exportsFile}"\nexit $ended`;
    const child = spawn('/bin/sh', ['-c', wrapped], {
      cwd: this.#cwd,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    const ended = once(child, 'close');
    const kill = (signal: NodeJS.Signals) => child.exitCode ?? process.kill(-child.pid!, signal);
    this.#signal?.addEventListener('abort', () => kill('SIGKILL'));
    let output = '';
    const printed = new Promise<void>((resolve) =>
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
        if (until !== undefined && output.includes(until)) resolve();
      }),
    );
    if (until !== undefined) {
      await Promise.race([printed, ended]);
      await checkPage(output).finally(() => kill('SIGINT'));
      expect(output).toContain(until);
    }
    const [code] = await ended;
    return { code, output };
  }

  /** Sends a call or message. Any other JSON is compared with the reply to the previous call. */
  async #sendOrCompare(json: JsonObject): Promise<void> {
    const isMessage = typeof json['method'] === 'string';
    if (!isMessage && !isObject(json['arguments'])) {
      expect(this.#reply, 'there is no call before this reply').toBeDefined();
      expect(this.#reply).toMatchObject(withWildcards(json) as JsonObject);
      for (const [key, shown] of Object.entries(json))
        if (isId(shown)) this.#replacements.set(shown, String(this.#reply![key]));
      this.#reply = undefined;
      return;
    }
    this.#server ??= await this.#serve();
    const [method, params] = isMessage ? [json['method'] as string, json['params']] : ['tools/call', json];
    const reply = await this.#server.request(method, params as JsonObject);
    const result = (reply['result'] ?? {}) as JsonObject;
    expect(reply['error'], JSON.stringify(reply)).toBeUndefined();
    expect(result['isError'], JSON.stringify(result)).not.toBe(true);
    this.#reply = isMessage ? reply : ((result['structuredContent'] ?? result) as JsonObject);
  }

  async #serve(): Promise<StdioPeer> {
    const server = new StdioPeer([bundle, 'serve'], { cwd: this.#cwd, env: this.#env });
    server.send(initialize());
    await server.until(({ id }) => id === 0);
    server.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return server;
  }

  #write(file: string, text: string): void {
    const path = join(this.#home, file.replace(/^~\//, ''));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** Loads the page of the server whose address was printed. */
async function checkPage(output: string): Promise<void> {
  const address = /Page: (http\S+)/.exec(output)?.[1];
  if (address !== undefined) expect(await (await fetch(address)).text()).toContain('<title>Adjutant');
}
