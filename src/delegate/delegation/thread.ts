import { Failure } from '../../failure.ts';
import { findThreadByName } from '../agents/codex-thread.ts';
import { isThreadId } from '../record/outcome.ts';
import type { DelegateOptions } from '../settings/delegate-options.ts';

/** The id of a thread that the caller names by its id or its name. An unknown name is returned unchanged. */
export async function resolveThread(
  thread: string,
  { agent, codexHome }: Pick<DelegateOptions, 'agent' | 'codexHome'>,
): Promise<string> {
  if (isThreadId(thread)) return thread.toLowerCase();
  return (agent === 'codex' ? await findThreadByName(codexHome, thread) : undefined) ?? thread;
}

/** Codex would start a new thread for an unknown name. The document leaves that to Codex. */
export function refuseUnknownThread(thread: string, { document }: Pick<DelegateOptions, 'document'>): void {
  // The agent would read it as an option.
  if (thread.startsWith('-'))
    throw new Failure('refused', `thread_id must not start with "-", but it is "${thread}".`);
  if (!isThreadId(thread) && !document)
    throw new Failure('refused', `There is no thread with the id or name "${thread}".`);
}
