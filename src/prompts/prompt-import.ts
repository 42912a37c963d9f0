import { Failure } from '../failure.ts';
import type { Problem } from '../feature.ts';
import type { PromptDefinition } from './definition.ts';
import type { Editor } from './editor.ts';
import { NotExpressible, type TextFile } from './formats/format.ts';
import { formatNamed } from './formats/formats.ts';
import { toRecord } from './formats/jsonl.ts';
import type { Author, PromptDraft } from './source.ts';

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

/** Makes prompts of the person's own out of files of any format. What cannot be taken over is told, one by one. */
export async function importPrompts(
  options: ImportOptions,
  editor: Editor,
  author: Author,
): Promise<Imported> {
  const { prompts, problems } = await formatNamed(options.format).read(options.files);
  const imported: { name: string; from: string; action: Action }[] = [];
  const all: Problem[] = [...problems];
  const taken = new Set<string>();
  for (const [done, definition] of prompts.entries()) {
    options.progress?.(done, prompts.length);
    const { file, line } = definition;
    const tell = (severity: Problem['severity'], message: string) =>
      all.push({ file, line, severity, message: `${definition.name}: ${message}` });
    try {
      const draft = draftOf(definition, options.prefix);
      if (draft.name !== definition.name) tell('warning', `the name becomes ${draft.name}`);
      if (taken.has(draft.name))
        throw new Failure('conflict', `another prompt is already called ${draft.name}`);
      taken.add(draft.name);
      imported.push({ name: draft.name, from: file, action: await put(draft, options, editor, author) });
    } catch (error) {
      const refused =
        error instanceof NotExpressible ||
        (error instanceof Failure && (error.kind === 'conflict' || error.kind === 'refused'));
      if (!refused) throw error;
      tell('error', (error as Error).message);
    }
  }
  return { imported, problems: all };
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

async function put(
  draft: PromptDraft,
  { replace, dryRun }: ImportOptions,
  editor: Editor,
  author: Author,
): Promise<Action> {
  const own = await editor.has(draft.name);
  if (own && replace) {
    const { name, ...fields } = draft;
    // What the file does not have is not in the prompt either.
    if (!dryRun) await editor.update(name, { description: '', arguments: [], tags: [], ...fields }, author);
    return 'update';
  }
  if (own) throw new Failure('conflict', `prompt already exists: ${draft.name}`);
  if (!dryRun) await editor.create(draft, author);
  return 'create';
}
