import { basename, dirname, join } from 'node:path/posix';
import type { Problem } from '../../feature.ts';
import { lineOfField } from '../../front-matter.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { distinctNames, repeatedMessage } from '../definition/distinct-names.ts';
import { testName } from '../definition/prompt-fields.ts';
import type { TemplateSet } from '../definition/source.ts';
import { limitProblems } from '../files/limit-problems.ts';
import type { Format, TextFile } from '../formats/format.ts';
import { formatNamed, loadFormats } from '../formats/formats.ts';
import { type LintTarget, testProblem } from './finding.ts';
import { lintPrompt, sortAndMerge } from './lint.ts';
import { withoutSilenced, withRules } from './rules.ts';

export interface FileLint {
  /** Number of prompts found. */
  readonly prompts: number;
  readonly problems: readonly Problem[];
}

/** Checks files that need not be part of a library. If no format is given, it is detected for each file. */
export async function lintFiles(
  files: readonly TextFile[],
  format?: string,
  silenced: ReadonlySet<string> = new Set(),
): Promise<FileLint> {
  const problems: (readonly Problem[])[] = [];
  let prompts = 0;
  for (const [known, own] of await byFormat(files, format)) {
    const reading = await known.read(own);
    prompts += reading.prompts.length;
    const library = indexFiles(own);
    problems.push(reading.problems, repeated(known, reading.prompts, library));
    for (const definition of reading.prompts)
      problems.push(await lintPrompt(lintTarget(known, definition, library)), invalidTests(definition));
  }
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const found = await withRules(sortAndMerge(limitProblems(problems.flat())));
  return { prompts, problems: await withoutSilenced(found, silenced, async (file) => texts.get(file)) };
}

async function byFormat(
  files: readonly TextFile[],
  name: string | undefined,
): Promise<ReadonlyMap<Format, readonly TextFile[]>> {
  if (name !== undefined) return new Map([[await formatNamed(name), files]]);
  const formats = await loadFormats();
  const libraries = files.flatMap(({ path }) => {
    const format = formats.find(({ manifest }) => manifest === basename(path));
    return format === undefined ? [] : [{ format, folder: dirname(path) }];
  });
  const groups = new Map<Format, TextFile[]>();
  for (const file of files) {
    const library = libraries.find(({ folder }) => folder === '.' || file.path.startsWith(`${folder}/`));
    const format = library?.format ?? formats.find((one) => one.detects?.(file));
    if (format === undefined) continue;
    groups.set(format, groups.get(format) ?? []);
    groups.get(format)!.push(file);
  }
  return groups;
}

/** Tests with a mistake. The tests of files outside a library do not run. */
function invalidTests(definition: PromptDefinition): readonly Problem[] {
  return (definition.tests ?? []).flatMap((test, index) =>
    test.invalid === undefined ? [] : [testProblem(definition, testName(test, index), test.invalid)],
  );
}

/** Reports prompts with the same name, because only one of them can be served. */
function repeated(
  { namedByPath }: Format,
  definitions: readonly PromptDefinition[],
  { byPath }: FileIndex,
): readonly Problem[] {
  return distinctNames(definitions).repeated.map(([prompt, first]) => {
    const { name, file, line } = prompt;
    const text = byPath.get(file)?.text ?? '';
    const ofName = /^\uFEFF?---/.test(text) ? lineOfField(text, 'name') : line;
    return {
      ...{ file, line: namedByPath ? 1 : ofName, severity: 'warning', prompts: [name] },
      message: repeatedMessage(prompt, first),
    };
  });
}

/** Finds files without a search through all of them, because a library can have thousands. */
interface FileIndex {
  readonly byPath: ReadonlyMap<string, TextFile>;
  /** By folder and text. If several files are equal, the first one counts. */
  readonly byText: ReadonlyMap<string, TextFile>;
}

function indexFiles(files: readonly TextFile[]): FileIndex {
  const byPath = new Map<string, TextFile>();
  const byText = new Map<string, TextFile>();
  for (const file of files) {
    const key = textKey(dirname(file.path), file.text);
    if (!byPath.has(file.path)) byPath.set(file.path, file);
    if (!byText.has(key)) byText.set(key, file);
  }
  return { byPath, byText };
}

function textKey(folder: string, text: string): string {
  return `${folder}\0${text}`;
}

function lintTarget(format: Format, definition: PromptDefinition, files: FileIndex): LintTarget {
  if (format.manifest === undefined) return { definition, translated: !format.isOwn };
  return { definition, templates: () => compile(definition, files) };
}

async function compile(definition: PromptDefinition, { byPath, byText }: FileIndex): Promise<TemplateSet> {
  const { CompiledTemplates } = await import('../rendering/template-set.ts');
  const folder = dirname(definition.file);
  const messages = definition.messages.map(({ content }, index) => {
    const text = content.type === 'text' ? content.text : '';
    // If a message has its own file, its template has the name of that file.
    const file = byText.get(textKey(folder, text));
    return [
      index === 0 ? basename(definition.file) : basename(file?.path ?? `${index + 1}.md`),
      text,
    ] as const;
  });
  const set = await CompiledTemplates.compile(messages, {
    load: async (name) => byPath.get(join(folder, name))?.text,
    names: () =>
      [...byPath.keys()].flatMap((path) =>
        path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : [],
      ),
  });
  set.close();
  return set;
}
