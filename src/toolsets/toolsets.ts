import { type ToolTraits, toolsets } from '../tool.ts';
import generated from './tools.json' with { type: 'json' };

/** What the lists of tools are derived from. */
type ListedTraits = Omit<ToolTraits, 'phrases'>;

/**
 * The traits of every tool of `standard`. `npm run reference` writes the file from the definitions, so that the settings and the
 * scopes know the tools before the features are loaded.
 */
export const toolTraits: ReadonlyMap<string, ListedTraits> = new Map(
  Object.entries(generated as unknown as Readonly<Record<string, ListedTraits>>),
);

/** `default` lists the core and reaches everything else through the discovery tools; `all` lists everything. */
export const toolsetNames = ['default', 'all', ...toolsets] as const;

/** The tools that find and call the tools that are not listed. */
export const discoveryNames = ['search_tools', 'query_tool', 'call_tool'] as const;

export const toolNames: readonly string[] = [...toolTraits.keys(), ...discoveryNames];

/** The tools that do the work of tools of earlier versions, by the names of those. */
export const successors: ReadonlyMap<string, string> = new Map(
  [...toolTraits].flatMap(([name, { replaces = [] }]) => replaces.map((former) => [former, name] as const)),
);

/** Whether a toolset has a tool. `default` and `all` are not toolsets of this kind. */
export function isIn(toolset: string, tool: string): boolean {
  return toolTraits.get(tool)?.toolsets.some((name) => name === toolset) ?? false;
}

/** Whether the views inside a chat call a tool. */
export function isInViews(tool: string): boolean {
  return toolTraits.get(tool)?.inViews === true || isIn('calendar', tool) || isIn('notifications', tool);
}
