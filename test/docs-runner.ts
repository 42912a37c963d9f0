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

/** What a page needs around it. */
export interface Stage {
  /** The folder its commands run in, from the home on. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Names on the page that only some other machine has, and what stands for them here. */
  readonly stands?: Readonly<Record<string, string>>;
  /** Programs that are not installed here. */
  readonly lacks?: readonly string[];
  close?(): PromiseLike<void>;
}

/** Declares a test for each block of a page. They build on each other, as for a reader. */
export function followPage(
  page: string,
  stageIn: (home: string) => Stage | Promise<Stage> = () => ({}),
): void {
  describe(page, () => {
    const blocks = blocksOf(page);
    let reader: Reader;
    beforeAll(async () => {
      const home = mkdtempSync(join(tmpdir(), 'adjutant-docs-'));
      reader = new Reader(home, await stageIn(home));
    });
    afterAll(() => reader.close());
    for (const block of blocks)
      it(block.name, ({ signal, skip }) => {
        skip(reader.lacks(block), `${block.needs} is not installed`);
        return reader.follow(block, signal);
      });
    it('uses every file that it shows', () => {
      const last = blocks.findLastIndex(({ file }) => file !== undefined && file !== configuration);
      const isUsed = blocks.slice(last + 1).some(({ file, notRun }) => !file && !notRun);
      expect(last === -1 || isUsed).toBe(true);
    });
  });
}

const configuration = 'adjutant.toml';

/** Somebody who does what a page says. */
export class Reader {
  readonly #home: string;
  readonly #stage: Stage;
  readonly #stands: Map<string, string>;
  readonly #cwd: string;
  readonly #env: Record<string, string>;
  #server: StdioPeer | undefined;
  #answer: JsonObject | undefined;
  #signal: AbortSignal | undefined;

  constructor(home: string, stage: Stage) {
    this.#home = home;
    this.#stage = stage;
    this.#stands = new Map(Object.entries(stage.stands ?? {}));
    this.#cwd = join(home, stage.cwd ?? '');
    const bin = join(home, 'bin');
    this.#write('bin/adjutant', `#!/bin/sh\nexec "${process.execPath}" "${bundle}" "$@"\n`);
    chmodSync(join(bin, 'adjutant'), 0o755);
    this.#env = {
      HOME: home,
      ADJUTANT_HOME: home,
      PATH: `${bin}:${process.env['PATH']}`,
      EDITOR: 'true',
      TZ: 'UTC',
      ...stage.env,
    };
  }

  lacks({ needs }: Block): boolean {
    return needs !== undefined && this.#stage.lacks?.includes(needs) === true;
  }

  async follow(block: Block, signal: AbortSignal): Promise<void> {
    const { language, file, until, notRun } = block;
    this.#signal = signal;
    const text = this.#here(block.text);
    if (language === 'toml') parseToml(text);
    if (language === 'json') JSON.parse(text);
    if (language === 'nginx') expect(text).toMatch(/^(?:\s*[^\s{};][^{};]*(?:;|\{)|\s*\}|\s)*$/);
    if (notRun !== undefined) return;
    if (file !== undefined) await this.#place(file, text);
    else if (language === 'sh') await this.#succeed(text, until);
    else if (language === 'console') await this.#converse(text);
    else if (language === 'json') await this.#say(JSON.parse(text));
    else throw new Error(`${block.name}: nothing says what to do with this block; see test/docs-block.ts`);
  }

  async close(): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
    await this.#stage.close?.();
    rmSync(this.#home, { recursive: true, force: true });
  }

  async #place(file: string, text: string): Promise<void> {
    this.#write(file, text);
    if (file === configuration) await this.#succeed('adjutant prompts list --quiet');
  }

  async #succeed(script: string, until?: string): Promise<void> {
    const { code, output } = await this.#run(`set -ex\n${script}`, until);
    // npm passes on that it was interrupted.
    expect(until === undefined ? [0] : [0, 130], output).toContain(code);
  }

  async #converse(text: string): Promise<void> {
    const [before, ...parts] = text.split(/^\$ /m);
    expect(before, 'a conversation begins with a command').toBe('');
    for (const part of parts) {
      const [, command, shown] = /^((?:.*\\\n)*.*\n)([\s\S]*?)\n*$/.exec(`${part}\n`)!;
      const { code, output } = await this.#run(this.#here(command!));
      if (shown === '') {
        expect(code, output).toBe(0);
        continue;
      }
      const { pattern, ids } = patternOf(`${shown}\n`);
      const found = pattern.exec(`${output.trimEnd()}\n`);
      if (found === null) expect(output).toBe(shown);
      ids.forEach((id, index) => void this.#stands.set(id, found![index + 1]!));
    }
  }

  /** What is written, with what is here for what is elsewhere. */
  #here(written: string): string {
    return [...this.#stands].reduce((text, [name, stand]) => text.replaceAll(name, stand), written);
  }

  /** A shell for each block; variables go from one to the next by a file. */
  async #run(script: string, until?: string): Promise<{ code: number; output: string }> {
    const kept = join(this.#home, '.exported');
    const around = `exec 2>&1; trap : INT\n[ ! -f "${kept}" ] || . "${kept}"\n${script}\nended=$?\nexport -p >"${kept}"\nexit $ended`;
    const child = spawn('/bin/sh', ['-c', around], {
      cwd: this.#cwd,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    const ended = once(child, 'close');
    const kill = (signal: NodeJS.Signals) => child.exitCode ?? process.kill(-child.pid!, signal);
    this.#signal?.addEventListener('abort', () => kill('SIGKILL'));
    let output = '';
    const said = new Promise<void>((resolve) =>
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
        if (until !== undefined && output.includes(until)) resolve();
      }),
    );
    if (until !== undefined) {
      await Promise.race([said, ended]);
      await lookAt(output).finally(() => kill('SIGINT'));
      expect(output).toContain(until);
    }
    const [code] = await ended;
    return { code, output };
  }

  /** A call and what it answers are two blocks, or one. */
  async #say(said: JsonObject): Promise<void> {
    const asked = typeof said['method'] === 'string';
    if (!asked && !isObject(said['arguments'])) {
      expect(this.#answer, 'this answers nothing').toBeDefined();
      expect(this.#answer).toMatchObject(withWildcards(said) as JsonObject);
      for (const [key, shown] of Object.entries(said))
        if (isId(shown)) this.#stands.set(shown, String(this.#answer![key]));
      this.#answer = undefined;
      return;
    }
    this.#server ??= await this.#serve();
    const [method, params] = asked ? [said['method'] as string, said['params']] : ['tools/call', said];
    const answer = await this.#server.request(method, params as JsonObject);
    const result = (answer['result'] ?? {}) as JsonObject;
    expect(answer['error'], JSON.stringify(answer)).toBeUndefined();
    expect(result['isError'], JSON.stringify(result)).not.toBe(true);
    this.#answer = asked ? answer : ((result['structuredContent'] ?? result) as JsonObject);
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

/** Opens the page of a server that is up. */
async function lookAt(output: string): Promise<void> {
  const address = /Page: (http\S+)#/.exec(output)?.[1];
  if (address !== undefined) expect(await (await fetch(address)).text()).toContain('<title>Adjutant');
}
