import type { Problem } from '../../feature.ts';
import type { PromptDefinition, Reading } from '../definition/definition.ts';
import { problemOf } from '../files/file-cache.ts';
import type { FormatName } from './format-names.ts';

/** A text file in a folder of prompts. */
export interface TextFile {
  /** Relative to the folder, with `/` as the separator. */
  readonly path: string;
  readonly text: string;
}

/** Exported files, with a problem for everything the format could not express. */
export interface Writing {
  readonly files: readonly TextFile[];
  readonly problems: readonly Problem[];
}

/** A file format for prompts. Anything that cannot be converted is reported, never guessed. */
export interface Format {
  readonly name: FormatName;
  /** Display name. */
  readonly title: string;
  /** The usual folder of its files. */
  readonly folder: string;
  /** True if a prompt's name depends only on the path of its file. */
  readonly namedByPath: boolean;
  /** True if the file at this path contains prompts. */
  accepts(path: string): boolean;
  /** Never throws: invalid files are reported in `problems`. */
  read(files: readonly TextFile[]): Promise<Reading>;
  write(definitions: readonly PromptDefinition[]): Promise<Writing>;
}

/** Thrown when a format cannot express a prompt; the message gives the reason. */
export class NotExpressible extends Error {}

/** Parts of a definition that not every format can store. */
export type Part = 'title' | 'description' | 'tags' | 'argument descriptions' | 'defaults' | 'values';

/** Creates a format that stores each prompt in its own file. */
export function filePerPrompt(format: {
  readonly name: FormatName;
  readonly title: string;
  readonly folder: string;
  readonly namedByPath: boolean;
  readonly stores: readonly Part[];
  accepts(path: string): boolean;
  /** Throws FileProblem. */
  parse(file: TextFile, report: Report): Promise<PromptDefinition>;
  /** Throws NotExpressible. */
  print(definition: PromptDefinition, warn: (message: string) => void): Promise<TextFile>;
}): Format {
  const { parse, print, stores, ...described } = format;
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
        const lost = usedParts(definition).filter((part) => !stores.includes(part));
        if (lost.length > 0) warn(`not exported: ${lost.join(', ')}`);
        return printed;
      }),
  };
}

function usedParts({
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
    // The default of a positional argument is its own placeholder.
    defaults: typed === undefined && declared.some((one) => one.default !== undefined && one.default !== ''),
    values: declared.some((one) => one.values !== undefined),
  };
  return (Object.keys(parts) as Part[]).filter((part) => parts[part]);
}

/** Reports something in a file that cannot be converted. */
export type Report = (message: string, line?: number, column?: number) => void;

/** Prints each definition. One that cannot be printed does not stop the others. */
export async function writeEach(
  definitions: readonly PromptDefinition[],
  print: (definition: PromptDefinition, warn: (message: string) => void) => Promise<TextFile>,
): Promise<Writing> {
  const files = new Map<string, TextFile>();
  const problems: Problem[] = [];
  for (const definition of definitions) {
    const { name, file, line } = definition;
    const warnings: string[] = [];
    const report = (severity: Problem['severity'], message: string) =>
      problems.push({ file, line, severity, message: `${name}: ${message}` });
    try {
      const printed = await print(definition, (message) => warnings.push(message));
      const key = printed.path.toLowerCase();
      if (files.has(key)) throw new NotExpressible(`another prompt is already written to ${printed.path}`);
      files.set(key, printed);
      for (const message of warnings) report('warning', message);
    } catch (error) {
      if (!(error instanceof NotExpressible)) throw error;
      report('error', error.message);
    }
  }
  return { files: [...files.values()], problems };
}
