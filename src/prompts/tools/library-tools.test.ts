import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createServer } from '../../app.ts';
import { loadConfig } from '../../config.ts';
import type { Server } from '../../engine/server.ts';
import type { JsonObject } from '../../json.ts';
import { connectMemory, type MemoryClient } from '../../transports/memory.ts';

let home: string;
let server: Server;
let client: MemoryClient;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-tools-'));
  const { config } = await loadConfig({
    argv: ['--home', home, '--toolsets', 'all'],
    env: { HOME: home },
    cwd: home,
  });
  server = createServer('standard', config);
  client = connectMemory(server);
});
afterEach(async () => {
  await server.close();
  rmSync(home, { recursive: true, force: true });
});

async function call(name: string, args: JsonObject): Promise<JsonObject> {
  const result = await client.request('tools/call', { name, arguments: args });
  return (result['isError'] ? { error: result['content'] } : result['structuredContent']) as JsonObject;
}

describe('import_prompts', () => {
  const review = { path: 'git/review.md', text: 'Review $ARGUMENTS' };

  it('creates user prompts with valid names', async () => {
    expect(await call('import_prompts', { format: 'claude-code', files: [review] })).toEqual({
      imported: [{ name: 'git_review', from: 'git/review.md', action: 'create' }],
      problems: [
        {
          file: 'git/review.md',
          line: 1,
          severity: 'warning',
          message: 'git:review: the name becomes git_review',
        },
      ],
    });
    const { messages } = await client.request('prompts/get', {
      name: 'git_review',
      arguments: { arguments: 'it' },
    });
    expect(messages).toMatchObject([{ content: { text: 'Review it' } }]);
  });

  it('reports what fits on a page, errors first, and how much was left out', async () => {
    const files = Array.from({ length: 200 }, (_, at) => ({ path: `git/p_${at}.md`, text: 'Hello' }));
    const twice = { path: 'git_p/199.md', text: 'Another one of the same name' };
    const all = { format: 'claude-code', files: [...files, twice] };
    const full = await call('import_prompts', { ...all, dry_run: true, full: true });
    expect(full).toMatchObject({ imported: { length: 200 }, problems: { length: 202 } });
    expect(full).not.toHaveProperty('omitted');
    const short = await call('import_prompts', all);
    expect(JSON.stringify(short).length).toBeLessThan(10_000);
    const { imported, problems, omitted } = short as Record<string, { length: number }> & {
      omitted: Record<string, number>;
    };
    expect(problems).toMatchObject([{ severity: 'error' }, ...Array(problems!.length - 1).fill({})]);
    expect(imported!.length + omitted['imported']!).toBe(200);
    expect(problems!.length + omitted['problems']!).toBe(202);
    const listed = await call('list_prompts', { source: 'user', limit: 1000 });
    expect(listed['prompts']).toHaveLength(200);
  });

  it('replaces a whole prompt only with `replace`, and keeps its history', async () => {
    await call('create_prompt', { name: 'x', title: 'X', text: 'old', tags: ['t'], description: 'd' });
    const files = [{ path: 'x.md', text: '---\ntitle: New\n---\nnew {{input}}' }];
    expect(await call('import_prompts', { format: 'commands', files })).toMatchObject({
      imported: [],
      problems: [{ severity: 'error', message: 'x: prompt already exists: x' }],
    });
    expect(await call('import_prompts', { format: 'commands', files, replace: true })).toMatchObject({
      imported: [{ name: 'x', action: 'update' }],
    });
    expect(await call('show_prompt', { name: 'x' })).toMatchObject({
      title: 'New',
      tags: [],
      template: 'new {{input}}',
    });
    const { revisions } = await call('prompt_history', { name: 'x' });
    expect(revisions).toHaveLength(2);
  });

  it('rejects names of built-in prompts and duplicate names', async () => {
    const files = ['code_review.md', 'a.b.md', 'a b.md'].map((path) => ({ path, text: 'x' }));
    expect(await call('import_prompts', { format: 'claude-code', files })).toMatchObject({
      imported: [{ name: 'a_b', from: 'a.b.md' }],
      problems: [
        { severity: 'error', message: 'code_review: prompt already exists: code_review' },
        { severity: 'warning' },
        { severity: 'warning' },
        { severity: 'error', message: 'a b: another prompt in the import is already named a_b' },
      ],
    });
  });

  it('reports in a dry run what would be imported and what would fail', async () => {
    await call('create_prompt', { name: 'mine', title: 'X', text: 'old' });
    const files = ['code_review.md', 'mine.md', 'new.md'].map((path) => ({ path, text: 'x' }));
    const all = { format: 'claude-code', files, dry_run: true };
    const nameExists = (name: string) => ({
      severity: 'error',
      message: `${name}: prompt already exists: ${name}`,
    });
    expect(await call('import_prompts', all)).toMatchObject({
      imported: [{ name: 'new', action: 'create' }],
      problems: [nameExists('code_review'), nameExists('mine')],
    });
    expect(await call('import_prompts', { ...all, replace: true })).toMatchObject({
      imported: [
        { name: 'mine', action: 'update' },
        { name: 'new', action: 'create' },
      ],
      problems: [nameExists('code_review')],
    });
    expect(await call('show_prompt', { name: 'new' })).toHaveProperty('error');
    expect((await call('prompt_history', { name: 'mine' }))['revisions']).toHaveLength(1);
  });

  it('turns unsafe paths into safe names', async () => {
    const files = [
      { path: '../../evil.md', text: 'x' },
      { path: '/etc/evil.md', text: 'x' },
      { path: 'C:\\evil.md', text: 'x' },
    ];
    const { imported } = await call('import_prompts', { format: 'claude-code', files });
    for (const { name } of imported as { name: string }[]) expect(name).toMatch(/^\w+$/);
  });

  it('reports templates that need Jinja', async () => {
    const files = [
      { path: 'twig.toml', text: '[prompts.p]\ndescription = "d"\n' },
      { path: 'prompts/p.md', text: '{% if true %}x{% endif %}' },
    ];
    expect(await call('import_prompts', { format: 'twig', files })).toMatchObject({
      imported: [],
      problems: [{ severity: 'error', message: 'p: it uses Jinja syntax that this format does not support' }],
    });
  });

  it('rejects an unknown format', async () => {
    const { error } = await call('import_prompts', { format: 'word', files: [] });
    expect(JSON.stringify(error)).toContain('Unknown format word; choose one of claude-code');
  });
});

describe('export_prompts', () => {
  it('returns the files of the selected prompts', async () => {
    await call('create_prompt', {
      name: 'a',
      title: 'A',
      text: 'A {{x}}',
      arguments: [{ name: 'x' }],
      tags: ['t'],
    });
    const { files } = await call('export_prompts', { format: 'vscode', tag: 't' });
    expect(files).toEqual([{ path: 'a.prompt.md', text: `---\ntitle: A\n---\nA \${input:x}\n` }]);
    expect(await call('export_prompts', { format: 'codex', source: 'user' })).toMatchObject({
      files: [{ path: 'a.md' }],
    });
    expect(await call('export_prompts', { format: 'codex', names: ['nope'] })).toHaveProperty('error');
  });
});

describe('lint_prompts', () => {
  it('checks the library, selected prompts or given files', async () => {
    await call('create_prompt', { name: 'a', title: 'A', text: 'A {{x}}', arguments: [] });
    expect(await call('lint_prompts', {})).toMatchObject({ prompts: 8, errors: 1, warnings: 0 });
    expect(await call('lint_prompts', { names: ['code_review'] })).toMatchObject({ prompts: 1, errors: 0 });
    expect(await call('lint_prompts', { files: [{ path: 'x.prompt', text: '{{#each x}}' }] })).toMatchObject({
      prompts: 0,
      errors: 1,
      problems: [{ file: 'x.prompt', line: 1, severity: 'error' }],
    });
  });

  it('is marked as read-only, unlike import_prompts', async () => {
    const { tools } = await client.request('tools/list');
    const hints = new Map(
      (tools as { name: string; annotations: object }[]).map((tool) => [tool.name, tool.annotations]),
    );
    expect(hints.get('lint_prompts')).toMatchObject({ readOnlyHint: true });
    expect(hints.get('export_prompts')).toMatchObject({ readOnlyHint: true });
    expect(hints.get('import_prompts')).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  });
});
