import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../../src/json.ts';
import { bundle, initialize } from '../../program.ts';
import { randomNumbers } from '../../random-numbers.ts';
import { StdioPeer } from '../../stdio-peer.ts';

export interface SoakResult {
  readonly operations: number;
  readonly notifications: number;
  /** The longest time for which the list of the client was older than every list of the server. */
  readonly maxLagMs: number;
  /** Folders whose last change was not reported. */
  readonly silentFolders: readonly string[];
}

/** How the prompts of each watched folder are written. `NAME` is the name of a prompt. */
const places = {
  commands: (name: string, text: string) => ({ [`${name}.md`]: `---\ndescription: ${text}\n---\nx` }),
  'claude/commands': (name: string, text: string) => ({
    [`${name}.md`]: `---\ndescription: ${text}\n---\nx`,
  }),
  'claude/commands/git': (name: string, text: string) => ({
    [`${name}.md`]: `---\ndescription: ${text}\n---\nx`,
  }),
  gemini: (name: string, text: string) => ({ [`${name}.toml`]: `description = "${text}"\nprompt = "x"` }),
  'linked/current': (name: string, text: string) => ({ [`${name}.md`]: `---\ndescription: ${text}\n---\nx` }),
  'libraries/lib': (name: string, text: string) => ({
    'twig.toml': `[prompts.${name}]\ndescription = "${text}"\n`,
    [`prompts/${name}.md`]: 'x',
  }),
  // The names differ from those of commands: a hidden command reports no changes.
  prompts: (name: string, text: string) => ({
    'user.jsonl': `${JSON.stringify({ name: `own_${name}`, title: name, description: text, messages: [{ role: 'user', content: 'x' }] })}\n`,
  }),
} as const;
type Place = keyof typeof places;
const names = ['a', 'b', 'c', 'd'];

/** Changes prompt files at random while a client follows the notifications. The same seed repeats the same operations. */
export async function soakWatcher(
  milliseconds: number,
  seed: number,
  report?: (line: string) => void,
): Promise<SoakResult> {
  const home = mkdtempSync(join(tmpdir(), 'adjutant-soak-'));
  const { next: random, pick: choose } = randomNumbers(seed);
  let operations = 0;
  const write = (place: Place, name: string, text: string, atomic: boolean) => {
    for (const [path, content] of Object.entries(places[place](name, text))) {
      const file = join(home, place, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(atomic ? `${file}.part` : file, content);
      if (atomic) renameSync(`${file}.part`, file);
    }
    operations++;
  };
  const retarget = (place: string) => {
    const link = join(home, 'linked', 'current');
    const target = join(home, 'linked', place);
    mkdirSync(target, { recursive: true });
    symlinkSync(target, `${link}.new`);
    renameSync(`${link}.new`, link);
    operations++;
  };
  const operation = async () => {
    const place = choose(Object.keys(places) as Place[]);
    const folder = join(home, place);
    const text = `text ${operations}`;
    const kind = random();
    if (kind < 0.5) write(place, choose(names), text, random() < 0.5);
    else if (kind < 0.62) {
      const [file] = Object.keys(places[place](choose(names), text));
      rmSync(join(folder, file!), { force: true });
      operations++;
    } else if (kind < 0.72) retarget(choose(['one', 'two']));
    else if (kind < 0.82 && place !== 'linked/current') {
      rmSync(folder, { recursive: true, force: true });
      if (random() < 0.5) await sleep(random() * 300);
      write(place, choose(names), text, false);
    } else if (kind < 0.92 && place !== 'linked/current') {
      // Replace the whole folder, as a checkout or a package manager does.
      const [next, old] = [`${folder}.next`, `${folder}.old`];
      mkdirSync(next, { recursive: true });
      for (const [path, content] of Object.entries(places[place](choose(names), text))) {
        mkdirSync(dirname(join(next, path)), { recursive: true });
        writeFileSync(join(next, path), content);
      }
      rmSync(old, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      renameSync(folder, old);
      renameSync(next, folder);
      rmSync(old, { recursive: true, force: true });
      operations++;
    } else if (kind < 0.97) {
      const end = Date.now() + random() * 1500;
      while (Date.now() < end) {
        write(place, choose(names), `storm ${operations}`, false);
        if (operations % 20 === 0) await sleep(1);
      }
    } else await sleep(1000);
  };

  for (const place of Object.keys(places) as Place[])
    if (place !== 'linked/current') write(place, 'a', 'first', false);
  retarget('one');
  write('linked/current', 'a', 'first', false);
  writeFileSync(
    join(home, 'adjutant.toml'),
    ['claude-code claude/commands c', 'gemini gemini g', 'claude-code linked/current l']
      .map((line) => line.split(' '))
      .map(
        ([format, path, prefix]) =>
          `[[prompts.mounts]]\nformat = "${format}"\npath = "${path}"\nprefix = "${prefix}"\n`,
      )
      .join(''),
  );
  await using peer = new StdioPeer([bundle, 'serve', '--home', home], {
    env: { ...process.env, HOME: home },
  });
  const follower = new Follower(peer);
  await follower.start();
  const end = Date.now() + milliseconds;
  let nextReport = Date.now() + 60_000;
  const observing = follower.observe(() => Date.now() < end);
  while (Date.now() < end) {
    await operation();
    await sleep(random() * 60);
    if (Date.now() > nextReport) {
      report?.(
        `${operations} operations, ${follower.notifications} notifications, lag at most ${follower.maxLagMs} ms`,
      );
      nextReport += 60_000;
    }
  }
  await observing;
  const silentFolders: string[] = [];
  for (const place of Object.keys(places) as Place[]) {
    await sleep(500);
    const before = follower.notifications;
    write(place, 'a', `last ${place}`, false);
    if (!(await follower.hears(before, 60_000))) silentFolders.push(place);
  }
  rmSync(home, { recursive: true, force: true });
  return { operations, notifications: follower.notifications, maxLagMs: follower.maxLagMs, silentFolders };
}

/** A client that lists the prompts again only after a notification, and an observer that lists them all the time. */
class Follower {
  notifications = 0;
  maxLagMs = 0;
  readonly #peer: StdioPeer;
  #known = '';
  /** What the server answered, with the last time at which it did. */
  #answers: { text: string; time: number }[] = [];

  constructor(peer: StdioPeer) {
    this.#peer = peer;
  }

  async start(): Promise<void> {
    this.#peer.send(initialize());
    await this.#peer.until(({ id }) => id === 0);
    this.#peer.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    this.#known = await this.#list();
    this.#remember(this.#known);
    await sleep(1000);
  }

  async observe(goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      if (this.#takeNotifications() > 0) {
        this.#known = await this.#list();
        this.#remember(this.#known);
      }
      this.#remember(await this.#list());
      const last = this.#answers.find(({ text }) => text === this.#known);
      this.maxLagMs = Math.max(this.maxLagMs, last === undefined ? 60_000 : Date.now() - last.time);
      await sleep(50);
    }
  }

  async hears(before: number, milliseconds: number): Promise<boolean> {
    const end = Date.now() + milliseconds;
    while (Date.now() < end) {
      this.#takeNotifications();
      if (this.notifications > before) return true;
      await sleep(20);
    }
    return false;
  }

  #remember(text: string): void {
    const time = Date.now();
    this.#answers = this.#answers.filter((answer) => answer.text !== text && answer.time > time - 60_000);
    this.#answers.push({ text, time });
  }

  #takeNotifications(): number {
    const all = this.#peer.messages.splice(0);
    const found = all.filter(({ method }) => method === 'notifications/prompts/list_changed').length;
    this.notifications += found;
    return found;
  }

  async #list(): Promise<string> {
    const { result } = (await this.#peer.request('prompts/list')) as { result: JsonObject };
    return JSON.stringify(
      (result['prompts'] as JsonObject[]).map(({ name, description }) => [name, description]),
    );
  }
}
