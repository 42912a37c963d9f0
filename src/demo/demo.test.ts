import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallFeature } from '../api.ts';
import type { Context } from '../feature.ts';
import { createDemo } from './demo.ts';
import { commandFiles, user } from './samples.ts';

let home: string;
const [sample] = Object.keys(commandFiles);
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-demo-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const nobody = { log() {} } as unknown as Context;
const everything = () => readdirSync(home, { recursive: true }).map(String).toSorted();

function put(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

/** The demonstration of a server that has prompts only, and what else is given. */
function demo(answers: Readonly<Record<string, object>> = {}) {
  const { tools = [] } = createDemo({
    commandsDir: join(home, 'commands'),
    librariesDir: join(home, 'libraries'),
    outboxDir: join(home, 'outbox'),
    runsDir: join(home, 'runs'),
    stateFile: join(home, 'state', 'demo.json'),
    call: (async (tool: string) => answers[tool]) as CallFeature,
  });
  const [load, remove] = tools.map((tool) => () => tool.call({} as never, nobody));
  return { load: load!, remove: remove! };
}

describe('the sample data', () => {
  it.each([
    ['a command', `commands/${sample}`],
    ['a library', 'libraries/demo/twig.toml'],
  ])('does not take the place of %s that was there before', async (_, path) => {
    put(path, 'mine');
    const { load, remove } = demo();
    await expect(load()).rejects.toThrow(join(home, path));
    await remove();
    expect(everything()).toEqual(expect.arrayContaining([path]));
    expect(readFileSync(join(home, path), 'utf8')).toBe('mine');
  });

  it('leaves what somebody put beside it, and takes what somebody changed in it', async () => {
    const { load, remove } = demo();
    await load();
    put('libraries/demo/prompts/mine.md', 'mine');
    put(`commands/${sample}`, 'changed');
    await remove();
    expect(everything().filter((path) => path.endsWith('.md'))).toEqual(['libraries/demo/prompts/mine.md']);
  });

  it('goes without a trace, the folders that were made for it included', async () => {
    put('other/file', '');
    const before = everything();
    const { load, remove } = demo();
    await load();
    await load();
    expect(existsSync(join(home, 'libraries', 'demo', 'prompts', 'review.md'))).toBe(true);
    await remove();
    expect(everything()).toEqual(before);
  });

  it('keeps a folder that was there, empty as it was', async () => {
    mkdirSync(join(home, 'commands'));
    const { load, remove } = demo();
    await load();
    await remove();
    expect(everything()).toEqual(['commands']);
  });

  it('takes out of the outbox what was written to the sample person', async () => {
    put('outbox/one.eml', 'to Ada');
    put('outbox/two.wav', 'to Ada');
    put('outbox/oneself.eml', 'to another');
    const { remove } = demo({
      listUsers: { users: [{ id: user.id }] },
      listNotifications: { notifications: [{ id: 'one' }, { id: 'two' }] },
    });
    await remove();
    expect(readdirSync(join(home, 'outbox'))).toEqual(['oneself.eml']);
  });
});
