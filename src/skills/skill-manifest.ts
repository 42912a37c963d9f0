import { parseFrontMatter, spacedDelimiter, splitFrontMatter } from '../front-matter.ts';
import { isObject, type Json, type JsonObject, messageOf } from '../json.ts';
import { decodeText, type SkillFrontmatter } from './skill.ts';

/** What is known of the skill without its front matter. */
interface Known {
  readonly name: string;
  readonly description?: string;
}

/** A SKILL.md as clients get it. */
interface Manifest {
  readonly frontmatter: SkillFrontmatter;
  /** The given bytes, unless the front matter had to be corrected. */
  readonly bytes: Buffer;
}

/**
 * Corrects the front matter of a SKILL.md where it breaks the specification, and warns of each correction. Clients refuse a
 * whole list for one invalid entry, and compare each entry with its file.
 */
export async function correctManifest(
  bytes: Buffer,
  { name, description }: Known,
  warn: (message: string) => void,
): Promise<Manifest> {
  const text = decodeText(bytes);
  if (text === undefined) throw new Error('the file is not valid UTF-8');
  const { fields, body, invalid } = await readManifest(text);
  if (invalid !== undefined)
    warn(`clients get other front matter, because that of the file is invalid: ${invalid}`);
  let isCorrected = invalid !== undefined;
  const correct = (message: string) => {
    if (invalid === undefined) warn(message);
    isCorrected = true;
  };
  const kept = Object.fromEntries(
    Object.entries(fields).filter(([field, value]) => {
      const problem = problemIn(value, 0) ?? (field === '__proto__' ? 'a reserved name' : undefined);
      if (problem !== undefined) correct(`"${field}" has ${problem} and is left out`);
      return problem === undefined;
    }),
  ) as Record<string, Json>;
  const { name: written, description: described, compatibility, metadata } = kept;
  if (written !== name)
    correct(`"name" is ${shown(written)}, so clients get "${name}", the name of the folder`);
  const summary = textOf(described) || description || `The skill ${name}`;
  if (described !== summary)
    correct(`"description" is ${shown(described)}, so clients get its first sentence`);
  const cut = (field: string, value: string, longest: number) => {
    if ([...value].length <= longest) return value;
    correct(`"${field}" is longer than ${longest} characters, so clients get its beginning`);
    return [...value].slice(0, longest).join('');
  };
  if (compatibility !== undefined && typeof compatibility !== 'string')
    correct('"compatibility" must be a text, so it is sent as one');
  const frontmatter = {
    ...kept,
    name,
    description: cut('description', summary, 1024),
    ...(compatibility !== undefined && { compatibility: cut('compatibility', textOf(compatibility), 500) }),
    ...(metadata !== undefined && { metadata: textsIn(metadata, correct) }),
  };
  return { frontmatter, bytes: isCorrected ? Buffer.from(printManifest(frontmatter, body)) : bytes };
}

/** A SKILL.md with this front matter. A JSON value is valid YAML, and its quotes keep names such as 123 and true texts. */
export function printManifest(frontmatter: SkillFrontmatter, body: string): string {
  const lines = Object.entries(frontmatter).map(
    ([key, value]) => `${/^[A-Za-z][\w-]*$/.test(key) ? key : JSON.stringify(key)}: ${JSON.stringify(value)}`,
  );
  return ['---', ...lines, '---', body].join('\n').toWellFormed();
}

interface ReadManifest {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** Why the front matter cannot be read. */
  readonly invalid?: string;
}

async function readManifest(text: string): Promise<ReadManifest> {
  try {
    return await parseFrontMatter(text, spacedDelimiter);
  } catch (error) {
    const invalid = messageOf(error);
    try {
      return { fields: {}, body: splitFrontMatter(text, spacedDelimiter).body, invalid };
    } catch {
      return { fields: {}, body: text.replace(/^\uFEFF/, ''), invalid };
    }
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string'
    ? value
    : value === undefined || value === null
      ? ''
      : JSON.stringify(value);
}

function shown(value: Json | undefined): string {
  return value === undefined ? 'missing' : JSON.stringify(value);
}

/** The values of `metadata` as texts, which clients require. */
function textsIn(metadata: Json, correct: (message: string) => void): JsonObject {
  const isValid = isObject(metadata) && Object.values(metadata).every((value) => typeof value === 'string');
  if (!isValid) correct('"metadata" must map names to texts, so other values are sent as texts');
  const entries = isObject(metadata) ? Object.entries(metadata) : [['value', metadata] as const];
  return Object.fromEntries(entries.map(([key, value]) => [key, textOf(value as Json)]));
}

/** Why a value cannot be sent: JSON would change it, and the client compares the list with the file. */
function problemIn(value: unknown, depth: number): string | undefined {
  if (depth > 32) return 'more than 32 levels';
  if (value === null || ['string', 'boolean'].includes(typeof value)) return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return undefined;
  const isTable = isObject(value) && !Object.hasOwn(value, '__proto__');
  if (!Array.isArray(value) && !isTable) return `the value ${String(value)}, which is not JSON,`;
  for (const item of Object.values(value as object)) {
    const problem = problemIn(item, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
