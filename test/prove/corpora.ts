// Serves collections of prompts in place, as `prompts add` would, and checks what each file became, lint, and round trips of fabric patterns.
// The argument is a folder with one folder for each collection.
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import type { PromptDefinition } from '../../src/prompts/definition/definition.ts';
import type { PromptSource } from '../../src/prompts/definition/source.ts';
import type { Format, TextFile, Writing } from '../../src/prompts/formats/format.ts';
import { formatNamed, loadFormats } from '../../src/prompts/formats/formats.ts';
import { lintFiles } from '../../src/prompts/lint/lint-files.ts';
import { MountSource } from '../../src/prompts/mounts/mount.ts';
import { sourcesInFolder } from '../../src/prompts/mounts/new-source.ts';
import { argumentsFrom, takesInput } from '../../src/prompts/rendering/arguments.ts';
import { flatten, renderPrompt } from '../../src/prompts/rendering/rendering.ts';
import { TwigSource } from '../../src/prompts/sources/twig.ts';
import { write } from '../tree.ts';

const [root] = process.argv.slice(2);
if (root === undefined || !existsSync(root)) {
  console.error('npm run prove -- corpora FOLDER, with one folder for each collection');
  process.exit(2);
}
const maxWarnings = 0.05;
const input = 'the "big" harbour; $1 {a,b}\nand its tide';
const row = (cells: readonly unknown[]) => console.log(`| ${cells.join(' | ')} |`);
const fail = (problem: string) => {
  console.error(problem);
  process.exitCode = 1;
};

/** A file that its repository has for readers only. */
const document = /^(?:readme|license|changelog|contributing)\.md$/i;

/** What a file is by its place in its repository, whatever its text is. */
function kindOf(format: string, path: string): string | undefined {
  const parts = path.split('/');
  const name = parts.pop()!;
  if (format === 'fabric') return name === 'system.md' ? 'command' : undefined;
  if (format === 'gemini') return name.endsWith('.toml') ? 'command' : undefined;
  if (format === 'claude-code') return name.endsWith('.md') && name !== 'SKILL.md' ? 'command' : undefined;
  if (format === 'claude-skills') return name === 'SKILL.md' && parts.length <= 1 ? 'skill' : undefined;
  // A folder of skills, commands or agents of a plugin. What is deeper belongs to it.
  const folder = parts.find((part) => ['skills', 'commands', 'agents'].includes(part));
  if (folder === 'skills') return name === 'SKILL.md' ? 'skill' : undefined;
  if (folder === undefined || !name.endsWith('.md') || document.test(name)) return undefined;
  return folder.slice(0, -1);
}

row([
  'collection',
  'format',
  'commands',
  'skills',
  'agents',
  'other files',
  'errors',
  'files with a warning',
]);
row(Array<string>(8).fill('---'));
let [files, warned] = [0, 0];
const patterns: PromptDefinition[] = [];
for (const name of readdirSync(root, { withFileTypes: true })
  .filter((one) => one.isDirectory())
  .map((one) => one.name)
  .sort()) {
  for (const { entry, title } of await sourcesInFolder(join(root, name), {}, [])) {
    const { path, format } = entry as { path: string; format: string };
    const source = new MountSource({ format, path });
    const prompts = await source.list();
    const served = new Map(
      prompts.map(({ file, folder, tags }) => [
        file,
        folder === undefined ? (tags.includes('agent') ? 'agent' : 'command') : 'skill',
      ]),
    );
    const reported = new Set((await source.problems()).map(({ file }) => file));
    const counts = { command: 0, skill: 0, agent: 0, other: 0, error: 0 };
    for (const file of globSync('**/*', { cwd: path, withFileTypes: true })) {
      const whole = join(file.parentPath, file.name);
      const inside = relative(path, whole).replaceAll(sep, '/');
      if (!file.isFile() || /(?:^|\/)\./.test(inside)) continue;
      const [expected, found] = [kindOf(format, inside), served.get(whole)];
      if (found === undefined && expected !== undefined && reported.has(whole)) counts.error++;
      else if (found !== expected)
        fail(`${whole} is ${found ?? 'not served'}, and by its place it is ${expected ?? 'no prompt'}`);
      else counts[(found ?? 'other') as keyof typeof counts]++;
    }
    const texts = [...served.keys()].map((file) => ({
      path: relative(path, file),
      text: readFileSync(file, 'utf8'),
    }));
    const { problems } = await lintFiles(texts, format);
    const found = new Set(problems.filter(({ severity }) => severity !== 'note').map(({ file }) => file));
    [files, warned] = [files + texts.length, warned + found.size];
    row([name, title, ...Object.values(counts), `${found.size} of ${texts.length}`]);
    if (format === 'fabric') patterns.push(...prompts);
    source.close();
  }
}
console.log(
  `\n${warned} of ${files} files have a warning or an error (${((100 * warned) / files).toFixed(1)} %).\n`,
);
if (warned > files * maxWarnings) fail('more than 5 % of the files have a warning');

const nowhere = {} as PromptSource;

/** A prompt with one argument gets the text as a person types it, one with several gets a value for each. */
async function render(definition: PromptDefinition, source = nowhere): Promise<string> {
  const { arguments: declared } = definition;
  const named =
    declared.length <= 1
      ? {}
      : Object.fromEntries(declared.map(({ name }, index) => [name, `${input} ${index}`]));
  const given = declared.length <= 1 ? argumentsFrom(definition, input, {}) : named;
  const { messages } = await renderPrompt(definition, given, source);
  const rest = declared.length > 1 || takesInput(definition, {}) ? '' : `\n\n${input}`;
  return (flatten(messages) + rest).trim();
}

/** What reads the files back, and its text. */
async function readBack(format: Format, written: readonly TextFile[]) {
  if (format.manifest === undefined) {
    const [prompt] = (await format.read(written)).prompts;
    return prompt && { prompt, text: await render(prompt) };
  }
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-corpora-'));
  const tree = Object.fromEntries(written.map(({ path, text }) => [join('library', path), text]));
  write(folder, tree);
  const isFolder = existsSync(join(folder, 'library', 'twig.toml'));
  const source = new TwigSource({ name: 'back', folder: isFolder ? folder : join(folder, 'library') });
  try {
    const [first] = await source.list();
    const prompt = first && (await source.get(first.name));
    return prompt && { prompt, text: await render(prompt, source) };
  } finally {
    source.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

class Outcomes {
  same = 0;
  reported = 0;
  readonly different: string[] = [];

  add(name: string, expected: string, found: string | undefined, { problems }: Writing): void {
    if (found === expected) this.same++;
    else if (problems.length > 0) this.reported++;
    else this.different.push(name);
  }

  get cells(): readonly number[] {
    return [this.same, this.reported, this.different.length];
  }
}

const several = patterns.filter(({ arguments: declared }) => declared.length > 1).length;
console.log(`${patterns.length} fabric patterns, of which ${several} take several values:\n`);
row(['fabric to', 'same text', 'reported', 'different', 'and back: same text', 'reported', 'different']);
row(Array<string>(7).fill('---'));
const fabric = await formatNamed('fabric');
for (const format of await loadFormats()) {
  const [there, back] = [new Outcomes(), new Outcomes()];
  for (const definition of patterns) {
    const expected = await render(definition);
    const written = await format.write([definition]);
    const read = await readBack(format, written.files);
    there.add(definition.name, expected, read?.text, written);
    if (read === undefined) continue;
    // The way back starts from what the format made of the pattern.
    const again = await fabric.write([read.prompt]);
    back.add(definition.name, read.text, (await readBack(fabric, again.files))?.text, again);
  }
  row([format.name, ...there.cells, ...back.cells]);
  for (const [way, { different }] of Object.entries({ there, back }))
    if (different.length > 0) fail(`${format.name}, ${way}: ${different.slice(0, 5).join(', ')}`);
}
