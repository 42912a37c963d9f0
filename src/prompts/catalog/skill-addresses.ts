import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Content } from '../../content.ts';
import { type Context, isOwner } from '../../context.ts';
import type { PromptDefinition } from '../definition/definition.ts';

/** The address of a skill's folder, by the name of its prompt. */
export type SkillAddress = (name: string) => string;

/** A longer list would cost more than it helps; the client can read the folder by its address. */
const maxFiles = 50;

/** The name of Claude Desktop, whose model cannot read files. */
const clientsWithoutFiles = new Set(['claude-ai']);
/** The first revision with links to resources. */
const firstWithLinks = '2025-06-18';

/**
 * A skill for this client. Only clients of the owner can read files of this machine, and not all of them; the others get the
 * addresses of the files.
 */
export function withAddresses(
  definition: PromptDefinition,
  { actor, client }: Pick<Context, 'actor' | 'client'>,
  addressOf: SkillAddress | undefined,
): PromptDefinition {
  const { folder, name } = definition;
  const readsFiles = isOwner(actor) && !clientsWithoutFiles.has(client.name);
  if (folder === undefined || addressOf === undefined || readsFiles) return definition;
  const root = addressOf(name);
  const addresses = filesIn(folder).map(
    (path) => `${root}/${path.split('/').map(encodeURIComponent).join('/')}`,
  );
  return { ...definition, folder: root, addresses };
}

/** Links to the files of a skill, for a client that got their addresses. */
export function linksTo(
  { addresses = [], folder = '' }: PromptDefinition,
  { client }: Pick<Context, 'client'>,
): readonly Content[] {
  if (client.protocolVersion < firstWithLinks) return [];
  return addresses.map((uri) => ({
    type: 'resource_link',
    uri,
    name: decodeURIComponent(uri.slice(folder.length + 1)),
  }));
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
