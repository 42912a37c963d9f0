import { createHash } from 'node:crypto';
import type { Problem } from '../feature.ts';
import { FileProblem, parseFrontMatter, spacedDelimiter } from '../front-matter.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';

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
/** First segment of the addresses of all prompts, so no skill folder may have this name. */
export const promptsSegment = 'prompts';

const scheme = 'skill://';

export function skillUri(...segments: readonly string[]): string {
  return `${scheme}${segments.map(encodeURIComponent).join('/')}`;
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

const mimeTypes: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  txt: 'text/plain',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  toml: 'application/toml',
  py: 'text/x-python',
  sh: 'application/x-sh',
  js: 'text/javascript',
  mjs: 'text/javascript',
  ts: 'text/typescript',
  html: 'text/html',
  css: 'text/css',
  csv: 'text/csv',
  xml: 'application/xml',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
};

export function mimeTypeOf(path: string): string {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(mimeTypes, extension) ? mimeTypes[extension]! : 'application/octet-stream';
}

const namePattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * Parses and validates the front matter of a SKILL.md. The clients refuse whole lists for one invalid entry, so long texts
 * are cut and other values become texts.
 */
export async function parseSkillFrontmatter(
  bytes: Buffer,
  folder: string,
  warn: (message: string) => void = () => {},
): Promise<SkillFrontmatter> {
  const fields = await parseFields(bytes);
  const { name, description, compatibility, metadata } = fields;
  if (typeof name !== 'string' || !isSkillName(name))
    throw new FileProblem(
      `"name" must be 1 to 64 lowercase letters, digits and single hyphens, not ${JSON.stringify(name ?? null)}`,
      2,
    );
  if (name !== folder)
    throw new FileProblem(`"name" is "${name}", but the folder is "${folder}"; give both the same name`, 2);
  if (typeof description !== 'string' || description === '')
    throw new FileProblem('"description" must be a text', 2);
  const cut = (field: string, value: string, longest: number) => {
    if ([...value].length <= longest) return value;
    warn(`"${field}" is longer than ${longest} characters, so clients get its beginning`);
    return [...value].slice(0, longest).join('');
  };
  return {
    ...fields,
    name,
    description: cut('description', description, 1024),
    ...(compatibility !== undefined && { compatibility: cut('compatibility', String(compatibility), 500) }),
    ...(metadata !== undefined && { metadata: textsIn(metadata, warn) }),
  };
}

/** The values of `metadata` as texts, which clients require. */
function textsIn(metadata: Json, warn: (message: string) => void): JsonObject {
  const isValid = isObject(metadata) && Object.values(metadata).every((value) => typeof value === 'string');
  if (!isValid) warn('"metadata" must map names to texts, so other values are sent as texts');
  const entries = isObject(metadata) ? Object.entries(metadata) : [['value', metadata] as const];
  return Object.fromEntries(
    entries.map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

function isSkillName(name: string): boolean {
  return name.length <= 64 && namePattern.test(name);
}

/** The text of a file, or `undefined` if it is not valid UTF-8. Keeps a byte order mark, which the digest covers. */
export function decodeText(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

async function parseFields(bytes: Buffer): Promise<Readonly<Record<string, Json>>> {
  const text = decodeText(bytes);
  if (text === undefined) throw new FileProblem('the file is not valid UTF-8', 1);
  const { fields } = await parseFrontMatter(text, spacedDelimiter);
  assertJson(fields, 0);
  return fields as Record<string, Json>;
}

/** Refuses values that JSON changes: the client compares the list with the file, field by field. */
function assertJson(value: unknown, depth: number): void {
  if (depth > 32) throw new FileProblem('the YAML is nested more than 32 levels deep', 2);
  if (value === null || ['string', 'boolean'].includes(typeof value)) return;
  if (typeof value === 'number' && Number.isFinite(value)) return;
  if (Array.isArray(value)) for (const item of value) assertJson(item, depth + 1);
  else if (isObject(value) && !Object.hasOwn(value, '__proto__'))
    for (const item of Object.values(value)) assertJson(item, depth + 1);
  else throw new FileProblem(`the YAML value ${String(value)} cannot be sent as JSON; put it in quotes`, 2);
}
