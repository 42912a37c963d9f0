import { type Dirent, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, type CompletionContext, type Context, isOwner } from '../../context.ts';
import { isObject } from '../../json.ts';
import type { ArgumentDefinition, PromptDefinition } from '../definition/definition.ts';
import type { RecentValues } from './arguments.ts';

/** Suggests values for an argument, best first: declared values, workspace paths, recently used values. */
export async function completeArgument(
  definition: PromptDefinition,
  argument: string,
  value: string,
  recent: RecentValues,
  context: CompletionContext,
): Promise<readonly string[]> {
  const declared = definition.arguments.find(({ name }) => name === argument);
  const paths =
    declared !== undefined && isFileArgument(declared)
      ? pathsUnder(await workspaceRoots(context), value)
      : [];
  const known = [...(declared?.values ?? []), ...recent.of(definition.name, argument)];
  return [
    ...new Set([...matchingValues(declared?.values ?? [], value), ...paths, ...matchingValues(known, value)]),
  ];
}

function isFileArgument({ name, files, values }: ArgumentDefinition): boolean {
  return files ?? (values === undefined && /(^|_)(file|path|dir|directory|folder)(name)?s?(_|$)/i.test(name));
}

/** Values that begin with the typed text, followed by those that contain it. */
function matchingValues(values: readonly string[], typed: string): readonly string[] {
  const search = typed.toLowerCase();
  const contains = values.filter((value) => value.toLowerCase().includes(search));
  const begins = contains.filter((value) => value.toLowerCase().startsWith(search));
  return [...begins, ...contains];
}

const maxPaths = 100;
/** Caches the roots while the user types, because they rarely change. */
const rootsCacheMs = 5000;
const lastRoots = new WeakMap<Client, { readonly at: number; readonly roots: Promise<readonly string[]> }>();

/** The client's workspace folders. Empty if the client does not share them. */
function workspaceRoots(context: Context): Promise<readonly string[]> {
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
function pathsUnder(roots: readonly string[], typed: string): readonly string[] {
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
