import { type Dirent, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, type Context, isOwner } from '../../context.ts';
import { isObject } from '../../json.ts';

const maxPaths = 100;
/** Caches the roots while the user types, because they rarely change. */
const rootsCacheMs = 5000;
const lastRoots = new WeakMap<Client, { readonly at: number; readonly roots: Promise<readonly string[]> }>();

/** The client's workspace folders. Empty if the client does not share them. */
export function workspaceRoots(context: Context): Promise<readonly string[]> {
  const known = lastRoots.get(context.client);
  if (known !== undefined && performance.now() - known.at < rootsCacheMs) return known.roots;
  const roots = requestRoots(context);
  lastRoots.set(context.client, { at: performance.now(), roots });
  return roots;
}

async function requestRoots(context: Context): Promise<readonly string[]> {
  // The roots are paths of this machine, so only the owner may have them listed.
  if (!isOwner(context.actor) || !context.can('roots')) return [];
  try {
    const { roots: answer } = await context.ask({ roots: { method: 'roots/list', params: {} } });
    const roots: unknown = answer?.['roots'];
    return (Array.isArray(roots) ? roots : []).flatMap((root: unknown) =>
      isObject(root) && String(root['uri']).startsWith('file:') ? [fileURLToPath(String(root['uri']))] : [],
    );
  } catch {
    // Complete from other values if the client does not answer.
    return [];
  }
}

/** Paths under the roots that begin with the typed text. Folders end with a slash. */
export function pathsUnder(roots: readonly string[], typed: string): readonly string[] {
  const cut = typed.lastIndexOf('/') + 1;
  const [folder, start] = [typed.slice(0, cut), typed.slice(cut)];
  if (posix.isAbsolute(folder) || posix.normalize(folder).startsWith('..')) return [];
  const paths = roots.flatMap((root) =>
    readEntries(join(root, folder))
      .filter(
        ({ name }) => name.startsWith(start) && (start.startsWith('.') || !/^(\.|node_modules$)/.test(name)),
      )
      .map((entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`),
  );
  return paths.slice(0, maxPaths);
}

function readEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
