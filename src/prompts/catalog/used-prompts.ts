import type { PromptDefinition } from '../definition/definition.ts';
import { contentRevision } from '../definition/revision.ts';

type Named = ReadonlyMap<string, { readonly definition: PromptDefinition }>;

const composed = new WeakMap<PromptDefinition, PromptDefinition>();

/**
 * Adds the revisions of all prompts that a prompt uses, directly or through others, to its dependencies, so that a change
 * of one of them is a change of the prompt. Returns the same object while nothing changes.
 */
export function withUsedRevisions(definition: PromptDefinition, named: Named): PromptDefinition {
  if (definition.uses === undefined) return definition;
  const dependencies: Record<string, string> = { ...definition.dependencies };
  const pending = [...definition.uses];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const key = `prompt:${name}`;
    if (key in dependencies) continue;
    const used = named.get(name)?.definition;
    dependencies[key] = used === undefined ? 'missing' : contentRevision(used);
    pending.push(...(used?.uses ?? []));
  }
  const known = composed.get(definition);
  if (known !== undefined && JSON.stringify(known.dependencies) === JSON.stringify(dependencies))
    return known;
  const result = { ...definition, dependencies };
  composed.set(definition, result);
  return result;
}
