import { readdirSync, readFileSync } from 'node:fs';
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
  readonly exception?: string;
}

interface Client {
  readonly client: string;
  readonly format: string;
  readonly version?: string;
  readonly cases: readonly ClientCase[];
}

const folder = join('test', 'fixtures', 'client-cases');
const clients = readdirSync(folder).map(
  (file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Client,
);

function fileOf(
  { format }: Client,
  { body, arguments: declared }: ClientCase,
): Readonly<Record<string, string>> {
  if (format === 'codex-skills') return { 'x/SKILL.md': `---\nname: x\ndescription: d\n---\n${body}` };
  if (format === 'gemini' || format === 'qwen') return { 'x.toml': `prompt = ${JSON.stringify(body)}` };
  if (format === 'vscode') return { 'x.prompt.md': body };
  return { 'x.md': declared === undefined ? body : `---\narguments: ${declared}\n---\n${body}` };
}

describe.each(clients)('a mounted prompt is filled the same way as in $client', (client) => {
  it.each(client.cases.map((one) => [one.body, one.typed, one] as const))(
    '%s with the typed text %s',
    async (_, typed, one) => {
      const { expand, folder: root } = openMounted(client.format, fileOf(client, one), client.version);
      const appended = client.format === 'opencode' ? typed : `ARGUMENTS: ${typed}`;
      const complete = one.loses ? `${one.received}\n\n${appended}` : one.received;
      // Codex sends the path of a skill in a tag of its own.
      const base =
        client.format === 'codex-skills' ? `Base directory for this skill: ${join(root, 'x')}\n\n` : '';
      expect(await expand('x', typed)).toBe(base + (one.ours ?? complete));
    },
  );
});

it.each(Object.entries(Object.groupBy(clients, ({ format }) => format)))(
  'at least 95 of 100 cases of %s are equal, and the page explains every exception',
  (_, same) => {
    const cases = same!.flatMap((client) => client.cases).filter(({ loses }) => !loses);
    const exceptions = cases.filter(({ exception }) => exception !== undefined);
    expect(exceptions.length / cases.length).toBeLessThanOrEqual(0.05);
    expect(cases.filter(({ ours, exception }) => ours !== undefined && exception === undefined)).toEqual([]);
    const page = readFileSync(join('docs', 'guides', 'use-prompts-from-other-clients.md'), 'utf8').replaceAll(
      /[`\s]+/g,
      ' ',
    );
    for (const { exception } of exceptions) expect(page).toContain(exception);
  },
);

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

it('reads the Markdown commands of Qwen Code', async () => {
  const files = { 'git/c.md': '---\ndescription: d\n---\nCommit {{args}} for $1' };
  expect(await openMounted('qwen', files).expand('git:c', 'now')).toBe('Commit now for $1');
});

it('names an opencode command by its path', async () => {
  expect(await openMounted('opencode', { 'git/c.md': 'Commit' }).expand('git/c', '')).toBe('Commit');
});

it('appends the typed text to a VS Code prompt without inputs', async () => {
  expect(await openMounted('vscode', { 'x.prompt.md': 'Body' }).expand('x', 'x y')).toBe('Body\n\nx y');
});
