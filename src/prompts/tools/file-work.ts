import type { Problem } from '../../feature.ts';
import type { FileProblem } from '../../front-matter.ts';
import { messageOf } from '../../json.ts';
import { runThreadProgram } from '../../threads/thread-program.ts';
import type { ThreadAnswer } from '../../threads/work-threads.ts';
import type { Reading } from '../definition/definition.ts';
import { maxArguments, tooManyArguments } from '../definition/prompt-fields.ts';
import { decodeText } from '../files/file-cache.ts';
import { limitProblems } from '../files/limit-problems.ts';
import { thread, threadProgram } from '../files/work-thread.ts';
import type { TextFile } from '../formats/format.ts';
import { formatNamed } from '../formats/formats.ts';
import { TemplateError } from '../jinja/template-error.ts';
import { type CopiedTarget, lintPrompt } from '../lint/lint.ts';
import { lintFiles } from '../lint/lint-files.ts';
import { firstUnknown, runTemplates, scanSource } from '../rendering/template-set.ts';
import { parseManifest } from '../sources/twig-manifest.ts';
import { matchPattern } from '../testing/text-checks.ts';

interface Files {
  readonly files: readonly TextFile[];
  readonly format?: string;
  readonly version?: string;
  readonly silenced?: ReadonlySet<string>;
}

/** The work that can be slow for hostile input. `work-thread.ts` runs it in a thread, whose program is this file. */
export const tasks = {
  lint: ({ files, format, silenced }: Files) => lintFiles(files, format, silenced),
  read: async ({ files, format, version }: Files) => {
    const { prompts, problems } = await (await formatNamed(format!, version)).read(files);
    return limitReading({ prompts, problems });
  },
  manifest: ({ bytes, file }: { readonly bytes: Uint8Array; readonly file: string }) =>
    parseManifest(decodeText(Buffer.from(bytes)), file),
  scan: ({ name, source }: { readonly name: string; readonly source: string }) => scanSource(name, source),
  check: lintCopied,
  templates: runTemplates,
  unknown: firstUnknown,
  match: (input: Parameters<typeof matchPattern>[0]) => matchPattern(input),
};

/** Every list of prompts contains all of them. */
const maxPrompts = 10_000;

function limitReading({ prompts, problems }: Reading): Reading {
  const first = prompts.slice(0, maxPrompts);
  const tooLong = first.filter((prompt) => prompt.arguments.length > maxArguments);
  const refused = tooLong.map(
    ({ file, line, name }): Problem => ({
      ...{ file, line, severity: 'error', prompts: [name], message: `${name}: ${tooManyArguments}` },
    }),
  );
  if (first.length < prompts.length)
    refused.push({
      file: prompts[0]!.file,
      severity: 'error',
      message: `the file has ${prompts.length} prompts; only the first ${maxPrompts} are used`,
    });
  return {
    prompts: first.filter((prompt) => prompt.arguments.length <= maxArguments),
    problems: limitProblems([...refused, ...problems]),
  };
}

async function lintCopied({ templates, error, ...target }: CopiedTarget): Promise<unknown> {
  const load = async () => {
    if (error !== undefined) throw new TemplateError(error.template, error.message, error.line, error.column);
    return { ...templates!, sourceOf: (name: string) => templates!.sources.get(name) };
  };
  const isKnown = templates !== undefined || error !== undefined;
  return limitProblems(await lintPrompt({ ...target, ...(isKnown && { templates: load }) }));
}

async function answer(task: keyof typeof tasks, input: unknown): Promise<ThreadAnswer> {
  try {
    const value = await tasks[task](input as never);
    return task === 'read' ? { json: JSON.stringify(value) } : { value };
  } catch (error) {
    if (error instanceof RangeError) return { error: { message: 'it is nested too deeply' } };
    const { line, column } = error as Partial<FileProblem>;
    const place = { ...(line !== undefined && { line }), ...(column !== undefined && { column }) };
    return { error: { message: messageOf(error), ...place } };
  }
}

thread.isCurrent = runThreadProgram(threadProgram, answer);
