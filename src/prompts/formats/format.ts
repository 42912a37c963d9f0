import type { Problem } from '../../feature.ts';
import type { PromptDefinition, Reading } from '../definition/definition.ts';
import { problemOf } from '../files/file-cache.ts';
import type { FormatName } from './format-names.ts';

/** One text file of a folder of prompts. */
export interface TextFile {
  /** From the folder, with `/` between its parts. */
  readonly path: string;
  readonly text: string;
}

/** What a writer made of prompts: files, and what it could not express. */
export interface Writing {
  readonly files: readonly TextFile[];
  readonly problems: readonly Problem[];
}

/** A way to keep prompts in files. What has no counterpart on the other side is reported, never guessed. */
export interface Format {
  readonly name: FormatName;
  /** What people call it, and where its files usually lie. */
  readonly title: string;
  readonly folder: string;
  /** Whether the path of a file alone gives the name of its prompt. */
  readonly namedByPath: boolean;
  /** Whether a file of the folder holds prompts. */
  accepts(path: string): boolean;
  /** Throws nothing: a file that cannot be read is a problem of the reading. */
  read(files: readonly TextFile[]): Promise<Reading>;
  write(definitions: readonly PromptDefinition[]): Promise<Writing>;
}

/** What a definition needs for a format that cannot express it. */
export class NotExpressible extends Error {}

/** Parts of a definition that some formats have no place for. */
export type Part = 'title' | 'description' | 'tags' | 'argument descriptions' | 'defaults' | 'values';

/** A format that keeps each prompt in a file of its own. */
export function filePerPrompt(format: {
  readonly name: FormatName;
  readonly title: string;
  readonly folder: string;
  readonly namedByPath: boolean;
  readonly keeps: readonly Part[];
  accepts(path: string): boolean;
  /** Throws FileProblem. */
  parse(file: TextFile, report: Report): Promise<PromptDefinition>;
  /** Throws NotExpressible. */
  print(definition: PromptDefinition, warn: (message: string) => void): Promise<TextFile>;
}): Format {
  const { parse, print, keeps, ...described } = format;
  return {
    ...described,
    async read(files) {
      const prompts: PromptDefinition[] = [];
      const problems: Problem[] = [];
      for (const file of files.filter(({ path }) => format.accepts(path))) {
        try {
          prompts.push(
            await parse(file, (message, line, column) =>
              problems.push({
                file: file.path,
                ...(line !== undefined && { line }),
                ...(column !== undefined && { column }),
                severity: 'warning',
                message,
              }),
            ),
          );
        } catch (error) {
          problems.push(problemOf(file.path, error));
        }
      }
      return { prompts, problems };
    },
    write: (definitions) =>
      writeEach(definitions, async (definition, warn) => {
        const printed = await print(definition, warn);
        const lost = partsOf(definition).filter((part) => !keeps.includes(part));
        if (lost.length > 0) warn(`left out: ${lost.join(', ')}`);
        return printed;
      }),
  };
}

function partsOf({
  name,
  title,
  description,
  tags,
  typed,
  arguments: declared,
}: PromptDefinition): readonly Part[] {
  const parts: Readonly<Record<Part, boolean>> = {
    title: title !== undefined && title !== name,
    description: description !== undefined && description !== '',
    tags: tags.length > 0,
    'argument descriptions': declared.some((one) => one.description !== undefined && one.description !== ''),
    // The default of a position is the placeholder itself.
    defaults: typed === undefined && declared.some((one) => one.default !== undefined && one.default !== ''),
    values: declared.some((one) => one.values !== undefined),
  };
  return (Object.keys(parts) as Part[]).filter((part) => parts[part]);
}

/** Tells of something in a file that has no counterpart. */
export type Report = (message: string, line?: number, column?: number) => void;

/** Prints definitions one by one; one that cannot be printed does not stop the others. */
export async function writeEach(
  definitions: readonly PromptDefinition[],
  print: (definition: PromptDefinition, warn: (message: string) => void) => Promise<TextFile>,
): Promise<Writing> {
  const files = new Map<string, TextFile>();
  const problems: Problem[] = [];
  for (const definition of definitions) {
    const { name, file, line } = definition;
    const warnings: string[] = [];
    const tell = (severity: Problem['severity'], message: string) =>
      problems.push({ file, line, severity, message: `${name}: ${message}` });
    try {
      const printed = await print(definition, (message) => warnings.push(message));
      const key = printed.path.toLowerCase();
      if (files.has(key)) throw new NotExpressible(`another prompt is already in ${printed.path}`);
      files.set(key, printed);
      for (const message of warnings) tell('warning', message);
    } catch (error) {
      if (!(error instanceof NotExpressible)) throw error;
      tell('error', error.message);
    }
  }
  return { files: [...files.values()], problems };
}
