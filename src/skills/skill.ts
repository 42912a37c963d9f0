import { createHash } from 'node:crypto';
import type { Problem } from '../feature.ts';
import type { JsonObject } from '../json.ts';
import { knownMimeType } from '../mime-types.ts';

/** One skill with its files, as a source provides it. */
export interface Skill {
  readonly name: string;
  /** Address of the skill's folder, without a trailing slash. */
  readonly root: string;
  readonly frontmatter: SkillFrontmatter;
  /** Sorted by path. Contains SKILL.md. */
  readonly files: readonly SkillFile[];
  /** Subfolders by path, including folders without files. */
  readonly folders: readonly string[];
  /** Whether resources/list contains the SKILL.md. */
  readonly listed: boolean;
}

export interface SkillFrontmatter extends JsonObject {
  readonly name: string;
  readonly description: string;
}

export interface SkillFile {
  /** Path inside the skill's folder, with forward slashes. */
  readonly path: string;
  readonly digest: string;
  readonly size: number;
  read(): Promise<Buffer>;
}

/** The skills of one source, and the problems found while reading them. */
export interface SkillReading {
  readonly skills: readonly Skill[];
  readonly problems: readonly Problem[];
}

export const manifestName = 'SKILL.md';
export const directoryType = 'inode/directory';
/** Limits that every client accepts, from the specification of the extension. */
export const skillLimits = { files: 512, bytes: 16 * 1024 * 1024 };
/** First segment of the addresses of all prompts without a folder. */
export const promptsSegment = 'prompts';

/** Names of skills consist of lowercase letters, digits and single hyphens. Empty if the name has none of these. */
export function skillNameOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 65)
    .replace(/^-/, '')
    .slice(0, 64)
    .replace(/-$/, '');
}

const scheme = 'skill://';

export function skillUri(...segments: readonly string[]): string {
  return `${scheme}${segments.map(encodeURIComponent).join('/')}`;
}

/** The address of a skill folder: the prefix of the name, such as a plugin, comes before the skill's own name. */
export function addressOf(name: string): string {
  const parts = name.split(':');
  return skillUri(...parts.slice(0, -1), skillNameOf(parts.at(-1)!));
}

export function fileUri({ root }: Pick<Skill, 'root'>, path: string): string {
  return `${root}/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** The spelling under which an address is looked up. Clients may percent-encode more or fewer characters. */
export function canonicalUri(uri: string): string | undefined {
  if (!uri.startsWith(scheme)) return undefined;
  const path = uri.slice(scheme.length).replace(/\/$/, '');
  try {
    return skillUri(...path.split('/').map(decodeURIComponent));
  } catch {
    return undefined; // Invalid percent-encoding, or half of a surrogate pair.
  }
}

export function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

export function mimeTypeOf(path: string): string {
  return knownMimeType(path) ?? 'application/octet-stream';
}

/** The text of a file, or `undefined` if it is not valid UTF-8. Keeps a byte order mark, which the digest covers. */
export function decodeText(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
