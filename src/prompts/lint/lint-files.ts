import { basename, dirname, join } from 'node:path/posix';
import type { Problem } from '../../feature.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { TemplateSet } from '../definition/source.ts';
import type { Format, TextFile } from '../formats/format.ts';
import { formatNamed } from '../formats/formats.ts';
import type { Subject } from './finding.ts';
import { inOrder, lintPrompt } from './lint.ts';

export interface FileLint {
  /** How many prompts were found. */
  readonly prompts: number;
  readonly problems: readonly Problem[];
}

const ours = new Set(['commands', 'jsonl', 'twig']);

/** Files that nobody serves yet. Without a format each is taken for what it looks like. */
export async function lintFiles(files: readonly TextFile[], format?: string): Promise<FileLint> {
  const problems: Problem[] = [];
  let prompts = 0;
  for (const [name, own] of byFormat(files, format)) {
    const known = formatNamed(name);
    const reading = await known.read(own);
    prompts += reading.prompts.length;
    problems.push(...reading.problems, ...repeated(reading.prompts));
    for (const definition of reading.prompts)
      problems.push(...(await lintPrompt(subjectOf(known, definition, own))));
  }
  return { prompts, problems: inOrder(problems) };
}

function byFormat(
  files: readonly TextFile[],
  format: string | undefined,
): ReadonlyMap<string, readonly TextFile[]> {
  if (format !== undefined) return new Map([[format, files]]);
  const libraries = files
    .filter(({ path }) => basename(path) === 'twig.toml')
    .map(({ path }) => dirname(path));
  const known = files.filter((file) => looksLike(file, libraries) !== undefined);
  return Map.groupBy(known, (file) => looksLike(file, libraries)!);
}

function looksLike({ path, text }: TextFile, libraries: readonly string[]): string | undefined {
  if (libraries.some((library) => library === '.' || path.startsWith(`${library}/`))) return 'twig';
  if (path.endsWith('.jsonl')) return 'jsonl';
  if (path.endsWith('.prompt.md')) return 'vscode';
  if (path.endsWith('.prompt')) return 'dotprompt';
  if (path.endsWith('.toml')) return 'gemini';
  if (basename(path) === 'SKILL.md') return 'claude-skills';
  if (basename(path) === 'system.md') return 'fabric';
  // Markdown without front matter is text for people.
  return path.endsWith('.md') && /^\uFEFF?---/.test(text) ? 'commands' : undefined;
}

/** Of two prompts with one name only one can be served. */
function repeated(definitions: readonly PromptDefinition[]): readonly Problem[] {
  const first = new Map<string, PromptDefinition>();
  return definitions.flatMap((definition): Problem[] => {
    const { name, file, line } = definition;
    const known = first.get(name);
    if (known === undefined) first.set(name, definition);
    return known === undefined
      ? []
      : [
          {
            ...{ file, line, severity: 'error', prompts: [name] },
            message: `the name ${name} is taken by ${known.file}`,
          },
        ];
  });
}

function subjectOf(format: Format, definition: PromptDefinition, files: readonly TextFile[]): Subject {
  if (format.name !== 'twig') return { definition, translated: !ours.has(format.name) };
  return { definition, templates: () => compile(definition, files) };
}

async function compile(definition: PromptDefinition, files: readonly TextFile[]): Promise<TemplateSet> {
  const { CompiledTemplates } = await import('../rendering/template-set.ts');
  const folder = dirname(definition.file);
  const messages = definition.messages.map(({ content }, index) => {
    const text = content.type === 'text' ? content.text : '';
    // A message that is a file of its own goes by that name.
    const file = files.find((one) => dirname(one.path) === folder && one.text === text);
    return [
      index === 0 ? basename(definition.file) : basename(file?.path ?? `${index + 1}.md`),
      text,
    ] as const;
  });
  const set = await CompiledTemplates.compile(messages, {
    load: async (name) => files.find(({ path }) => path === join(folder, name))?.text,
    names: () =>
      files.flatMap(({ path }) => (path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : [])),
  });
  set.jinja.close();
  return set;
}
