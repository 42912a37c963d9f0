import { FileProblem, parseFrontMatter, spacedDelimiter } from '../front-matter.ts';
import { isObject, type Json } from '../json.ts';
import type { SkillFrontmatter } from './skill.ts';

const namePattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Parses and validates the front matter of a SKILL.md. The clients refuse whole lists for one invalid entry. */
export async function parseSkillFrontmatter(bytes: Buffer, folder: string): Promise<SkillFrontmatter> {
  const fields = await parseFields(bytes);
  const { name, description, compatibility, metadata } = fields;
  if (typeof name !== 'string' || !isSkillName(name))
    throw new FileProblem(
      `"name" must be 1 to 64 lowercase letters, digits and single hyphens, not ${JSON.stringify(name ?? null)}`,
      2,
    );
  if (name !== folder)
    throw new FileProblem(`"name" is "${name}", but the folder is "${folder}"; give both the same name`, 2);
  if (!isText(description, 1024))
    throw new FileProblem('"description" must be a text of 1 to 1024 characters', 2);
  if (compatibility !== undefined && !isText(compatibility, 500))
    throw new FileProblem('"compatibility" must be a text of 1 to 500 characters', 2);
  if (
    metadata !== undefined &&
    !(isObject(metadata) && Object.values(metadata).every((value) => typeof value === 'string'))
  )
    throw new FileProblem('"metadata" must map names to texts; put numbers and dates in quotes', 2);
  return { ...fields, name, description };
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

function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value !== '' && [...value].length <= longest;
}
