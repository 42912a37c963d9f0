import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ownCases } from './own-cases.ts';
import { rfcCases } from './rfc-examples.ts';

const program = fileURLToPath(new URL('expand.ts', import.meta.url));

describe.each(['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Tokyo'])('a process in %s', (zone) => {
  const output = execFileSync(process.execPath, [program], {
    env: { ...process.env, TZ: zone },
    encoding: 'utf8',
  });
  const printed = JSON.parse(output) as { zone: string; results: Record<string, readonly string[]> };

  it('runs in that time zone', () => {
    expect(printed.zone).toBe(zone);
  });

  for (const { name, expected } of rfcCases) {
    it(`expands the RFC 5545 example: ${name}`, () => {
      expect(printed.results[name]).toEqual(expected);
    });
  }

  for (const { name, expected } of ownCases) {
    it(`expands ${name}`, () => {
      expect(printed.results[name]).toEqual(expected);
    });
  }
});
