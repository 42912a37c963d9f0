import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Records } from '../records.ts';
import type { EditablePromptSource, PromptSource } from './definition/source.ts';
import { BuiltInSource } from './jsonl/built-in-source.ts';
import { SharedSource } from './jsonl/shared-source.ts';
import { UserSource } from './jsonl/user-source.ts';
import { MountSource } from './mounts/mount.ts';
import type { PromptsOptions } from './prompts.ts';
import type { ComposedPrompts } from './rendering/composition.ts';
import { localRepositories } from './repositories/repository.ts';
import { RepositorySource } from './repositories/repository-source.ts';
import { CommandSource } from './sources/commands.ts';
import { TwigSource } from './sources/twig.ts';

/**
 * All sources of the standard contract. If several sources have a prompt of the same name, the first one counts: the user's
 * own prompts, those of hexai, commands, libraries, those of twig, repositories and mounts in their order, built-in prompts.
 */
export function createSources(
  {
    commandsDir,
    jsonlDir,
    twigDir,
    originals = {},
    mounts = [],
    userHome,
    records,
    poll = false,
    namedBy = {},
    repositories,
  }: PromptsOptions,
  find: ComposedPrompts['find'],
): {
  readonly user: EditablePromptSource;
  readonly hexai: readonly UserSource[];
  readonly sources: readonly PromptSource[];
} {
  const user = createUserSource(jsonlDir, poll, records);
  // A database replaces the files of this machine; `migrate` copies the prompts of hexai too.
  const hexaiDir = records === undefined ? otherFolder(originals.hexaiDir, jsonlDir) : undefined;
  const otherTwigDir = otherFolder(originals.twigDir, twigDir);
  const hexai = hexaiDir === undefined ? [] : [new UserSource({ name: 'hexai', folder: hexaiDir, poll })];
  const builtInDir = existsSync(join(jsonlDir, 'default.jsonl')) ? jsonlDir : (hexaiDir ?? jsonlDir);
  const libraries: (TwigSource | RepositorySource)[] = [];
  const composedPrompts: ComposedPrompts = {
    find,
    async libraryFile(library, path) {
      for (const source of libraries) {
        const text = await source.templateFile(library, path);
        if (text !== undefined) return text;
      }
      return undefined;
    },
  };
  const composition = async () => {
    const { Composition } = await import('./rendering/composition.ts');
    return new Composition(composedPrompts);
  };
  libraries.push(
    new TwigSource({
      name: 'libraries',
      folder: twigDir,
      userHome,
      poll,
      namedBy: namedBy.twigDir,
      composition,
    }),
    ...(otherTwigDir === undefined
      ? []
      : [new TwigSource({ folder: otherTwigDir, userHome, poll, composition })]),
    ...localRepositories(repositories?.folder ?? '', repositories?.list ?? []).map(
      (repository) => new RepositorySource({ repository, git: repositories!.git, poll, composition }),
    ),
  );
  const sources = [
    user,
    ...hexai,
    new CommandSource({ folder: commandsDir, poll, namedBy: namedBy.commandsDir, composition }),
    ...libraries,
    ...mounts.map((mount) => new MountSource({ ...mount, poll })),
    new BuiltInSource({ folder: builtInDir, seeds: false, poll, namedBy: namedBy.jsonlDir }),
  ];
  return { user, hexai, sources };
}

/** Returns the folder if it exists and is not the own one. */
function otherFolder(folder: string | undefined, own: string): string | undefined {
  return folder !== undefined && folder !== own && existsSync(folder) ? folder : undefined;
}

export function createUserSource(
  folder: string,
  poll: boolean,
  records: Records | undefined,
): EditablePromptSource {
  return records === undefined ? new UserSource({ folder, poll }) : new SharedSource(records);
}
