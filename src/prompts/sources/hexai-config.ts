import { isAbsolute, join } from 'node:path';
import { readRegularFileSync } from '../../regular-file.ts';
import type { Places } from '../../setting.ts';

/** `prompts_dir` of the table `[mcp]` in the settings of hexai, whose prompts are read in place. */
export function hexaiPromptsDir({ settings, userHome }: Places): string | undefined {
  let text: string;
  try {
    text = readRegularFileSync(join(settings, 'hexai', 'config.toml'));
  } catch {
    return undefined;
  }
  const [, table = ''] = /^\s*\[mcp\][^\n]*\n((?:(?!\s*\[)[^\n]*(?:\n|$))*)/m.exec(text) ?? [];
  const [, basic, literal] = /^\s*prompts_dir\s*=\s*(?:"((?:\\.|[^"\\])*)"|'([^']*)')/m.exec(table) ?? [];
  const written = basic === undefined ? literal : unescaped(basic);
  if (written === undefined || written === '') return undefined;
  if (written.startsWith('~/')) return join(userHome, written.slice(2));
  return isAbsolute(written) ? written : undefined;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, '$1');
}
