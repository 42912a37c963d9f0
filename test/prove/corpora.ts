// Serves collections of prompts in place, as `prompts add` would, and checks what each file became, lint, and round trips of fabric patterns.
// The argument is a folder with one folder for each collection.
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import type { PromptDefinition } from '../../src/prompts/definition/definition.ts';
import type { PromptSource } from '../../src/prompts/definition/source.ts';
import { loadFormats } from '../../src/prompts/formats/formats.ts';
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

row(['collection', 'format', 'commands', 'skills', 'agents', 'not served', 'files with a warning']);
row(Array<string>(7).fill('---'));
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
    const served = new Set(prompts.map(({ file }) => file));
    const skills = prompts.filter(({ folder }) => folder !== undefined);
    const agents = prompts.filter(({ tags }) => tags.includes('agent'));
    // A skill is a file SKILL.md and nothing else, an agent is in a folder of agents.
    for (const { file } of skills) if (basename(file) !== 'SKILL.md') fail(`${file} is served as a skill`);
    for (const { file } of agents) if (!file.includes('/agents/')) fail(`${file} is served as an agent`);
    for (const { file } of prompts)
      if (/^(?:readme|license|changelog)\.md$/i.test(basename(file))) fail(`${file} is served as a prompt`);
    const markdown = globSync('**/*.md', { cwd: path }).filter((file) => !served.has(join(path, file)));
    const lost = markdown.filter((file) => basename(file) === 'SKILL.md' && format !== 'claude-code');
    const texts = [...served].map((file) => ({
      path: relative(path, file),
      text: readFileSync(file, 'utf8'),
    }));
    const { problems } = await lintFiles(texts, format);
    const found = new Set(problems.filter(({ severity }) => severity !== 'note').map(({ file }) => file));
    [files, warned] = [files + texts.length, warned + found.size];
    row([
      ...[name, title, prompts.length - skills.length - agents.length, skills.length, agents.length],
      `${markdown.length} Markdown files${lost.length > 0 ? `, of which ${lost.length} skills: ${lost.slice(0, 5).join(', ')}` : ''}`,
      `${found.size} of ${texts.length}`,
    ]);
    if (format === 'fabric') patterns.push(...prompts);
    source.close();
  }
}
console.log(
  `\n${warned} of ${files} files have a warning or an error (${((100 * warned) / files).toFixed(1)} %).\n`,
);
if (warned > files * maxWarnings) fail('more than 5 % of the files have a warning');

const nowhere = {} as PromptSource;
async function render(definition: PromptDefinition, source = nowhere): Promise<string> {
  const given = argumentsFrom(definition, input, {});
  const { messages } = await renderPrompt(definition, given, source);
  return flatten(messages) + (takesInput(definition, {}) ? '' : `\n\n${input}`);
}

/** Clients divide a text among several arguments in their own ways. */
const fillable: PromptDefinition[] = [];
for (const definition of patterns) if (definition.arguments.length <= 1) fillable.push(definition);
console.log(`${fillable.length} of ${patterns.length} fabric patterns take one text:\n`);
row(['fabric to', 'same text', 'reported', 'different']);
row(Array<string>(4).fill('---'));
for (const format of await loadFormats()) {
  let [same, reported] = [0, 0];
  const different: string[] = [];
  for (const definition of fillable) {
    const written = await format.write([definition]);
    if (written.files.length === 0) {
      reported++;
      continue;
    }
    const folder = mkdtempSync(join(tmpdir(), 'adjutant-corpora-'));
    let back: string;
    if (format.manifest === undefined) {
      const [read] = (await format.read(written.files)).prompts;
      back = read === undefined ? '' : await render(read);
    } else {
      const tree = Object.fromEntries(written.files.map(({ path, text }) => [join('library', path), text]));
      write(folder, tree);
      const source = new TwigSource({
        name: 'back',
        folder: existsSync(join(folder, 'library', 'twig.toml')) ? folder : join(folder, 'library'),
      });
      const [first] = await source.list();
      const read = first && (await source.get(first.name));
      back = read === undefined ? '' : await render(read, source);
      source.close();
    }
    rmSync(folder, { recursive: true, force: true });
    const isSame = back.trim() === (await render(definition)).trim();
    if (isSame) same++;
    else if (written.problems.length > 0) reported++;
    else different.push(definition.name);
  }
  row([format.name, same, reported, different.length]);
  if (different.length > 0) fail(`${format.name}: ${different.slice(0, 5).join(', ')}`);
}
