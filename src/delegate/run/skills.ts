import { promises as disk } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseFrontMatter, spacedDelimiter, splitFrontMatter } from '../../front-matter.ts';
import { readRegularFile } from '../../regular-file.ts';

export type SkillOrigin = 'repo' | 'global';

/** A skill, as tool results show it. */
export interface Skill {
  readonly name: string;
  readonly description?: string;
  readonly origin: SkillOrigin;
  readonly path: string;
  /** Why it is offered, if it was chosen by the words of the task. */
  readonly reason?: string;
}

/** The reason of skills whose names the task contains. */
export const namedInTask = 'named in the task';

/** A skill with the text used for ranking. */
export interface IndexedSkill extends Skill {
  /** The beginning of the text below the front matter. */
  readonly opening: string;
}

export interface SkillLocations {
  readonly cwd: string;
  readonly codexHome: string;
  readonly userHome: string;
  readonly includeRepo: boolean;
  readonly includeGlobal: boolean;
  /** Further folders of the person's skills. */
  readonly library?: readonly string[] | undefined;
}

export interface SkillIndex {
  /** Existing skill folders, nearest first. */
  readonly roots: Readonly<Record<SkillOrigin, readonly string[]>>;
  /** Repository skills first, then global skills, each by path. */
  readonly skills: readonly IndexedSkill[];
}

const skillParents = ['.codex', '.agents'];
const openingLength = 2048;
// Limit the search, because a symbolic link can lead to a large folder tree.
const limits = { depth: 6, folders: 2000, bytes: 256 * 1024 };

/** Finds every skill that a run in this folder may use. Unreadable files are ignored. */
export async function discoverSkills(locations: SkillLocations): Promise<SkillIndex> {
  const { codexHome, userHome, library = [] } = locations;
  const global = [join(codexHome, 'skills'), join(userHome, '.agents', 'skills'), ...library];
  const repo = locations.includeRepo ? await listRepoRoots(locations.cwd) : [];
  const roots = {
    repo: await filterExisting(repo.filter((root) => !global.includes(root))),
    global: locations.includeGlobal ? await filterExisting(global) : [],
  };
  const seen = new Set<string>();
  const skills: IndexedSkill[] = [];
  for (const origin of ['repo', 'global'] as const) {
    for (const root of roots[origin]) {
      for (const path of await findSkillFiles(root, seen)) {
        const skill = await loadSkill(path, origin);
        if (skill !== undefined) skills.push(skill);
      }
    }
  }
  return { roots, skills };
}

/** The folders of skills that are not in the repository, and so can be below a folder that is hidden from agents. */
export function skillFolders(skills: readonly Skill[]): readonly string[] {
  return skills.flatMap(({ origin, path }) => (origin === 'global' ? [dirname(path)] : []));
}

export function asSkill({ name, description, origin, path }: Skill): Skill {
  return { name, ...(description !== undefined && { description }), origin, path };
}

async function listRepoRoots(cwd: string): Promise<string[]> {
  const start = (await disk.stat(cwd).catch(() => undefined))?.isFile() ? dirname(cwd) : resolve(cwd);
  const roots: string[] = [];
  for (let folder = start; ; folder = dirname(folder)) {
    // Do not trust world-writable folders above the working folder: any user can plant a skill there.
    const mode = (await disk.stat(folder).catch(() => undefined))?.mode ?? 0;
    if (folder === start || (mode & 0o002) === 0)
      roots.push(...skillParents.map((parent) => join(folder, parent, 'skills')));
    if (dirname(folder) === folder) return roots;
  }
}

async function filterExisting(folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    folders.map(async (folder) =>
      (await disk.stat(folder).catch(() => undefined))?.isDirectory() ? [folder] : [],
    ),
  );
  return found.flat();
}

/** Lists the files named exactly `SKILL.md`, by path. Follows symbolic links, but visits each real folder only once. */
async function findSkillFiles(root: string, seen: Set<string>): Promise<string[]> {
  const found: string[] = [];
  let remaining = limits.folders;
  const visit = async (folder: string, depth: number): Promise<void> => {
    const real = await disk.realpath(folder).catch(() => folder);
    if (seen.has(real) || remaining-- <= 0) return;
    seen.add(real);
    const entries = await disk.readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const { name } = entry;
      const path = join(folder, name);
      if (name === 'SKILL.md') found.push(path);
      // Codex keeps its bundled skills in `.system`. They are about Codex itself, so they would only distract.
      else if (depth < limits.depth && !name.startsWith('.') && name !== 'node_modules') {
        const isFolderLink =
          entry.isSymbolicLink() && (await disk.stat(path).catch(() => undefined))?.isDirectory();
        if (entry.isDirectory() || isFolderLink) await visit(path, depth + 1);
      }
    }
  };
  await visit(root, 0);
  return found.sort((one, other) => (one < other ? -1 : 1));
}

async function loadSkill(path: string, origin: SkillOrigin): Promise<IndexedSkill | undefined> {
  const text = await readRegularFile(path, limits.bytes).catch(() => undefined);
  if (text === undefined) return undefined;
  const { fields, body } = await parseSkill(text);
  if (fields['delegator_exclude'] === true) return undefined;
  const name = asText(fields['name']) ?? basename(dirname(path));
  const description = asText(fields['description']);
  return {
    name,
    ...(description !== undefined && { description }),
    origin,
    path,
    opening: body.trim().slice(0, openingLength),
  };
}

/** Splits a skill file into front matter and body. Front matter that cannot be parsed as YAML is read line by line. */
export async function parseSkill(
  source: string,
): Promise<{ readonly fields: Readonly<Record<string, unknown>>; readonly body: string }> {
  const text = source.replaceAll('\r\n', '\n');
  try {
    return await parseFrontMatter(text, spacedDelimiter);
  } catch {
    return parseLoosely(text);
  }
}

/** Reads `key: value` lines. Many published skills have a colon in an unquoted description, which YAML does not allow. */
function parseLoosely(text: string): Awaited<ReturnType<typeof parseSkill>> {
  try {
    const { head, body } = splitFrontMatter(text, spacedDelimiter);
    const pairs = head.flatMap((line) => {
      const [, key, value] = /^([A-Za-z_-]+):[ \t]+(\S.*)$/.exec(line) ?? [];
      if (value === undefined || /^[|>[{&*!%@`]/.test(value)) return [];
      return [[key!, value === 'true' ? true : value.replace(/^(['"])(.*)\1$/, '$2')]];
    });
    return { fields: Object.fromEntries(pairs), body };
  } catch {
    // The file has no front matter, or it never ends.
    return { fields: {}, body: text };
  }
}

function asText(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value).trim().replaceAll(/\s+/g, ' ');
  return text === '' ? undefined : text;
}
