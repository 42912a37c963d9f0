import type { Dirent } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { Failure } from '../../failure.ts';
import type { Problem } from '../../feature.ts';
import { FileProblem, parseFrontMatter } from '../../front-matter.ts';
import { messageOf } from '../../json.ts';
import { Pace } from '../../pace.ts';
import type { MessageDefinition, PromptDefinition } from '../definition/definition.ts';
import {
  FieldProblem,
  misspelledFields,
  parseArguments,
  parseTags,
  parseTemplateKind,
  parseTests,
  parseText,
  withLine,
} from '../definition/prompt-fields.ts';
import type { PromptSource } from '../definition/source.ts';
import { type CachedFile, decodeText, FileCache } from '../files/file-cache.ts';
import { FolderCache, walkFolder } from '../files/folder-walk.ts';
import type { Composition } from '../rendering/composition.ts';
import { inputPlaceholder } from '../rendering/rendering.ts';
import { promptNames, withPromptReferences } from '../template/references.ts';
import { type FolderReading, FolderSource, type WatchOptions } from './folder-source.ts';

export interface CommandsOptions extends WatchOptions {
  readonly folder: string;
  /** Ignores all fields except the description, and treats every body as text with the placeholder `{{input}}`. */
  readonly plain?: boolean;
  /** Lets Jinja commands use prompts of other sources. */
  readonly composition?: () => Promise<Composition>;
}

type Command = CachedFile<PromptDefinition>;

/** A folder of `<command>.md` files. */
export class CommandSource extends FolderSource {
  readonly name = 'commands';
  readonly format = 'commands';
  readonly #folder: string;
  /** The folder with a separator at its end. */
  readonly #prefix: string;
  readonly #folders = new FolderCache();
  readonly #files: FileCache<PromptDefinition>;
  readonly templates?: NonNullable<PromptSource['templates']>;

  constructor({ folder, plain = false, composition, ...watching }: CommandsOptions) {
    super(watching);
    this.#folder = folder;
    this.#prefix = join(folder, sep);
    this.#files = new FileCache({
      parse: async (bytes, path) => {
        const command = await parseCommand(decodeText(bytes), path, plain);
        return composition ? withUses(command) : command;
      },
    });
    if (composition !== undefined)
      this.templates = async (definition) => {
        const { templatesOf } = await import('../rendering/jinja-rendering.ts');
        return templatesOf(definition, await composition());
      };
  }

  protected async read(): Promise<FolderReading> {
    const prompts = new Map<string, PromptDefinition>();
    const problems: Problem[] = [];
    const pace = new Pace();
    const walk = { root: this.#folder, accepts: isCommandFile, list: () => this.#entries(), maxDepth: 0 };
    const { files } = walkFolder(walk, problems);
    for (const path of files) {
      const { value, problem } = this.#files.unchanged(path) ?? (await this.#files.loadListed(path)) ?? {};
      if (problem !== undefined) problems.push(problem);
      if (value !== undefined && prompts.has(value.name)) {
        const message = `the name ${value.name} is already used by ${basename(prompts.get(value.name)!.file)}`;
        problems.push({ file: path, severity: 'warning', message, prompts: [value.name] });
      } else if (value !== undefined) prompts.set(value.name, value);
      const pause = pace.pause;
      if (pause !== undefined) await pause;
    }
    this.#files.keepOnly(new Set(files));
    return { prompts: [...prompts.values()], problems, folders: [this.#folder] };
  }

  async get(name: string): Promise<PromptDefinition | undefined> {
    if (isOutside(name)) return undefined;
    const file = await this.#files.load(`${this.#prefix}${name}.md`);
    return definitionOf(file ?? (await this.#loadAnyCase(name)));
  }

  known(name: string): PromptDefinition | 'none' | undefined {
    return isOutside(name) ? 'none' : this.#files.unchanged(`${this.#prefix}${name}.md`)?.value;
  }

  /** Finds a file whose extension is not in lower case. */
  async #loadAnyCase(name: string): Promise<Command | undefined> {
    const entry = this.#entries().find(
      (candidate) => isCommandFile(candidate.name) && stem(candidate.name) === name,
    );
    return entry === undefined ? undefined : this.#files.load(join(this.#folder, entry.name));
  }

  #entries(): readonly Dirent[] {
    try {
      return this.#folders.entries(this.#folder) ?? [];
    } catch (error) {
      throw new Failure('unavailable', `Could not read the commands folder: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }
}

function withUses(command: PromptDefinition): PromptDefinition {
  const [{ content }] = command.messages as readonly [MessageDefinition];
  if (command.template !== 'jinja' || content.type !== 'text') return command;
  const uses = [...new Set(promptNames(withPromptReferences(content.text)))];
  return uses.length === 0 ? command : { ...command, uses };
}

/** Throws if the file was never valid. */
function definitionOf(file: Command | undefined): PromptDefinition | undefined {
  if (file === undefined || file.value !== undefined) return file?.value;
  const { line, message, file: path } = file.problem!;
  throw new Failure(
    'content-missing',
    `${basename(path)}${line === undefined ? '' : `:${line}`}: ${message}`,
  );
}

/** Parses a command file. With `plain`, all fields except the description are ignored. */
export async function parseCommand(text: string, file: string, plain: boolean): Promise<PromptDefinition> {
  const { fields, body, bodyLine } = await parseFrontMatter(text);
  const name = stem(basename(file));
  if (body.trim() === '') throw new FileProblem(`prompt content is required for "${name}"`, bodyLine);
  const usedFields = plain ? { description: fields['description'] } : fields;
  try {
    const template = parseTemplateKind(usedFields['template'], 'input');
    const title = parseText(usedFields['title'], 'title');
    const trimmed = body.trim();
    const tests = parseTests(usedFields['tests']);
    return {
      name,
      ...(title !== undefined && { title }),
      description: parseText(usedFields['description'], 'description') ?? '',
      arguments: resolveArguments(parseArguments(usedFields['arguments']), template, trimmed),
      messages: [{ role: 'user', content: { type: 'text', text: trimmed } }],
      tags: parseTags(usedFields['tags']),
      template,
      ...(tests !== undefined && { tests }),
      ...(!plain && misspelledFields(fields, text)),
      file,
      line: bodyLine + body.slice(0, body.indexOf(trimmed)).split('\n').length - 1,
    };
  } catch (error) {
    throw error instanceof FieldProblem ? withLine(error, text) : error;
  }
}

/** A template of the kind `input` has a single argument, which is required if the body contains `{{input}}`. */
function resolveArguments(
  declared: PromptDefinition['arguments'],
  template: PromptDefinition['template'],
  body: string,
): PromptDefinition['arguments'] {
  if (template !== 'input') return declared;
  const input = declared.find(({ name }) => name === 'input');
  const [usual] = body.includes(inputPlaceholder) ? requiredInput : optionalInput;
  if (input !== undefined) return [{ ...usual!, ...input }];
  return usual === requiredInput[0] ? requiredInput : optionalInput;
}

const description = 'Text to inject into the prompt template';
/** One array for all prompts with this argument: a large library has many of them. */
const requiredInput: PromptDefinition['arguments'] = [{ name: 'input', description, required: true }];
const optionalInput: PromptDefinition['arguments'] = [{ name: 'input', description, required: false }];

/** True for names that would lead out of the folder. */
const isOutside = (name: string) => /[\\/\0]|^\./.test(name);
const isCommandFile = (name: string) => /\.md$/i.test(name);

function stem(file: string): string {
  return file.slice(0, -'.md'.length);
}
