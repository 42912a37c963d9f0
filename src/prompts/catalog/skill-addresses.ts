import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type Actor, isOwner } from '../../context.ts';
import type { PromptDefinition } from '../definition/definition.ts';

/** The address of a skill's folder, by the name of its prompt. */
export type SkillAddress = (name: string) => string;

/** A longer list would cost more than it helps; the client can read the folder by its address. */
const maxFiles = 50;

/** A skill for this actor: only the owner can read files of this machine, the others get their addresses. */
export function withAddresses(
  definition: PromptDefinition,
  actor: Actor,
  addressOf: SkillAddress | undefined,
): PromptDefinition {
  const { folder, name } = definition;
  if (folder === undefined || addressOf === undefined || isOwner(actor)) return definition;
  const root = addressOf(name);
  const addresses = filesIn(folder).map(
    (path) => `${root}/${path.split('/').map(encodeURIComponent).join('/')}`,
  );
  return { ...definition, folder: root, addresses };
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'))
      .filter((path) => path !== 'SKILL.md' && !/(?:^|\/)\./.test(path))
      .sort()
      .slice(0, maxFiles);
  } catch {
    return []; // The folder was removed in the meantime.
  }
}
