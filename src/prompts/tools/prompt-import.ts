import type { Problem } from '../../feature.ts';
import { messageOf } from '../../json.ts';
import { Pace } from '../../pace.ts';
import type { Editor } from '../catalog/editor.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { Author, PromptDraft, PromptEdit } from '../definition/source.ts';
import { limitProblems, withoutStacks } from '../files/limit-problems.ts';
import { NotExpressible, type TextFile } from '../formats/format.ts';
import { toRecord } from '../formats/jsonl.ts';
import { lintDefinition } from '../lint/lint.ts';
import { readGiven } from './file-thread.ts';

export interface ImportOptions {
  readonly format: string;
  readonly files: readonly TextFile[];
  /** Added before every name, followed by an underscore. */
  readonly prefix?: string;
  /** Replaces prompts of the user that have the same name. */
  readonly replace?: boolean;
  /** Only reports what would be done. */
  readonly dryRun?: boolean;
  readonly progress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

export interface Imported {
  readonly imported: readonly { readonly name: string; readonly from: string; readonly action: Action }[];
  readonly problems: readonly Problem[];
}

type Action = 'create' | 'update';

/** A prompt from a file, the edit that imports it and its problems. Without an edit, it cannot be imported. */
interface Plan {
  readonly definition: PromptDefinition;
  readonly edit?: PromptEdit & { readonly action: Action };
  readonly problems: Problem[];
}

/** Imports files of any format as the user's own prompts. Reports every prompt that cannot be imported. */
export async function importPrompts(
  options: ImportOptions,
  editor: Editor,
  author: Author,
): Promise<Imported> {
  const { prompts, problems } = await readGiven(options.files, options.format, options);
  options.progress?.(0, prompts.length);
  const plans = await planImport(prompts, options, await editor.names());
  const edits = plans.flatMap(({ edit }) => edit ?? []);
  const outcomes = await editor.changeMany(edits, author, {
    dryRun: options.dryRun ?? false,
    onProgress: (done) => options.progress?.(done, prompts.length),
  });
  const outcomeOf = new Map(edits.map((edit, at) => [edit, outcomes[at]!]));
  const imported: { name: string; from: string; action: Action }[] = [];
  const pace = new Pace();
  for (const { definition, edit, problems: promptProblems } of plans) {
    const outcome = edit && outcomeOf.get(edit);
    if (outcome?.status === 'rejected')
      promptProblems.push(toProblem(definition, 'error', messageOf(outcome.reason)));
    else if (edit) imported.push({ name: edit.name, from: definition.file, action: edit.action });
    if (outcome?.status === 'fulfilled' && outcome.value !== undefined)
      promptProblems.push(...(await lintImported(outcome.value, definition)));
    await pace.pause;
  }
  return {
    imported,
    problems: limitProblems([
      ...problems,
      ...plans.flatMap(({ problems: promptProblems }) => promptProblems),
    ]),
  };
}

/** What lint says about the prompt as it is now, at the place it comes from. */
async function lintImported(
  now: PromptDefinition,
  { file, line }: PromptDefinition,
): Promise<readonly Problem[]> {
  return (await lintDefinition(now)).map(({ column: _, ...problem }) => ({ ...problem, file, line }));
}

async function planImport(
  prompts: readonly PromptDefinition[],
  options: ImportOptions,
  existing: ReadonlySet<string>,
): Promise<readonly Plan[]> {
  const taken = new Set<string>();
  const plans: Plan[] = [];
  const pace = new Pace();
  for (const definition of prompts) {
    plans.push(withoutStacks(() => planOne(definition, options, existing, taken)));
    await pace.pause;
  }
  return plans;
}

/** Adds the name of the prompt to `taken`. */
function planOne(
  definition: PromptDefinition,
  { prefix, replace = false }: ImportOptions,
  existing: ReadonlySet<string>,
  taken: Set<string>,
): Plan {
  const problems: Problem[] = [];
  try {
    const draft = toDraft(definition, prefix);
    if (draft.name !== definition.name)
      problems.push(toProblem(definition, 'warning', `the name becomes ${draft.name}`));
    if (taken.has(draft.name))
      throw new NotExpressible(`another prompt in the import is already named ${draft.name}`);
    taken.add(draft.name);
    const edit = replace && existing.has(draft.name) ? replaceEdit(draft) : createEdit(draft);
    return { definition, problems, edit };
  } catch (error) {
    if (!(error instanceof NotExpressible)) throw error;
    problems.push(toProblem(definition, 'error', error.message));
    return { definition, problems };
  }
}

function toProblem(
  { name, file, line }: PromptDefinition,
  severity: Problem['severity'],
  message: string,
): Problem {
  return { file, line, severity, message: `${name}: ${message}` };
}

/** Names of the user's own prompts consist of letters, digits, underscores and hyphens. */
function toDraft(definition: PromptDefinition, prefix: string | undefined): PromptDraft {
  const name = (prefix === undefined ? definition.name : `${prefix}_${definition.name}`).replaceAll(
    /^-|[^A-Za-z0-9_-]/g,
    '_',
  );
  if (name.length > 200) throw new NotExpressible('the name is longer than 200 characters');
  return toRecord(name, definition) as PromptDraft;
}

function createEdit(draft: PromptDraft) {
  return { action: 'create', name: draft.name, draft } as const;
}

/** Clears the fields that are not in the file. */
function replaceEdit({ name, ...fields }: PromptDraft) {
  return {
    action: 'update',
    name,
    changes: { description: '', arguments: [], tags: [], ...fields },
  } as const;
}
