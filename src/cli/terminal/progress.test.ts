import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Interrupted, Progress, type Show } from './terminal.ts';

const erased = '\r\u001b[K';

beforeEach(() => {
  vi.useFakeTimers();
});
const ends: (() => void)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const end of ends.splice(0)) end();
  await new Promise(setImmediate);
});

interface Screen {
  readonly stream: NodeJS.WriteStream;
  readonly progress: Progress;
  written: string;
}

function screen({ isTTY = true, columns = 40, env = { NO_COLOR: '1' }, silent = false } = {}): Screen {
  const stream = {
    isTTY,
    columns,
    write(text: string) {
      made.written += text;
      return true;
    },
  } as unknown as NodeJS.WriteStream;
  const made: Screen = { stream, progress: new Progress(stream, env, { silent }), written: '' };
  return made;
}

/** Starts work that lasts until `end` is called. */
function startWork(progress: Progress, onInterrupt?: () => void) {
  const end = Promise.withResolvers<string>();
  let show: Show = () => {};
  const over = progress.during(
    'working',
    (given) => {
      show = given;
      return end.promise;
    },
    onInterrupt,
  );
  ends.push(() => end.resolve('too late'));
  return { show: (...args: Parameters<Show>) => show(...args), end: () => end.resolve('done'), over };
}

const lines = ({ written }: Screen) => written.split(erased);
const later = (milliseconds: number) => vi.advanceTimersByTime(milliseconds);

it.each([
  ['there is no terminal', { isTTY: false }],
  ['it is silent', { silent: true }],
  ['it runs in CI', { env: { CI: 'true', NO_COLOR: '' } }],
  ['the terminal is dumb', { env: { TERM: 'dumb', NO_COLOR: '' } }],
])('writes nothing if %s', async (_, options) => {
  const place = screen(options);
  const { show, end, over } = startWork(place.progress);
  show('far', 1, 2);
  later(60_000);
  place.progress.erase();
  end();
  expect([await over, place.written]).toEqual(['done', '']);
});

it('writes nothing for work that ends quickly', async () => {
  const place = screen();
  const { end, over } = startWork(place.progress);
  later(200);
  end();
  expect([await over, place.written]).toEqual(['done', '']);
});

it('shows a spinner with the latest message and the elapsed time, then erases it', async () => {
  const place = screen();
  const { show, end, over } = startWork(place.progress);
  later(300);
  expect(lines(place).at(-1)).toMatch(/^[-\\|/] working$/);
  show('$ npm test');
  later(62_000);
  expect(lines(place).at(-1)).toMatch(/^[-\\|/] \$ npm test {2}1m 02s$/);
  end();
  await over;
  expect(lines(place).at(-1)).toBe('');
});

it('shows a bar if the total is known', () => {
  const place = screen();
  const { show } = startWork(place.progress);
  later(1_000);
  show('5 of 20 read', 5, 20);
  later(100);
  expect(lines(place).at(-1)).toBe('██░░░░░░░  25% 5 of 20 read');
  show('more than all', 30, 20);
  later(100);
  expect(lines(place).at(-1)).toBe('█████████ 100% more than all');
});

it('draws at most ten times a second', () => {
  const place = screen();
  const { show } = startWork(place.progress);
  for (let step = 0; step < 1_000; step++) {
    show(`step ${step}`);
    later(1);
  }
  expect(lines(place).length).toBeLessThanOrEqual(9);
});

it.each([
  ['a long message', 'x'.repeat(200)],
  ['wide characters', '日本語'.repeat(30)],
  ['emoji', '🎉'.repeat(60)],
])('shortens %s to the width of the terminal', (_, message) => {
  const place = screen({ columns: 30 });
  startWork(place.progress).show(message);
  later(400);
  const [, line = ''] = lines(place).slice(-2);
  const columns = [...line].reduce((sum, sign) => sum + (/[\u2e80-\u{1ffff}]/u.test(sign) ? 2 : 1), 0);
  expect(line.endsWith('…')).toBe(true);
  expect(columns).toBeGreaterThan(26);
  expect(columns).toBeLessThan(30);
});

it('fits a terminal of three columns', () => {
  const place = screen({ columns: 3 });
  startWork(place.progress).show('a message', 1, 2);
  later(400);
  expect(lines(place).at(-1)!.length).toBeLessThan(3);
});

it('removes control characters from messages', () => {
  const place = screen();
  startWork(place.progress).show('a\u001b[2Jb\r\nc\u009bd');
  later(400);
  expect(lines(place).at(-1)).toMatch(/^. a \[2Jb c d$/);
});

it('is coloured unless NO_COLOR is set', () => {
  const [plain, coloured] = [screen(), screen({ env: { NO_COLOR: '' } })];
  for (const { progress } of [plain, coloured]) startWork(progress);
  later(400);
  expect(plain.written).not.toContain('\u001b[36m');
  expect(coloured.written).toContain('\u001b[36m');
});

it('stays below other output, and restores the stream', async () => {
  const place = screen();
  const { write } = place.stream;
  const { end, over } = startWork(place.progress);
  later(300);
  place.stream.write('a warning\n');
  later(100);
  expect(lines(place).slice(-2)).toEqual(['a warning\n', expect.stringMatching(/^. working$/)]);
  end();
  await over;
  expect(place.stream.write).toBe(write);
});

it('shows one line for nested work', async () => {
  const place = screen();
  const { end, over } = startWork(place.progress);
  const inner = await place.progress.during('inner', async (show) => {
    show('not shown');
    later(1_000);
    return 'inner done';
  });
  expect(inner).toBe('inner done');
  expect(place.written).not.toContain('not shown');
  end();
  await over;
});

it('rejects on Ctrl-C and removes its signal handler', async () => {
  const place = screen();
  const before = process.listenerCount('SIGINT');
  const { over } = startWork(place.progress);
  later(300);
  process.emit('SIGINT');
  await expect(over).rejects.toThrow(Interrupted);
  expect(lines(place).at(-1)).toBe('');
  expect(process.listenerCount('SIGINT')).toBe(before);
});

it('asks the work to stop on the first Ctrl-C and rejects on the second', async () => {
  let asked = 0;
  const { over } = startWork(screen().progress, () => asked++);
  process.emit('SIGINT');
  expect(asked).toBe(1);
  process.emit('SIGINT');
  await expect(over).rejects.toThrow(Interrupted);
  expect(asked).toBe(1);
});
