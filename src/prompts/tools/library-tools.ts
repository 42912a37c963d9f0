import { type Problem, problemSchema } from '../../feature.ts';
import { defineTool } from '../../tool.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Editor } from '../catalog/editor.ts';
import { formatNames } from '../formats/format-names.ts';
import { authorOf } from './methods.ts';

const formatSchema = {
  type: 'string',
  enum: formatNames,
  description: 'The form of the files',
} as const;

const fileSchema = {
  type: 'object',
  required: ['path', 'text'],
  properties: {
    path: { type: 'string', description: 'From the folder of the prompts, with / between its parts' },
    text: { type: 'string' },
  },
} as const;

const problemsSchema = { type: 'array', items: problemSchema } as const;

const namesSchema = { type: 'array', items: { type: 'string' }, description: 'Only these prompts' } as const;
const readOnly = { readOnlyHint: true, openWorldHint: false } as const;

/** Tools to check, import and export prompts. Files are passed in the call; these tools never open a path from it. */
export function createLibraryTools(catalog: Catalog, editor: Editor) {
  return [createLintTool(catalog), createImportTool(editor), createExportTool(catalog)];
}

function createLintTool(catalog: Catalog) {
  return defineTool({
    name: 'lint_prompts',
    title: 'Lint prompts',
    description:
      'Looks for mistakes in the prompts of the library, or in files that are given: undeclared and unused arguments, unknown filters, template errors, missing files, names taken twice, placeholders that are not replaced, hidden characters.',
    inputSchema: {
      type: 'object',
      properties: {
        names: namesSchema,
        files: { type: 'array', items: fileSchema, description: 'These files instead of the library' },
        format: {
          ...formatSchema,
          description: 'The form of the files; otherwise each is taken for what it looks like',
        },
      },
    },
    outputSchema: {
      type: 'object',
      required: ['prompts', 'errors', 'warnings', 'problems'],
      properties: {
        prompts: { type: 'integer', description: 'How many were looked at' },
        errors: { type: 'integer' },
        warnings: { type: 'integer' },
        problems: problemsSchema,
      },
    },
    annotations: readOnly,
    async call({ names, files, format }) {
      if (files !== undefined) {
        const { lintFiles } = await import('../lint/lint-files.ts');
        const { prompts, problems } = await lintFiles(files, format);
        return { structured: { prompts, ...countProblems(problems) } };
      }
      const { lintCatalog } = await import('../lint/lint.ts');
      const problems = await lintCatalog(catalog, names);
      const prompts = names?.length ?? (await catalog.list()).length;
      return { structured: { prompts, ...countProblems(problems) } };
    },
  });
}

function createImportTool(editor: Editor) {
  return defineTool({
    name: 'import_prompts',
    title: 'Import prompts',
    description:
      'Imports prompt files of other programs into the prompts of the user. What cannot be imported is reported for each file.',
    inputSchema: {
      type: 'object',
      required: ['format', 'files'],
      properties: {
        format: formatSchema,
        files: { type: 'array', items: fileSchema },
        prefix: { type: 'string', pattern: '^[A-Za-z0-9_]+$', description: 'Put before every name' },
        replace: {
          type: 'boolean',
          default: false,
          description: 'Whether prompts of the user with the same name are replaced; their history is kept',
        },
        dry_run: { type: 'boolean', default: false, description: 'Only report what would be done' },
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
      },
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    async call({ format, files, prefix, replace = false, dry_run = false }, context) {
      const { importPrompts } = await import('./prompt-import.ts');
      const progress = (done: number, total: number) =>
        context.progress(done, total, `${done} of ${total} prompts imported`);
      const options = {
        ...{ format, files, replace, progress, dryRun: dry_run },
        ...(prefix !== undefined && { prefix }),
      };
      return { structured: await importPrompts(options, editor, authorOf(context)) };
    },
  });
}

function createExportTool(catalog: Catalog) {
  return defineTool({
    name: 'export_prompts',
    title: 'Export prompts',
    description:
      'The prompts of the library as files for another program. The files are returned, not written; what a format cannot express is reported.',
    inputSchema: {
      type: 'object',
      required: ['format'],
      properties: {
        format: formatSchema,
        names: namesSchema,
        tag: { type: 'string', description: 'Only prompts with this tag' },
        source: { type: 'string', description: 'Only prompts of this source' },
      },
    },
    outputSchema: {
      type: 'object',
      required: ['files', 'problems'],
      properties: { files: { type: 'array', items: fileSchema }, problems: problemsSchema },
    },
    annotations: readOnly,
    async call({ format, names, tag, source }) {
      const { formatNamed } = await import('../formats/formats.ts');
      const entries =
        names === undefined
          ? await catalog.list()
          : await Promise.all(names.map((name) => catalog.find(name)));
      const selected = entries.filter(
        (entry) =>
          (tag === undefined || entry.definition.tags.includes(tag)) &&
          (source === undefined || entry.source.name === source),
      );
      return { structured: await formatNamed(format).write(selected.map(({ definition }) => definition)) };
    },
  });
}

function countProblems(problems: readonly Problem[]) {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  return { errors, warnings: problems.length - errors, problems };
}
