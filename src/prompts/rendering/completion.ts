import type { CompletionContext } from '../../context.ts';
import type { ArgumentDefinition, PromptDefinition } from '../definition/definition.ts';
import type { RecentValues } from './recent-values.ts';
import { pathsUnder, workspaceRoots } from './workspace-paths.ts';

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
