import type { Problem } from '../../feature.ts';
import { messageOf } from '../../json.ts';
import type { Editor } from '../catalog/editor.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { Author, PromptDraft, PromptEdit } from '../definition/source.ts';
import { NotExpressible, type TextFile } from '../formats/format.ts';
import { formatNamed } from '../formats/formats.ts';
import { toRecord } from '../formats/jsonl.ts';

export interface ImportOptions {
  readonly format: string;
  readonly files: readonly TextFile[];
  /** Put before every name, with an underscore. */
  readonly prefix?: string;
  /** Whether a prompt of the person's own may be replaced by one of its name. */
  readonly replace?: boolean;
  /** Tells what would be done and does nothing. */
  readonly dryRun?: boolean;
  readonly progress?: (done: number, total: number) => void;
}

export interface Imported {
  readonly imported: readonly { readonly name: string; readonly from: string; readonly action: Action }[];
  readonly problems: readonly Problem[];
}

type Action = 'create' | 'update';

/** A prompt that was read, what shall be done with it and what there is to tell of it. */
interface Plan {
  readonly definition: PromptDefinition;
  readonly edit?: PromptEdit & { readonly action: Action };
  readonly problems: Problem[];
}

/** Makes prompts of the person's own out of files of any format. What cannot be taken over is told, one by one. */
export async function importPrompts(
  options: ImportOptions,
  editor: Editor,
  author: Author,
): Promise<Imported> {
  const { prompts, problems } = await formatNamed(options.format).read(options.files);
  options.progress?.(0, prompts.length);
  const plans = planImport(prompts, options, await editor.names());
  const edits = plans.flatMap(({ edit }) => edit ?? []);
  const outcomes = await editor.changeMany(edits, author, {
    dryRun: options.dryRun ?? false,
    onProgress: (done) => options.progress?.(done, prompts.length),
  });
  const outcomeOf = new Map(edits.map((edit, at) => [edit, outcomes[at]!]));
  const imported: { name: string; from: string; action: Action }[] = [];
  for (const { definition, edit, problems: told } of plans) {
    const outcome = edit && outcomeOf.get(edit);
    if (outcome?.status === 'rejected') told.push(problemOf(definition, 'error', messageOf(outcome.reason)));
    else if (edit) imported.push({ name: edit.name, from: definition.file, action: edit.action });
  }
  return { imported, problems: [...problems, ...plans.flatMap(({ problems: told }) => told)] };
}

function planImport(
  prompts: readonly PromptDefinition[],
  { prefix, replace = false }: ImportOptions,
  own: ReadonlySet<string>,
): readonly Plan[] {
  const taken = new Set<string>();
  const plans: Plan[] = [];
  for (const definition of prompts) {
    const problems: Problem[] = [];
    try {
      const draft = draftOf(definition, prefix);
      if (draft.name !== definition.name)
        problems.push(problemOf(definition, 'warning', `the name becomes ${draft.name}`));
      if (taken.has(draft.name)) throw new NotExpressible(`another prompt is already called ${draft.name}`);
      taken.add(draft.name);
      const edit = replace && own.has(draft.name) ? replacing(draft) : creating(draft);
      plans.push({ definition, problems, edit });
    } catch (error) {
      if (!(error instanceof NotExpressible)) throw error;
      problems.push(problemOf(definition, 'error', error.message));
      plans.push({ definition, problems });
    }
  }
  return plans;
}

function problemOf(
  { name, file, line }: PromptDefinition,
  severity: Problem['severity'],
  message: string,
): Problem {
  return { file, line, severity, message: `${name}: ${message}` };
}

/** The person's own names are made of letters, digits and underscores. */
function draftOf(definition: PromptDefinition, prefix: string | undefined): PromptDraft {
  const name = (prefix === undefined ? definition.name : `${prefix}_${definition.name}`).replaceAll(
    /[^A-Za-z0-9_]/g,
    '_',
  );
  if (name.length > 200) throw new NotExpressible('the name is longer than 200 characters');
  return toRecord(name, definition) as PromptDraft;
}

function creating(draft: PromptDraft) {
  return { action: 'create', name: draft.name, draft } as const;
}

/** What the file does not have is not in the prompt either. */
function replacing({ name, ...fields }: PromptDraft) {
  return {
    action: 'update',
    name,
    changes: { description: '', arguments: [], tags: [], ...fields },
  } as const;
}
