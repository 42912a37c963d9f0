import { Failure } from '../../failure.ts';
import type { PromptChanges, PromptDraft, Revision } from '../source.ts';
import type { PromptRecord } from './record.ts';

/** What one change makes of a prompt: its new record, or nothing when it is gone. Throws to leave all as it is. */
export type Edit = (current: PromptRecord | undefined, now: string) => PromptRecord | undefined;

/** What history tells of a change, but for its number and its outcome. */
export type Change = Omit<Revision, 'revision' | 'prompt'>;

export function changeOf({ action, restored, time, client }: Revision): Change {
  return { action, time, client, ...(restored !== undefined && { restored }) };
}

export function creating(draft: PromptDraft): Edit {
  return (current, now) => {
    if (current !== undefined) throw new Failure('conflict', `prompt already exists: ${draft.name}`);
    return { ...draft, created: now, updated: now };
  };
}

export function updating(name: string, changes: PromptChanges): Edit {
  return (current, now) => ({ ...present(current, name), ...changes, updated: now });
}

export function deleting(name: string): Edit {
  return (current) => {
    present(current, name);
    return undefined;
  };
}

export function restoring(name: string, revision: number, history: readonly Revision[]): Edit {
  const wanted = history.find((one) => one.revision === revision);
  if (wanted === undefined)
    throw new Failure('invalid-params', `There is no revision ${revision} of ${name}.`);
  if (wanted.prompt === undefined)
    throw new Failure(
      'refused',
      `Revision ${revision} of ${name} is its deletion; restore the one before it.`,
    );
  return repeating(wanted);
}

/** Whatever there is, it becomes what it was after that revision. */
export function repeating({ prompt }: Revision): Edit {
  return (current, now) => prompt && { ...prompt, created: current?.['created'] ?? now, updated: now };
}

function present(current: PromptRecord | undefined, name: string): PromptRecord {
  if (current === undefined) throw new Failure('prompt-not-found', `Prompt not found: ${name}`);
  return current;
}
