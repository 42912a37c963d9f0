import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Context } from '../../context.ts';
import { isObject } from '../../json.ts';
import { log } from '../../log.ts';
import { type Caller, readCaller } from './permissions.ts';

const answerTimeoutMs = 5_000;

/** Who calls, and what the call may write. The document's server asks no client for its roots, and they limit only writing. */
export async function identifyCaller(
  context: Context,
  input: object,
  { document }: { readonly document: boolean },
): Promise<Caller> {
  const mayWrite = 'sandbox' in input && input.sandbox !== 'read-only';
  const roots = mayWrite && !document ? await clientRoots(context) : undefined;
  return { ...readCaller(context), ...(roots !== undefined && { roots }) };
}

/**
 * The folders that the client has open. `undefined` if the client names none or does not answer. Call this before anything
 * with a side effect, because `ask` may run the tool again from its start.
 */
async function clientRoots(context: Context): Promise<readonly string[] | undefined> {
  if (!context.can('roots')) return undefined;
  const timer = new AbortController();
  const timeout = after(answerTimeoutMs, undefined, { signal: timer.signal }).catch(() => undefined);
  try {
    const answers = await Promise.race([
      context.ask({ roots: { method: 'roots/list', params: {} } }),
      timeout,
    ]);
    const listed = answers?.['roots']?.['roots'];
    const roots = (Array.isArray(listed) ? listed : []).flatMap(toPath);
    return roots.length === 0 ? undefined : roots;
  } catch (error) {
    if (!(error instanceof Error)) throw error; // A question to the client, not a failure.
    log('warning', `the client did not list its roots: ${error.message}`);
    return undefined;
  } finally {
    timer.abort();
  }
}

function toPath(root: unknown): string[] {
  try {
    return isObject(root) ? [fileURLToPath(String(root['uri']))] : [];
  } catch {
    return []; // Not a file, so no run can write there.
  }
}
