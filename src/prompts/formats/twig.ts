import { basename, dirname, join } from 'node:path/posix';
import type { Problem } from '../../feature.ts';
import type {
  ArgumentDefinition,
  MessageDefinition,
  PromptDefinition,
  Reading,
} from '../definition/definition.ts';
import { problemOf } from '../files/file-cache.ts';
import { normalizeLibraryName } from '../sources/twig-library.ts';
import { type ManifestPrompt, parseManifest } from '../sources/twig-manifest.ts';
import { escapeJinja } from '../template/lexer.ts';
import { scanTemplate } from '../template/scanner.ts';
import { tomlKey, tomlText } from './file-syntax.ts';
import { type Format, NotExpressible, pathForName, type TextFile, writeEach } from './format.ts';
import { printSegments, toSegments } from './segments.ts';

/** A twig library, or a folder of libraries. */
export const twig: Format = {
  name: 'twig',
  title: 'twig libraries',
  endings: ['.toml', '.md', '.txt', '.j2', '.jinja', '.jinja2'],
  documentation: ['`twig.toml` and `prompts/*.md`', 'Jinja', ''],
  namedByPath: false,
  isOwn: true,
  manifest: 'twig.toml',
  accepts: (path) => /(^|\/)twig\.toml$|(^|\/)prompts\/.+\.(md|txt|j2|jinja2?)$/.test(path),
  async read(files) {
    const texts = new Map(files.map(({ path, text }) => [path, text]));
    const readings = await Promise.all(
      files
        .filter(({ path }) => basename(path) === 'twig.toml')
        .map((manifest) => readLibrary(manifest, texts)),
    );
    return {
      prompts: readings.flatMap(({ prompts }) => prompts),
      problems: readings.flatMap(({ problems }) => problems),
    };
  },
  async write(definitions) {
    const tables: string[] = [];
    const extra: TextFile[] = [];
    const library = commonLibrary(definitions);
    const { files, problems } = await writeEach(definitions, async (definition, warn) => {
      const shortName = library === undefined ? definition.name : definition.name.slice(library.length + 1);
      const path = pathForName(shortName, '.md', warn);
      const [text = '', ...others] = toTemplates(definition);
      const name = path.slice(0, -'.md'.length);
      extra.push(...others.map((other, index) => ({ path: `prompts/${name}.${index + 2}.md`, text: other })));
      tables.push(printTable(name, definition));
      return { path: `prompts/${path}`, text };
    });
    const manifest = { path: 'twig.toml', text: tables.join('\n') };
    return { files: files.length === 0 ? [] : [manifest, ...files, ...extra], problems };
  },
};

async function readLibrary(manifest: TextFile, texts: ReadonlyMap<string, string>): Promise<Reading> {
  const folder = dirname(manifest.path);
  const library = folder === '.' ? undefined : normalizeLibraryName(basename(folder));
  const problems: Problem[] = [];
  try {
    const parsed = await parseManifest(manifest.text, manifest.path);
    const qualifiedName = (prompt: string) => (library === undefined ? prompt : `${library}:${prompt}`);
    for (const { prompts: affected = [], ...problem } of parsed.problems)
      problems.push({ ...problem, prompts: affected.map(qualifiedName) });
    const prompts = parsed.prompts.flatMap((prompt): PromptDefinition[] => {
      const messages = loadMessages(prompt, folder, texts, problems);
      if (messages === undefined) return [];
      const { messages: _, ...described } = prompt;
      const name = qualifiedName(prompt.name);
      return [{ ...described, name, messages, file: join(folder, 'prompts', `${prompt.name}.md`), line: 1 }];
    });
    return { prompts, problems };
  } catch (error) {
    return { prompts: [], problems: [...problems, problemOf(manifest.path, error)] };
  }
}

function loadMessages(
  prompt: ManifestPrompt,
  folder: string,
  texts: ReadonlyMap<string, string>,
  problems: Problem[],
): readonly MessageDefinition[] | undefined {
  const messages = prompt.messages.map((message): MessageDefinition | undefined => {
    if (message.kind === 'text') return { role: message.role, content: { type: 'text', text: message.text } };
    const path = join(folder, message.kind === 'file' ? 'prompts' : '', message.path);
    const text = message.kind === 'file' ? texts.get(path) : undefined;
    if (text !== undefined) return { role: message.role, content: { type: 'text', text } };
    problems.push({ file: path, severity: 'error', message: 'Prompt content file not found' });
    return undefined;
  });
  return messages.some((message) => message === undefined) ? undefined : (messages as MessageDefinition[]);
}

/** Returns the library that contains all prompts, if there is exactly one. */
function commonLibrary([first, ...rest]: readonly PromptDefinition[]): string | undefined {
  const [library, name] = first?.name.split(':') ?? [];
  if (!library || name === undefined || rest.some((other) => other.name.split(':')[0] !== library))
    return undefined;
  return library;
}

function toTemplates(definition: PromptDefinition): readonly string[] {
  return definition.messages.map(({ content }) => {
    if (content.type !== 'text') throw new NotExpressible('it has content other than text');
    return toJinja(definition, content.text);
  });
}

function toJinja(definition: PromptDefinition, text: string): string {
  if (definition.template === 'jinja') {
    if (scanTemplate(text).references.length > 0) throw new NotExpressible('it includes other templates');
    return text;
  }
  const segments = toSegments(definition, text);
  const template = printSegments(
    segments.map((segment) => (typeof segment === 'string' ? escapeJinja(segment) : segment)),
    (argument) => {
      if (!/^[\p{ID_Start}_]\p{ID_Continue}*$/u.test(argument))
        throw new NotExpressible(`the argument ${argument} is not a valid name in Jinja`);
      return `{{ ${argument} }}`;
    },
  );
  // Rendering drops one trailing line break.
  return `${template}\n`;
}

function printTable(
  name: string,
  { title, description, tags, messages, arguments: declared }: PromptDefinition,
): string {
  const key = `prompts.${tomlKey(name)}`;
  return [
    `[${key}]`,
    ...(title === undefined ? [] : [`title = ${tomlText(title)}`]),
    `description = ${tomlText(description ?? '')}`,
    ...(tags.length === 0 ? [] : [`tags = ${printList(tags)}`]),
    '',
    ...declared.flatMap((argument) => [`[[${key}.arguments]]`, ...printArgument(argument), '']),
    ...(messages.length === 1 && messages[0]!.role === 'user'
      ? []
      : messages.flatMap(({ role }, index) => [
          `[[${key}.messages]]`,
          `role = "${role}"`,
          `file = ${tomlText(index === 0 ? `${name}.md` : `${name}.${index + 1}.md`)}`,
          '',
        ])),
  ].join('\n');
}

function printArgument({
  name,
  description,
  required,
  default: defaultValue,
  values,
}: ArgumentDefinition): string[] {
  return [
    `name = ${tomlText(name)}`,
    ...(description === undefined ? [] : [`description = ${tomlText(description)}`]),
    ...(required ? ['required = true'] : []),
    ...(defaultValue === undefined || defaultValue === '' ? [] : [`default = ${tomlText(defaultValue)}`]),
    ...(values === undefined ? [] : [`values = ${printList(values)}`]),
  ];
}

function printList(values: readonly string[]): string {
  return `[${values.map(tomlText).join(', ')}]`;
}
