import type { Problem } from '../../feature.ts';
import { lineOfField } from '../../front-matter.ts';
import { present } from '../../json.ts';
import type { Places } from '../../setting.ts';
import { truncate } from '../../single-line.ts';
import type { PromptDefinition, Reading } from '../definition/definition.ts';
import { FieldProblem, withLine } from '../definition/prompt-fields.ts';
import { problemOf } from '../files/file-cache.ts';
import { CodeRanges } from '../template/code-ranges.ts';
import { Lines } from '../template/lexer.ts';

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

/** What a format says about itself. Settings, tools, the command line and the documentation are derived from it. */
interface FormatDescription {
  readonly name: string;
  /** Display name. */
  readonly title: string;
  /** The client's folders for these files, such as `.claude/commands`. A path that contains one is recognized. */
  readonly folders?: readonly string[];
  /** How the names of its files end. */
  readonly endings: readonly string[];
  /** Its row in the documentation: the files, the syntax of arguments, and syntax that stays plain text or is ignored. */
  readonly documentation: readonly [files: string, syntax: string, leftOut: string];
  /** True if a prompt's name depends only on the path of its file. */
  readonly namedByPath: boolean;
  /** True for Adjutant's own formats. In the others, braces that are left after reading are plain text. */
  readonly isOwn?: boolean;
  /** The file that makes its folder one library, which is read as a whole and cannot be mounted. */
  readonly manifest?: string;
  /** The rules for the last old version of the client and for all before it. */
  readonly older?: { readonly lastVersion: string; readonly format: Format };
  /** True if the file at this path is a skill, whose folder belongs to it. */
  isSkill?(path: string): boolean;
  /** How prompts become commands or skills of the client itself. */
  readonly native?: NativeClient;
  /** True if the file at this path contains prompts. */
  accepts(path: string): boolean;
  /** True if a file of unknown origin has this format. The first format that recognizes the file counts. */
  detects?(file: TextFile): boolean;
}

/** A file format for prompts. Anything that cannot be converted is reported, never guessed. */
export interface Format extends FormatDescription {
  /** Never throws: invalid files are reported in `problems`. */
  read(files: readonly TextFile[]): Promise<Reading>;
  write(definitions: readonly PromptDefinition[]): Promise<Writing>;
}

/** A client that has commands or skills of its own in files. */
export interface NativeClient {
  /** As in `adjutant install`. */
  readonly id: string;
  readonly title: string;
  /** The client's own folder, which holds its configuration and everything else of it. */
  home(places: Places): string;
  /** The same in a project. */
  readonly projectHome: string;
  /** The folder of our files in either of these. */
  readonly folder: string;
  /** What a user types for a prompt. */
  typed(name: string): string;
  /** Throws NotExpressible. `onEscape` is called for text that had to be changed. */
  print(definition: PromptDefinition, onEscape: (found: string) => void): Promise<readonly TextFile[]>;
}

/** Thrown when a format cannot express a prompt; the message gives the reason. */
export class NotExpressible extends Error {}

/** Parts of a definition that not every format can store. */
export type Part = 'title' | 'description' | 'tags' | 'argument descriptions' | 'defaults' | 'values';

/** Reports something about a prompt that is written. */
type Warn = (message: string) => void;

/** Creates a format that stores each prompt in its own file. */
export function filePerPrompt({
  parse,
  path,
  print,
  stores = ['description'],
  ...own
}: Omit<FormatDescription, 'endings' | 'namedByPath'> &
  Partial<Pick<FormatDescription, 'endings' | 'namedByPath'>> & {
    /** Default: only the description. */
    readonly stores?: readonly Part[];
    /** Throws FileProblem or FieldProblem. */
    parse(file: TextFile, report: Report): Promise<PromptDefinition>;
    /** The path of the file for a prompt of this name. Throws NotExpressible. */
    path(name: string, warn: Warn): string;
    /** The text of that file. Throws NotExpressible. */
    print(definition: PromptDefinition, warn: Warn, path: string): Promise<string>;
  }): Format {
  // Most clients have Markdown files, and take the names of commands from their paths.
  const description: FormatDescription = { endings: ['.md'], namedByPath: true, ...own };
  return {
    ...description,
    async read(files) {
      const prompts: PromptDefinition[] = [];
      const problems: Problem[] = [];
      for (const file of files.filter((one) => description.accepts(one.path))) {
        const report: Report = (message, line, column, severity = 'warning') =>
          problems.push(present({ file: file.path, line, column, severity, message }));
        try {
          prompts.push(await parse(file, report));
        } catch (error) {
          const placed = error instanceof FieldProblem ? withLine(error, file.text) : error;
          problems.push(problemOf(file.path, placed));
        }
      }
      return { prompts, problems };
    },
    write: (definitions) =>
      writeEach(definitions, async (definition, warn) => {
        const file = path(definition.name, warn);
        const text = await print(definition, warn, file);
        const lost = usedParts(definition).filter((part) => !stores.includes(part));
        if (lost.length > 0) warn(`not exported: ${lost.join(', ')}`);
        if (definition.folder !== undefined) warn(`not exported: the other files in ${definition.folder}`);
        return { path: file, text };
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
export type Report = (
  message: string,
  line?: number,
  column?: number,
  severity?: Problem['severity'],
) => void;

/** Prints each definition. One that cannot be printed does not stop the others. */
export async function writeEach(
  definitions: readonly PromptDefinition[],
  print: (definition: PromptDefinition, warn: Warn) => Promise<TextFile>,
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

/** Letters, digits, `_`, `-`, `.` and spaces; no dot or space at either end. */
const plainPart = /^(?![. ])[\p{L}\p{M}\p{N}_. -]{1,100}(?<![. ])$/u;
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Returns the name of the prompt in a file: `git/commit.toml` becomes `git:commit`. */
export function nameFromPath(path: string, extension: string): string {
  return path.slice(0, -extension.length).replaceAll('/', ':');
}

/**
 * Returns the path for a prompt's name, which never leaves the folder. With `warn`, the path has no subfolders and the
 * change of name is reported. Throws NotExpressible.
 */
export function pathForName(name: string, extension: string, warn?: Warn): string {
  const parts = name.split(':');
  if (parts.some((part) => !plainPart.test(part) || reserved.test(part)))
    throw new NotExpressible('its name is not a valid file name');
  if (warn === undefined || parts.length === 1) return `${parts.join('/')}${extension}`;
  warn(`the name becomes ${parts.join('-')}`);
  return `${parts.join('-')}${extension}`;
}

/** Maximum number of reports of one kind per file. */
const maxReports = 20;

/** Endings that make a word without a slash a file. In `@pytest.fixture` and `@ada.lovelace`, the dot has another meaning. */
const fileEndings = `adoc astro bash bat bib c cc cfg cjs conf cpp cs css csv cts cxx dart diff docx env ex exs gif go gradle
  graphql h hcl hpp htm html ini ipynb java jpeg jpg js json json5 jsonc jsonl jsx kt kts less lock log lua m4 markdown md mdc
  mdx mjs mts mustache pdf php pl plist png ps1 properties proto prompt py pyi r rb rs rst sass scala scss sh sql svelte svg
  swift tex tf toml ts tsv tsx txt vue webp wasm xml xlsx yaml yml zig zsh`;

/**
 * A file that a client reads: a path that starts at a folder, a path or name with the ending of a file, or a placeholder.
 * Decorators, mail addresses, and names of packages and people, such as `@scope/pkg` and `@alice`, are not files.
 */
export const fileReference = new RegExp(
  [
    String.raw`(?<!\S)@(?:(?:~|\.{1,2})?\/[\w$./-]{0,200}[\w$/]`,
    String.raw`[\w$][\w$.-]{0,100}\/[\w$./-]{0,200}\.[A-Za-z]\w{0,7}(?![\w/(])`,
    String.raw`[\w$][\w$.-]{0,200}\.(?:${fileEndings.split(/\s+/).join('|')})(?![\w/(])`,
    String.raw`\$\w{1,40})`,
  ].join('|'),
  'g',
);

/** Reports syntax that only the original client interprets and that is plain text here. */
export function reportClientSyntax(
  body: string,
  bodyLine: number,
  report: Report,
  clientSyntax: readonly (readonly [pattern: RegExp, meaning: string])[],
): void {
  const lines = new Lines(body);
  const code = new CodeRanges(body);
  for (const [pattern, meaning] of clientSyntax) {
    // In code, it is an example.
    const written = [...body.matchAll(pattern)].filter(({ index }) => !code.includes(index));
    for (const { index, 0: found } of written.slice(0, maxReports)) {
      const blank = found.length - found.trimStart().length;
      const { line, column } = lines.at(index + blank);
      const shown = found.trim();
      report(
        `${truncate(shown, 40)} ${meaning}; here it stays plain text`,
        bodyLine + line - 1,
        column,
        'note',
      );
    }
  }
}

/** Fields that other tools know. Authors write files for several tools, and a field that matters to one of them is no mistake. */
const otherFields = new Set(
  `name title description version author authors license category categories tags keywords model mode agent agents tools
  allowed-tools disallowed-tools argument-hint arguments color icon emoji applyTo globs alwaysApply paths when_to_use
  metadata compatibility context hooks skills mcp-servers mcpServers handoffs infer target permissionMode effort isolation
  background memory maxTurns user-invocable user-invokable disable-model-invocation temperature top_p steps subtask variant
  permission hidden disable shell homepage repository date updated created status type id language lang`.split(
    /\s+/,
  ),
);

/** Reports fields that cannot be imported. */
export function reportUnknownFields(
  fields: Readonly<Record<string, unknown>>,
  known: readonly string[],
  report: Report,
  file: string,
): void {
  const unknown = Object.keys(fields).filter((name) => !known.includes(name) && !otherFields.has(name));
  for (const name of unknown.slice(0, maxReports)) {
    const line = lineOfField(file, name);
    report(`the field ${name} is not supported and was ignored`, line, undefined, 'note');
  }
  if (unknown.length > maxReports)
    report(
      `${unknown.length - maxReports} more fields are not supported and were ignored`,
      1,
      undefined,
      'note',
    );
}
