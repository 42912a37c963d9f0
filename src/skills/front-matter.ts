import { isObject, type Json, messageOf } from '../json.ts';
import type { SkillFrontmatter } from './skill.ts';

/** An invalid SKILL.md, with the line if it is known. */
export class ManifestProblem extends Error {
  readonly line: number | undefined;
  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}

/** The YAML parser takes seconds for larger hostile input. Front matter written by hand is much smaller. */
const maxYamlLength = 16 * 1024;
const namePattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Parses and validates the front matter of a SKILL.md. The clients refuse whole lists for one invalid entry. */
export async function parseSkillFrontmatter(bytes: Buffer, folder: string): Promise<SkillFrontmatter> {
  const fields = await parseYaml(yamlOf(textOf(bytes)));
  const { name, description, compatibility, metadata } = fields;
  if (typeof name !== 'string' || !isSkillName(name))
    throw new ManifestProblem(
      `"name" must be 1 to 64 lowercase letters, digits and single hyphens, not ${JSON.stringify(name ?? null)}`,
    );
  if (name !== folder)
    throw new ManifestProblem(`"name" is "${name}", but the folder is "${folder}"; give both the same name`);
  if (!isText(description, 1024))
    throw new ManifestProblem('"description" must be a text of 1 to 1024 characters');
  if (compatibility !== undefined && !isText(compatibility, 500))
    throw new ManifestProblem('"compatibility" must be a text of 1 to 500 characters');
  if (
    metadata !== undefined &&
    !(isObject(metadata) && Object.values(metadata).every((value) => typeof value === 'string'))
  )
    throw new ManifestProblem('"metadata" must map names to texts; put numbers and dates in quotes');
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

function textOf(bytes: Buffer): string {
  const text = decodeText(bytes);
  if (text === undefined) throw new ManifestProblem('the file is not valid UTF-8');
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
}

function yamlOf(text: string): string {
  const lines = text.split('\n', maxYamlLength);
  if (lines[0] !== '---')
    throw new ManifestProblem('the file must begin with YAML between two "---" lines', 1);
  const end = lines.findIndex((line, index) => index > 0 && /^---[ \t]*$/.test(line));
  if (end < 0) throw new ManifestProblem('the line "---" after the YAML is missing');
  const yaml = lines.slice(1, end).join('\n');
  if (yaml.length > maxYamlLength)
    throw new ManifestProblem(
      `the YAML is larger than ${maxYamlLength / 1024} KB; move long text into the body`,
      2,
    );
  return yaml;
}

async function parseYaml(source: string): Promise<Readonly<Record<string, Json>>> {
  const { LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  const document = parseDocument(source, { lineCounter, prettyErrors: false, logLevel: 'silent' });
  const [error] = document.errors;
  if (error !== undefined)
    throw new ManifestProblem(`invalid YAML: ${error.message}`, lineCounter.linePos(error.pos[0]).line + 1);
  let fields: unknown;
  try {
    fields = document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    throw new ManifestProblem(`invalid YAML: ${messageOf(cause)}`, 2);
  }
  if (!isObject(fields)) throw new ManifestProblem('the YAML must consist of "key: value" lines', 2);
  assertJson(fields, 0);
  return fields as Record<string, Json>;
}

/** Refuses values that JSON changes: the client compares the list with the file, field by field. */
function assertJson(value: unknown, depth: number): void {
  if (depth > 32) throw new ManifestProblem('the YAML is nested more than 32 levels deep', 2);
  if (value === null || ['string', 'boolean'].includes(typeof value)) return;
  if (typeof value === 'number' && Number.isFinite(value)) return;
  if (Array.isArray(value)) for (const item of value) assertJson(item, depth + 1);
  else if (isObject(value) && !Object.hasOwn(value, '__proto__'))
    for (const item of Object.values(value)) assertJson(item, depth + 1);
  else
    throw new ManifestProblem(`the YAML value ${String(value)} cannot be sent as JSON; put it in quotes`, 2);
}

function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value !== '' && [...value].length <= longest;
}
