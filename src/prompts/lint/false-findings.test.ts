import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { lintFiles } from './lint-files.ts';
import { ruleNames } from './rules.ts';

interface Sample {
  readonly text: string;
  readonly formats: readonly string[];
  /** Rules that are right to report the text, by format. */
  readonly expected?: Readonly<Record<string, readonly string[]>>;
}

const samples = readFileSync('test/fixtures/lint/files.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Sample);

/** The files of a prompt with this text. */
function filesFor(format: string, text: string): Readonly<Record<string, string>> {
  const names = [...new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}(?![`<])/g)].map(([, name]) => name!))];
  switch (format) {
    case 'commands':
      return { 'x.md': `---\ndescription: Does it\n---\n${text}` };
    case 'claude-code':
      return {
        'x.md': `---\ndescription: Does it\nallowed-tools: Bash(git:*), Read\nmodel: opus\n---\n${text}`,
      };
    case 'opencode':
      return { 'x.md': `---\ndescription: Does it\nagent: build\n---\n${text}` };
    case 'vscode':
      return { 'x.prompt.md': `---\nmode: agent\ndescription: Does it\ntools: [search]\n---\n${text}` };
    case 'gemini':
    case 'qwen':
      return { 'x.toml': `description = "Does it"\nprompt = ${JSON.stringify(text)}\n` };
    case 'fabric':
      return { 'x/system.md': text };
    case 'jsonl':
      return {
        'x.jsonl': `${JSON.stringify({ name: 'x', title: 'X', arguments: names.map((name) => ({ name })), messages: [{ role: 'user', content: text }] })}\n`,
      };
    case 'twig':
      return {
        'twig.toml':
          '[prompts.x]\ndescription = "Does it"\narguments = [{ name = "code" }, { name = "language" }]\n',
        'prompts/x.md': text.includes('language') ? text : `${text}{{ language }}`,
      };
    default:
      return { 'x.md': text };
  }
}

it('lint reports fewer than 2 false findings per 100 files, and every mistake', async () => {
  let files = 0;
  const wrong: string[] = [];
  const missed: string[] = [];
  for (const { text, formats, expected = {} } of samples)
    for (const format of formats) {
      files++;
      const given = Object.entries(filesFor(format, text)).map(([path, content]) => ({
        path,
        text: content,
      }));
      const { prompts, problems } = await lintFiles(given, format);
      if (prompts !== 1) wrong.push(`${format}: not read: ${text.slice(0, 40)}`);
      const wanted = new Set(expected[format]);
      for (const { rule, message } of problems)
        if (!wanted.has(rule!)) wrong.push(`${format}: ${rule}: ${message} in ${text.slice(0, 60)}`);
      const found = new Set(problems.map(({ rule }) => rule));
      for (const rule of wanted)
        if (!found.has(rule)) missed.push(`${format}: ${rule} in ${text.slice(0, 60)}`);
    }
  expect(files).toBeGreaterThanOrEqual(200);
  expect(missed).toEqual([]);
  expect(wrong.length / files, wrong.join('\n')).toBeLessThan(0.02);
});

it('a rule is silenced in the file or in the settings', async () => {
  const rules = async (path: string, text: string, silenced: readonly string[] = []) =>
    (await lintFiles([{ path, text }], undefined, new Set(silenced))).problems.map(({ rule }) => rule);
  const command = (comment: string) => `---\ndescription: d\n${comment}---\nAsk {{topic}} \u200B now`;
  expect(await rules('x.md', command(''))).toEqual(['plain-placeholder', 'hidden-character']);
  expect(await rules('x.md', command('# adjutant-lint-ignore: plain-placeholder\n'))).toEqual([
    'hidden-character',
  ]);
  expect(
    await rules('x.md', command('# adjutant-lint-ignore: plain-placeholder, hidden-character\n')),
  ).toEqual([]);
  expect(await rules('x.md', command(''), ['plain-placeholder'])).toEqual(['hidden-character']);
  const record = (more: object) =>
    `${JSON.stringify({ name: 'x', title: 'X', messages: [{ role: 'user', content: '{{a}}' }], ...more })}\n`;
  expect(await rules('x.jsonl', record({}))).toEqual(['unknown-placeholder']);
  expect(await rules('x.jsonl', record({ lint_ignore: ['unknown-placeholder'] }))).toEqual([]);
});

it('docs/reference/lint.md lists every rule', () => {
  const page = readFileSync('docs/reference/lint.md', 'utf8');
  expect(ruleNames.filter((rule) => !page.includes(`\`${rule}\``))).toEqual([]);
});
