// Changes people, rules and prompts through a server that is killed at random moments and whose disk is full now and then, and compares
// the security log with what the server acknowledged. `npm run prove -- audit 1000` makes a thousand changes. Meanwhile, a token
// makes calls that it may not make, among a flood of requests without a token. Full disks need root, to mount a small disk.
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, type JsonObject } from '../../src/json.ts';
import { bundle } from '../program.ts';
import { StdioPeer } from '../stdio-peer.ts';

const wanted = Number(process.argv[2] ?? 1_000);
const writers = 4;
const folder = mkdtempSync(join(tmpdir(), 'adjutant-audit-proof-'));
const disk = join(folder, 'disk');
mkdirSync(disk);
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', disk]).status === 0;
const home = join(disk, 'home');
const env = { PATH: process.env['PATH'], HOME: folder, TZ: 'UTC' };

/** The acknowledged changes: how often each action was done to each target. */
const acknowledged = new Map<string, number>();
const denied = new Set<string>();
const counts = { kills: 0, full: 0, changes: 0, refused: 0, anonymous: 0 };

function adjutant(...args: readonly string[]): string {
  return execFileSync(process.execPath, [bundle, ...args, '--home', home], {
    env,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
}

const filler = join(disk, 'filler');

function fill(): void {
  const file = openSync(filler, 'w');
  try {
    for (;;) writeSync(file, Buffer.alloc(4_096));
  } catch {
    // The disk is full.
  } finally {
    closeSync(file);
  }
}

/** A server over HTTP and what is sent to it until it is killed. */
class Round {
  readonly #number: number;
  readonly #server: StdioPeer;
  #url = '';
  #isOver = false;

  constructor(number: number) {
    this.#number = number;
    this.#server = new StdioPeer(
      [bundle, 'serve', '--http', '--port', '0', '--http-requests-per-second', '0', '--home', home],
      { env },
    );
  }

  async run(eve: string): Promise<void> {
    [, this.#url = ''] = await this.#server.untilStderr(/Page: (\S+?)\/ /);
    const owner = readFileSync(join(home, 'token'), 'utf8').trim();
    const work = Array.from({ length: writers }, (_, writer) => this.#write(writer, owner));
    const flood = this.#flood();
    await this.#tryAsEve(eve);
    if (isMounted && this.#number % 2 === 0) {
      fill();
      counts.full += 1;
      await sleep(Math.random() * 1_000);
      rmSync(filler);
    }
    await sleep(Math.random() * 1_500);
    this.#isOver = true;
    this.#server.child.kill('SIGKILL');
    counts.kills += 1;
    await Promise.all([...work, flood]);
    await this.#server[Symbol.asyncDispose]();
  }

  async #post(token: string | undefined, body: object, path = '/mcp'): Promise<JsonObject | undefined> {
    try {
      const response = await fetch(`${this.#url}${path}`, {
        method: 'POST',
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      });
      return (await response.json()) as JsonObject;
    } catch {
      return undefined; // The server was killed.
    }
  }

  /** True if the server says that the call was done. */
  async #call(token: string, name: string, args: JsonObject): Promise<boolean> {
    const params = { name, arguments: args };
    const reply = await this.#post(token, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const result = reply?.['result'];
    return isObject(result) && result['isError'] !== true;
  }

  async #write(writer: number, owner: string): Promise<void> {
    for (let count = 0; !this.#isOver && counts.changes < wanted; count++) {
      const id = `p${this.#number}-${writer}-${count}`;
      const prompt = id.replaceAll('-', '_');
      const changes: readonly (readonly [name: string, target: string, args: JsonObject])[] = [
        ['create_user', `id=${id}`, { id, name: id, timezone: 'UTC' }],
        ['update_user', `user_id=${id}`, { user_id: id, name: `${id} again` }],
        ['set_rule', `user_id=${id}`, { user_id: id, rule_type: 'travel_buffer', rule_json: { minutes: 5 } }],
        ['create_prompt', `name=${prompt}`, { name: prompt, title: id, text: id }],
        ['delete_prompt', `name=${prompt}`, { name: prompt }],
        ['delete_user', `user_id=${id}`, { user_id: id }],
      ];
      for (const [name, target, args] of changes) {
        if (!(await this.#call(owner, name, args))) {
          counts.refused += 1;
          continue;
        }
        counts.changes += 1;
        const key = `${name} ${target}`;
        acknowledged.set(key, (acknowledged.get(key) ?? 0) + 1);
      }
    }
  }

  async #flood(): Promise<void> {
    while (!this.#isOver) {
      await this.#post(undefined, {}, `/mcp/x${counts.anonymous}`);
      counts.anonymous += 1;
    }
  }

  async #tryAsEve(token: string): Promise<void> {
    for (const name of ['create_prompt', 'delete_user', 'clean_runs', 'create_token', 'list_activity']) {
      await this.#call(token, name, { name: 'x' });
      denied.add(`${this.#number} ${name}`);
    }
    // Entries about denied calls are written after the answer.
    await sleep(500);
  }
}

const problems: string[] = [];
try {
  adjutant('users', 'create', '--id', 'eve', '--name', 'Eve', '--timezone', 'UTC');
  const created = adjutant('tokens', 'create', 'eve', '--scope', 'calendar:eve', '--json');
  const eve = String((JSON.parse(created) as JsonObject)['token']);
  let rounds = 0;
  for (; counts.changes < wanted; rounds++) await new Round(rounds).run(eve);

  const rows = adjutant('audit', 'export')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject);
  const calls = new Map<string, Set<unknown>>();
  const deniedByEve = new Map<string, number>();
  for (const { action, target = '', call, number, outcome, actor } of rows) {
    if (actor === 'token eve' && outcome === 'denied')
      deniedByEve.set(String(action), (deniedByEve.get(String(action)) ?? 0) + 1);
    for (const part of String(target).split(' ')) {
      const key = `${action} ${part}`;
      calls.set(key, (calls.get(key) ?? new Set()).add(call ?? number));
    }
  }
  for (const [key, count] of acknowledged) {
    const found = calls.get(key)?.size ?? 0;
    if (found < count) problems.push(`${key} was acknowledged ${count} times and has ${found} entries`);
  }
  // A new server writes the first denied call of each kind again.
  for (const name of new Set([...denied].map((one) => one.split(' ')[1]!)))
    if ((deniedByEve.get(name) ?? 0) < rounds)
      problems.push(`${name} was denied in ${rounds} rounds and has ${deniedByEve.get(name) ?? 0} entries`);
  const verified = spawnSync(process.execPath, [bundle, 'audit', 'verify', '--home', home], {
    env,
    encoding: 'utf8',
  });
  if (verified.status !== 0) problems.push(`audit verify: ${verified.stdout}`);
  process.stdout.write(
    `${counts.changes} acknowledged changes and ${counts.refused} failed ones in ${rounds} rounds, ${counts.kills} kills, ${counts.full} full disks, ${denied.size} denied calls of a token among ${counts.anonymous} requests without one, ${rows.length} entries\n${verified.stdout}`,
  );
} finally {
  if (isMounted) spawnSync('umount', ['--lazy', disk]);
  rmSync(folder, { recursive: true, force: true });
}
if (!isMounted) process.stdout.write('Without root, no disk was full.\n');
for (const problem of problems) process.stdout.write(`✗ ${problem}\n`);
process.stdout.write(
  problems.length === 0 ? 'Every change has its entry.\n' : `${problems.length} problems\n`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
