import { join } from 'node:path';
import { readRegularFile } from '../../regular-file.ts';

const maxBytes = 1024 * 1024;

/** Parses a settings file of Codex. A missing or invalid file yields no settings; Codex itself reports the error. */
export async function readCodexSettings(file: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readRegularFile(file, maxBytes).catch(() => '');
  if (text === '') return {};
  const { parse } = await import('smol-toml');
  try {
    return parse(text);
  } catch {
    return {};
  }
}

export function userSettingsFile(codexHome: string): string {
  return join(codexHome, 'config.toml');
}
