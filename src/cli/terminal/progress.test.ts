import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Interrupted } from './command.ts';
import { Progress, type Show } from './progress.ts';

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

/** Work that lasts until it is told to end, and its way to say how far it is. */
function begin(progress: Progress, onInterrupt?: () => void) {
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
  return { show: (...told: Parameters<Show>) => show(...told), end: () => end.resolve('done'), over };
}

const lines = ({ written }: Screen) => written.split(erased);
const later = (milliseconds: number) => vi.advanceTimersByTime(milliseconds);

it.each([
  ['there is no terminal', { isTTY: false }],
  ['nothing is wanted', { silent: true }],
  ['a machine builds', { env: { CI: 'true', NO_COLOR: '' } }],
  ['the terminal is a dumb one', { env: { TERM: 'dumb', NO_COLOR: '' } }],
])('writes not one byte where %s', async (_, options) => {
  const place = screen(options);
  const { show, end, over } = begin(place.progress);
  show('far', 1, 2);
  later(60_000);
  place.progress.erase();
  end();
  expect([await over, place.written]).toEqual(['done', '']);
});

it('says nothing of work that is soon over', async () => {
  const place = screen();
  const { end, over } = begin(place.progress);
  later(200);
  end();
  expect([await over, place.written]).toEqual(['done', '']);
});

it('turns while the end is not known, with the latest message and the time, and erases itself', async () => {
  const place = screen();
  const { show, end, over } = begin(place.progress);
  later(300);
  expect(lines(place).at(-1)).toMatch(/^[-\\|/] working$/);
  show('$ npm test');
  later(62_000);
  expect(lines(place).at(-1)).toMatch(/^[-\\|/] \$ npm test {2}1m 02s$/);
  end();
  await over;
  expect(lines(place).at(-1)).toBe('');
});

it('is a bar where the end is known', () => {
  const place = screen();
  const { show } = begin(place.progress);
  later(1_000);
  show('5 of 20 read', 5, 20);
  later(100);
  expect(lines(place).at(-1)).toBe('██░░░░░░░  25% 5 of 20 read');
  show('more than all', 30, 20);
  later(100);
  expect(lines(place).at(-1)).toBe('█████████ 100% more than all');
});

it('draws ten times a second however often it is told something', () => {
  const place = screen();
  const { show } = begin(place.progress);
  for (let step = 0; step < 1_000; step++) {
    show(`step ${step}`);
    later(1);
  }
  expect(lines(place).length).toBeLessThanOrEqual(9);
});

it.each([
  ['a long one', 'x'.repeat(200)],
  ['a wide one', '日本語'.repeat(30)],
  ['one of pictures', '🎉'.repeat(60)],
])('cuts %s at the edge', (_, message) => {
  const place = screen({ columns: 30 });
  begin(place.progress).show(message);
  later(400);
  const [, line = ''] = lines(place).slice(-2);
  const columns = [...line].reduce((sum, sign) => sum + (/[\u2e80-\u{1ffff}]/u.test(sign) ? 2 : 1), 0);
  expect(line.endsWith('…')).toBe(true);
  expect(columns).toBeGreaterThan(26);
  expect(columns).toBeLessThan(30);
});

it('fits a terminal that is hardly there', () => {
  const place = screen({ columns: 3 });
  begin(place.progress).show('a message', 1, 2);
  later(400);
  expect(lines(place).at(-1)!.length).toBeLessThan(3);
});

it('lets no message steer the terminal', () => {
  const place = screen();
  begin(place.progress).show('a\u001b[2Jb\r\nc\u009bd');
  later(400);
  expect(lines(place).at(-1)).toMatch(/^. a \[2Jb c d$/);
});

it('is coloured unless that is not wanted', () => {
  const [plain, coloured] = [screen(), screen({ env: { NO_COLOR: '' } })];
  for (const { progress } of [plain, coloured]) begin(progress);
  later(400);
  expect(plain.written).not.toContain('\u001b[36m');
  expect(coloured.written).toContain('\u001b[36m');
});

it('stands below what others write meanwhile, and leaves their stream as it was', async () => {
  const place = screen();
  const { write } = place.stream;
  const { end, over } = begin(place.progress);
  later(300);
  place.stream.write('a warning\n');
  later(100);
  expect(lines(place).slice(-2)).toEqual(['a warning\n', expect.stringMatching(/^. working$/)]);
  end();
  await over;
  expect(place.stream.write).toBe(write);
});

it('has one line for work within work', async () => {
  const place = screen();
  const { end, over } = begin(place.progress);
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

it('ends the work when it is interrupted, and hears no more then', async () => {
  const place = screen();
  const before = process.listenerCount('SIGINT');
  const { over } = begin(place.progress);
  later(300);
  process.emit('SIGINT');
  await expect(over).rejects.toThrow(Interrupted);
  expect(lines(place).at(-1)).toBe('');
  expect(process.listenerCount('SIGINT')).toBe(before);
});

it('asks work to end that can, and leaves it the second time', async () => {
  let asked = 0;
  const { over } = begin(screen().progress, () => asked++);
  process.emit('SIGINT');
  expect(asked).toBe(1);
  process.emit('SIGINT');
  await expect(over).rejects.toThrow(Interrupted);
  expect(asked).toBe(1);
});
