import { type Dirent, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client, Context } from '../../context.ts';
import { isObject } from '../../json.ts';

const mostPaths = 100;
/** A person types faster than roots change. */
const rootsAreGoodForMs = 5000;
const lastRoots = new WeakMap<Client, { readonly at: number; readonly roots: Promise<readonly string[]> }>();

/** Folders the client works in, where it tells them. */
export function workspaceRoots(context: Context): Promise<readonly string[]> {
  const known = lastRoots.get(context.client);
  if (known !== undefined && performance.now() - known.at < rootsAreGoodForMs) return known.roots;
  const roots = askForRoots(context);
  lastRoots.set(context.client, { at: performance.now(), roots });
  return roots;
}

async function askForRoots(context: Context): Promise<readonly string[]> {
  if (!context.can('roots')) return [];
  try {
    const { roots: answer } = await context.ask({ roots: { method: 'roots/list', params: {} } });
    const roots: unknown = answer?.['roots'];
    return (Array.isArray(roots) ? roots : []).flatMap((root: unknown) =>
      isObject(root) && String(root['uri']).startsWith('file:') ? [fileURLToPath(String(root['uri']))] : [],
    );
  } catch {
    // No answer is no reason to offer nothing at all.
    return [];
  }
}

/** Paths that go on from what was typed, relative to the roots; folders end with a slash. */
export function pathsUnder(roots: readonly string[], typed: string): readonly string[] {
  const cut = typed.lastIndexOf('/') + 1;
  const [folder, start] = [typed.slice(0, cut), typed.slice(cut)];
  if (posix.isAbsolute(folder) || posix.normalize(folder).startsWith('..')) return [];
  const paths = roots.flatMap((root) =>
    entriesOf(join(root, folder))
      .filter(
        ({ name }) => name.startsWith(start) && (start.startsWith('.') || !/^(\.|node_modules$)/.test(name)),
      )
      .map((entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`),
  );
  return paths.slice(0, mostPaths);
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
