import { FileProblem } from '../../front-matter.ts';
import { messageOf } from '../../json.ts';

export async function parseToml(text: string): Promise<Readonly<Record<string, unknown>>> {
  const { parse, TomlError } = await import('smol-toml');
  try {
    return parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new FileProblem(messageOf(error).split('\n', 1)[0]!, error.line, error.column);
  }
}

/** Prints a TOML string. Text with line breaks becomes a readable multi-line string. */
export function tomlText(text: string): string {
  if (!text.includes('\n')) return `"${escapeBasic(text)}"`;
  if (!text.includes("'''") && !text.endsWith("'") && !/[^\P{Cc}\n\t]/u.test(text)) return `'''\n${text}'''`;
  return `"""\n${text.split('\n').map(escapeBasic).join('\n')}"""`;
}

function escapeBasic(line: string): string {
  return JSON.stringify(line).slice(1, -1).replaceAll('\x7f', '\\u007f');
}

export function tomlKey(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : `"${escapeBasic(name)}"`;
}
