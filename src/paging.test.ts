import { describe, expect, it } from 'vitest';
import { fitLists, lastPageOf, type PageRequest, pageOf, shorten } from './paging.ts';

const items = Array.from({ length: 100 }, (_, index) => ({ index, text: 'x'.repeat(500) }));
const page = (request: PageRequest) => pageOf(items, (item) => item, request);

describe('a page', () => {
  it('holds as many items as fit, and its cursor leads to the rest', () => {
    const seen: number[] = [];
    let cursor: string | undefined;
    do {
      const { items: shown, next } = page({ cursor });
      expect(JSON.stringify(shown).length).toBeLessThan(10_000);
      seen.push(...shown.map(({ index }) => index));
      cursor = next.next_cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(items.map(({ index }) => index));
  });

  it('holds the requested number of items, however long they are', () => {
    const { items: shown, next } = page({ limit: 60, cursor: '10' });
    expect(shown.map(({ index }) => index)).toEqual(items.slice(10, 70).map(({ index }) => index));
    expect(next).toEqual({ next_cursor: '70' });
    expect(page({ limit: 100 }).next).toEqual({});
  });

  it('holds one item that is longer than a page', () => {
    const long = pageOf(['x'.repeat(20_000), 'y'], (text) => text, {});
    expect(long).toMatchObject({ items: [expect.stringMatching(/^x+$/)], next: { next_cursor: '1' } });
  });

  it('is empty after the end', () => {
    expect(page({ cursor: '500' })).toEqual({ items: [], next: {} });
  });

  it('can hold the last items', () => {
    const last = lastPageOf(items);
    expect(last.at(-1)).toBe(items.at(-1));
    expect(last.length).toBeGreaterThan(10);
    expect(JSON.stringify(last).length).toBeLessThan(10_000);
  });
});

describe('shortening', () => {
  it('leaves a value that fits as it is', () => {
    const value = { text: 'short', list: [1, 2] };
    expect(shorten(value)).toEqual({ value, isShortened: false });
  });

  it('cuts texts and lists, without splitting a character', () => {
    const { value, isShortened } = shorten({ id: 'one', text: '😀'.repeat(20_000), items });
    expect(isShortened).toBe(true);
    expect(value.id).toBe('one');
    expect(JSON.stringify(value).length).toBeLessThan(10_000);
    expect(value.text.isWellFormed()).toBe(true);
    expect(value.text).toMatch(/…$/);
  });

  it('also cuts what is long only as text, and lists within lists', () => {
    const jobs = Array.from({ length: 30 }, () => ({ title: 'x'.repeat(900), notes: items }));
    expect(JSON.stringify(shorten({ jobs }).value).length).toBeLessThan(10_000);
    const { value, isShortened } = shorten({ list: ['a', 'b'] }, ({ list }) =>
      'y'.repeat(6_000 * list.length),
    );
    expect([value.list, isShortened]).toEqual([['a'], true]);
  });
});

describe('lists that do not fit on a page', () => {
  const many = Array.from({ length: 500 }, (_, at) => ({ name: `item ${at}`, text: 'long '.repeat(10) }));

  it('lose their last items, and the number of these is reported', () => {
    const value = fitLists({ count: 500, errors: many.slice(0, 3), many }, 'errors', 'many');
    expect(value.errors).toEqual(many.slice(0, 3));
    expect(value.many).toEqual(many.slice(0, value.many.length));
    expect(value.omitted).toEqual({ many: 500 - value.many.length });
    expect(JSON.stringify(value).length).toBeGreaterThan(8_000);
    expect(JSON.stringify(value).length).toBeLessThan(10_000);
  });

  it('stay as they are if they fit', () => {
    const value: { a: number[]; b?: number[] } = { a: [1] };
    expect(fitLists(value, 'b', 'a')).toEqual(value);
  });
});
