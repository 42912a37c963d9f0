import type { PromptDefinition } from './definition.ts';

export interface DistinctNames {
  /** By name. */
  readonly served: ReadonlyMap<string, PromptDefinition>;
  /** The original names of prompts that were renamed because their name was taken. */
  readonly renamed: ReadonlyMap<string, string>;
  /** Prompts that are not served, each with the prompt that has its name. */
  readonly repeated: readonly (readonly [prompt: PromptDefinition, first: PromptDefinition])[];
}

const isAgent = ({ tags }: PromptDefinition) => tags.includes('agent');

/**
 * Gives every name to one prompt, usually the first. Authors give an agent and the skill that it works with the same name on
 * purpose, so both are served: the agent as `name-agent`, unless that name is taken.
 */
export function distinctNames(prompts: readonly PromptDefinition[]): DistinctNames {
  const served = new Map<string, PromptDefinition>();
  const others: PromptDefinition[] = [];
  for (const prompt of prompts) {
    if (served.has(prompt.name)) others.push(prompt);
    else served.set(prompt.name, prompt);
  }
  const renamed = new Map<string, string>();
  const repeated: (readonly [PromptDefinition, PromptDefinition])[] = [];
  for (const prompt of others) {
    const first = served.get(prompt.name)!;
    const [agent, other] = isAgent(first) ? [first, prompt] : [prompt, first];
    const name = `${agent.name}-agent`;
    if (!isAgent(agent) || isAgent(other) || served.has(name)) repeated.push([prompt, first]);
    else {
      served.set(other.name, other).set(name, { ...agent, name });
      renamed.set(name, agent.name);
    }
  }
  return { served, renamed, repeated };
}
