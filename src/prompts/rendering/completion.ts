import type { CompletionContext } from '../../context.ts';
import type { ArgumentDefinition, PromptDefinition } from '../definition/definition.ts';
import type { RecentValues } from './recent-values.ts';
import { pathsUnder, workspaceRoots } from './workspace-paths.ts';

/** Values for one argument, best first: those the prompt lists, files of the workspace, then what was used lately. */
export async function completeArgument(
  definition: PromptDefinition,
  argument: string,
  value: string,
  recent: RecentValues,
  context: CompletionContext,
): Promise<readonly string[]> {
  const declared = definition.arguments.find(({ name }) => name === argument);
  const paths =
    declared !== undefined && wantsFiles(declared) ? pathsUnder(await workspaceRoots(context), value) : [];
  const known = [...(declared?.values ?? []), ...recent.of(definition.name, argument)];
  return [...new Set([...fitting(declared?.values ?? [], value), ...paths, ...fitting(known, value)])];
}

function wantsFiles({ name, files, values }: ArgumentDefinition): boolean {
  return files ?? (values === undefined && /(^|_)(file|path|dir|directory|folder)(name)?s?(_|$)/i.test(name));
}

/** Those that begin with what was typed, then those that contain it. */
function fitting(values: readonly string[], typed: string): readonly string[] {
  const wanted = typed.toLowerCase();
  const contains = values.filter((value) => value.toLowerCase().includes(wanted));
  const begins = contains.filter((value) => value.toLowerCase().startsWith(wanted));
  return [...begins, ...contains];
}
