import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recognizePrompts } from './recognize.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'adjutant-recognize-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const command = '---\nargument-hint: [file]\n---\nReview $ARGUMENTS';
const skill = '---\nname: a\ndescription: b\n---\nText';

it.each<[layout: string, files: Readonly<Record<string, string>>, found: readonly string[]]>([
  [
    'a plugin',
    { '.claude-plugin/plugin.json': '{}', 'commands/a.md': 'A', 'README.md': '#' },
    ['claude-plugins '],
  ],
  ['skills and agents', { 'skills/a/SKILL.md': skill, 'agents/b.agent.md': skill }, ['claude-plugins ']],
  [
    'a project with the folders of two clients',
    { '.claude/commands/git/a.md': command, '.gemini/commands/b.toml': 'prompt = "B"', 'docs/x.md': '# X' },
    ['claude-code .claude/commands', 'gemini .gemini/commands'],
  ],
  [
    'the folder .claude with commands and skills',
    { '.claude/commands/a.md': command, '.claude/skills/b/SKILL.md': skill },
    ['claude-plugins .claude'],
  ],
  [
    'patterns of fabric',
    { 'data/patterns/a/system.md': '# A', 'data/patterns/b/system.md': '# B', 'README.md': '#' },
    ['fabric data/patterns'],
  ],
  [
    'an extension of Gemini CLI',
    { 'gemini-extension.json': '{}', 'commands/x/a.toml': 'prompt = "A"', 'policies/p.toml': 'a = 1' },
    ['gemini commands'],
  ],
  [
    'commands in folders with a README above them',
    {
      'README.md': '# Commands',
      'tools/a.md': command,
      'flows/b.md': command,
      'docs/how.md': '# How',
      'docs/why.md': '# Why',
    },
    ['claude-code flows', 'claude-code tools'],
  ],
  [
    'skills in folders of different depths',
    { 'skills/a/SKILL.md': skill, 'skills/more/b/SKILL.md': skill, 'skills/more/c/SKILL.md': skill },
    ['claude-skills skills', 'claude-skills skills/more'],
  ],
  [
    'files of a format that is read at every depth',
    { 'a.prompt': 'A', 'deep/b.prompt': 'B' },
    ['dotprompt '],
  ],
  ['Markdown with front matter', { 'a.md': '---\ntitle: A\n---\nDo {{what}}.' }, ['commands ']],
  ['Markdown with $ARGUMENTS', { 'a.md': command, 'sub/b.md': command }, ['claude-code ']],
  ['a library', { 'x/twig.toml': '', 'x/prompts/a.md': 'A' }, ['libraries ']],
  ['code', { 'src/a.ts': '', 'Cargo.toml': '[package]' }, []],
])('recognizes %s', async (_, files, found) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const recognized = await recognizePrompts(root);
  expect(recognized.map(({ format, path }) => `${format} ${path}`).sort()).toEqual([...found].sort());
});
