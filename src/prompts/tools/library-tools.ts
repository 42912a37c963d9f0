import { type Problem, problemSchema } from '../../feature.ts';
import {
  fitLists,
  fullArgument,
  nextPage,
  omittedItems,
  type PageRequest,
  pageArguments,
  pageOf,
} from '../../paging.ts';
import { defineTool, hints } from '../../tool.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Editor } from '../catalog/editor.ts';
import { formatNamed, formatNames } from '../formats/formats.ts';
import { withoutSilencedInFiles } from '../lint/rules.ts';
import type { Versions } from '../versions/versions.ts';
import { isSelected } from './catalog-tools.ts';
import { authorOf } from './editing-tools.ts';

const formatSchema = {
  type: 'string',
  // As a tuple, because the type of a value cannot be derived from a list of unknown length.
  enum: formatNames as unknown as readonly [string],
  description: 'Format of the files',
} as const;

const fileSchema = {
  type: 'object',
  required: ['path', 'text'],
  properties: {
    path: { type: 'string', description: 'E.g. git/commit.md' },
    text: { type: 'string' },
  },
} as const;

const problemsSchema = { type: 'array', items: problemSchema } as const;

const namesSchema = {
  type: 'array',
  items: { type: 'string' },
  maxItems: 1000,
  description: 'Only these prompts',
} as const;

/** Tools to check, import and export prompts. Files are passed in the call; these tools never open a path from it. */
export function createLibraryTools(
  catalog: Catalog,
  versions: Versions,
  editor: Editor,
  problems: LibraryProblems,
  silenced: readonly string[] = [],
) {
  return [
    createLintTool(catalog, versions, problems, new Set(silenced)),
    createImportTool(editor),
    createExportTool(catalog, versions),
  ];
}

/** All problems of the library, including those of a check of every prompt. */
export type LibraryProblems = () => Promise<readonly Problem[]>;

/** Lists and checks share their results, so that `server_status`, `doctor` and the page name the same problems. */
export function createLibraryProblems(catalog: Catalog, silenced: readonly string[] = []): LibraryProblems {
  const all = new Set(silenced);
  let lint: LibraryProblems | undefined;
  return async () => {
    const { createLibraryLint } = await import('../lint/lint.ts');
    lint ??= createLibraryLint(catalog);
    return withoutSilencedInFiles(await lint(), all);
  };
}

function createLintTool(
  catalog: Catalog,
  versions: Versions,
  library: LibraryProblems,
  silenced: ReadonlySet<string>,
) {
  return defineTool({
    name: 'lint_prompts',
    toolsets: ['prompt_editing'],
    scope: 'read',
    title: 'Lint prompts',
    description:
      'Checks the library, or given files, for mistakes such as template errors, undeclared arguments and invisible characters.',
    searchHint: 'validate verify errors',
    phrases:
      'check validate verify problems mistakes errors broken prompt template syntax compile proofread faulty wrong flaws bugs defects typo placeholders missing invalid test quality health sanity inspect review library saved shortcuts correct fine works valid',
    inputSchema: {
      type: 'object',
      properties: {
        names: namesSchema,
        files: { type: 'array', items: fileSchema, description: 'Instead of the library' },
        format: { type: 'string', description: 'As in export_prompts. Default: recognized' },
        ...pageArguments,
      },
    },
    outputSchema: {
      type: 'object',
      required: ['prompts', 'errors', 'warnings', 'problems'],
      properties: {
        prompts: { type: 'integer', description: 'How many were looked at' },
        errors: { type: 'integer' },
        warnings: { type: 'integer' },
        notes: { type: 'integer' },
        problems: problemsSchema,
        ...nextPage,
      },
    },
    annotations: hints.reads,
    async call({ names, files, format, ...page }, { signal }) {
      if (files !== undefined) {
        const { lintGiven } = await import('./file-thread.ts');
        const { prompts, problems } = await lintGiven(files, format, silenced, { signal });
        return { structured: { prompts, ...countProblems(problems, page) } };
      }
      const prompts = names?.length ?? (await catalog.list()).length;
      const problems =
        names === undefined
          ? await library()
          : await lintNamed(catalog, await Promise.all(names.map(versions.fullName)), silenced);
      return { structured: { prompts, ...countProblems(problems, page) } };
    },
  });
}

async function lintNamed(catalog: Catalog, names: readonly string[], silenced: ReadonlySet<string>) {
  const { lintCatalog } = await import('../lint/lint.ts');
  return withoutSilencedInFiles(await lintCatalog(catalog, names), silenced);
}

function createImportTool(editor: Editor) {
  return defineTool({
    name: 'import_prompts',
    toolsets: ['prompt_editing'],
    scope: 'prompts:write',
    title: 'Import prompts',
    description: "Imports prompt files of other programs, passed as text, into the user's library.",
    searchHint: 'claude codex gemini cursor vscode commands',
    phrases:
      'import bring load convert slash commands rules files from Claude Code Cursor Gemini into library take over move migrate transfer copy old templates another other app program folder upload ingest read in switch elsewhere existing collection here adopt',
    inputSchema: {
      type: 'object',
      required: ['format', 'files'],
      properties: {
        format: { type: 'string', description: 'As in export_prompts' },
        files: { type: 'array', items: fileSchema, description: 'Paths and texts' },
        prefix: { type: 'string', pattern: '^[A-Za-z0-9_][A-Za-z0-9_-]*$', description: 'Put before names' },
        replace: {
          type: 'boolean',
          default: false,
          description: 'Replace prompts of the same name',
        },
        dry_run: { type: 'boolean', default: false, description: 'Only report' },
        ...fullArgument,
      },
    },
    outputSchema: {
      type: 'object',
      required: ['imported', 'problems'],
      properties: {
        imported: {
          type: 'array',
          items: {
            type: 'object',
            required: ['name', 'from', 'action'],
            properties: {
              name: { type: 'string' },
              from: { type: 'string' },
              action: { enum: ['create', 'update'] },
            },
          },
        },
        problems: problemsSchema,
        ...omittedItems,
      },
    },
    annotations: { ...hints.replaces, idempotentHint: false },
    async call({ format, files, prefix, replace = false, dry_run = false, full = false }, context) {
      const { importPrompts } = await import('./prompt-import.ts');
      const progress = (done: number, total: number) =>
        context.progress(done, total, `${done} of ${total} prompts imported`);
      const options = {
        ...{ format, files, replace, progress, dryRun: dry_run, signal: context.signal },
        ...(prefix !== undefined && { prefix }),
      };
      const report = await importPrompts(options, editor, authorOf(context));
      if (full) return { structured: report };
      const short = fitLists(report, 'problems', 'imported');
      if (short.omitted === undefined) return { structured: report };
      // list_prompts can tell which prompts were imported, but not why others were not.
      const problems = report.problems.toSorted((one, other) => rank(one) - rank(other));
      return { structured: fitLists({ ...report, problems }, 'problems', 'imported') };
    },
  });
}

function rank({ severity }: Problem): number {
  return severity === 'error' ? 0 : 1;
}

function createExportTool(catalog: Catalog, versions: Versions) {
  return defineTool({
    name: 'export_prompts',
    toolsets: ['prompts'],
    scope: 'read',
    title: 'Export prompts',
    description: 'Converts prompts to files for another program. Returns the files without writing them.',
    searchHint: 'claude codex gemini cursor vscode commands',
    phrases:
      'export write download convert prompts files for another other program app Claude Code Cursor Gemini VS Code Codex format take save copy backup hand over share move transfer templates shortcuts library out of here elsewhere publish extract give colleague',
    inputSchema: {
      type: 'object',
      required: ['format'],
      properties: {
        // A read-only server has this tool, but not import_prompts.
        format: formatSchema,
        names: namesSchema,
        tag: { type: 'string', description: 'Only with this tag' },
        source: { type: 'string', description: 'Only from this source' },
        ...pageArguments,
      },
    },
    outputSchema: {
      type: 'object',
      required: ['files', 'problems'],
      properties: {
        files: { type: 'array', items: fileSchema },
        problems: problemsSchema,
        ...nextPage,
      },
    },
    annotations: hints.reads,
    async call({ format, names, tag, source, ...page }) {
      const entries =
        names === undefined ? await catalog.list() : await Promise.all(names.map(versions.find));
      const selected = entries.filter(isSelected({ tag, source }, catalog.sources));
      const written = await (await formatNamed(format)).write(selected.map(({ definition }) => definition));
      const { items: files, next } = pageOf(written.files, (file) => file, page);
      return { structured: { files, problems: written.problems, ...next } };
    },
  });
}

/** Counts all problems and returns those of one page. */
function countProblems(all: readonly Problem[], page: PageRequest) {
  const errors = all.filter(({ severity }) => severity === 'error').length;
  const notes = all.filter(({ severity }) => severity === 'note').length;
  const { items: problems, next } = pageOf(all, (problem) => problem, page);
  return { errors, warnings: all.length - errors - notes, notes, problems, ...next };
}
