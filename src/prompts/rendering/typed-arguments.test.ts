import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openMounted } from '../../../test/prompts/open-prompts.ts';

interface ClientCase {
  readonly body: string;
  readonly typed: string;
  readonly received: string;
  readonly arguments?: string;
  readonly loses?: boolean;
  readonly ours?: string;
}

const { cases } = JSON.parse(
  readFileSync(join('test', 'fixtures', 'client-cases', 'claude-code.json'), 'utf8'),
) as { readonly cases: readonly ClientCase[] };

const command = ({ body, arguments: declared }: Pick<ClientCase, 'body' | 'arguments'>) =>
  declared === undefined ? body : `---\narguments: ${declared}\n---\n${body}`;

describe('a mounted Claude Code command is filled the same way as in Claude Code', () => {
  it.each(cases.map((one) => [one.body, one.typed, one] as const))(
    '%s with the typed text %s',
    async (_, typed, one) => {
      const { expand } = openMounted('claude-code', { 'x.md': command(one) });
      const complete = one.loses ? `${one.received}\n\nARGUMENTS: ${typed}` : one.received;
      expect(await expand('x', typed)).toBe(one.ours ?? complete);
    },
  );
});

describe('prompts/get', () => {
  const body = 'Fix $0 with priority $1. All: $ARGUMENTS';
  const files = { 'fix.md': `---\nargument-hint: <issue> [priority]\n---\n${body}` };

  it('composes the typed text from the positional arguments', async () => {
    const { get } = openMounted('claude-code', files);
    expect(await get('fix', { issue: '12', priority: 'very high' })).toBe(
      'Fix 12 with priority very high. All: 12 "very high"',
    );
    expect(await get('fix', { issue: '12' })).toBe('Fix 12 with priority $1. All: 12');
    expect(await get('fix', {})).toBe('Fix $0 with priority $1. All: ');
  });

  it('fills positional arguments from the typed text', async () => {
    const { get } = openMounted('claude-code', files);
    expect(await get('fix', { arguments: '12 high' })).toBe('Fix 12 with priority high. All: 12 high');
  });

  it('appends the typed text if the command has no placeholder for it', async () => {
    const { get } = openMounted('claude-code', { 'x.md': 'Text.' });
    expect(await get('x', { arguments: 'now' })).toBe('Text.\n\nARGUMENTS: now');
    expect(await get('x', {})).toBe('Text.');
  });

  it('does not replace a price in a Codex prompt', async () => {
    const { get, expand } = openMounted('codex', { 'x.md': 'It costs $5, not $1: $ARGUMENTS' });
    expect(await get('x', {})).toBe('It costs $5, not $1: ');
    expect(await expand('x', 'a b')).toBe('It costs $5, not a: a b');
  });
});

it.each([
  [
    'gemini',
    'x.toml',
    'prompt = "It costs $150: {{args}} and {{ args }}"',
    'a b',
    'It costs $150: a b and {{ args }}',
  ],
  ['gemini', 'x.toml', 'prompt = "Body $1"', 'x y', 'Body $1\n\nx y'],
  [
    'vscode',
    'x.prompt.md',
    `It costs $5: \${input:who} and \${file}`,
    'a b',
    `It costs $5: a b and \${file}`,
  ],
  ['vscode', 'x.prompt.md', 'Body', 'x y', 'Body\n\nx y'],
])('a %s prompt keeps every word of the typed text: %s %s', async (format, file, text, typed, expected) => {
  expect(await openMounted(format, { [file]: text }).expand('x', typed)).toBe(expected);
});
