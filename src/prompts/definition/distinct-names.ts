import type { PromptDefinition } from './definition.ts';

export interface DistinctNames {
  /** By name. */
  readonly served: ReadonlyMap<string, PromptDefinition>;
  /** The original names of prompts that were renamed because their name was taken. */
  readonly renamed: ReadonlyMap<string, string>;
  /** Prompts that are not served, each with the prompt that has its name. */
  readonly repeated: readonly (readonly [prompt: PromptDefinition, first: PromptDefinition])[];
}

const kindOf = ({ tags, file }: PromptDefinition) =>
  tags.includes('agent') ? 'agent' : /(?:^|[\\/])SKILL\.md$/.test(file) ? 'skill' : 'command';
/** Of two kinds, the later one yields. Claude Code prefers a skill to a command, too. */
const kinds = ['skill', 'command', 'agent'];

/**
 * Gives every name to one prompt, usually the first. Authors give an agent or a command and the skill that it works with the
 * same name on purpose, so both are served: the agent as `name-agent`, the command as `name-command`, unless that name is
 * taken. A copy with the same text is no problem.
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
    const [one, other] = [first, prompt].sort((a, b) => kinds.indexOf(kindOf(a)) - kinds.indexOf(kindOf(b)));
    const name = `${other!.name}-${kindOf(other!)}`;
    const isSameKind = kindOf(first) === kindOf(prompt);
    const taken = isSameKind ? first : served.get(name);
    if (taken === undefined) {
      served.set(one!.name, one!).set(name, { ...other!, name });
      renamed.set(name, other!.name);
    } else if (!isSameText(prompt, taken)) repeated.push([prompt, first]);
  }
  return { served, renamed, repeated };
}

function isSameText({ messages }: PromptDefinition, other: PromptDefinition): boolean {
  return JSON.stringify(messages) === JSON.stringify(other.messages);
}

/** What lint and a mounted folder say about a prompt that is not served. */
export function repeatedMessage({ name }: PromptDefinition, { file }: PromptDefinition): string {
  return `this file is not served: the name ${name} is already used by ${file}, which has another text`;
}
