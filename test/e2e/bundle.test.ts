import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { loadParts } from '../bundle-parts.ts';
import { bundle } from '../program.ts';

const text = readFileSync(bundle, 'latin1');

it('is one file of which every part can be loaded', () => {
  const parts = Object.entries(loadParts(bundle));
  expect(parts.length).toBeGreaterThan(1);
  for (const [name, part] of parts) expect(part, name).toBeTypeOf('object');
});

it('is of one-byte characters throughout, which Node reads fastest', () => {
  expect(/[^\0-\x7f]/.exec(text)).toBeNull();
});

it('names no place of the machine it was built on', () => {
  expect(text).not.toContain(dirname(dirname(bundle)));
});
