import { isAbsolute, join } from 'node:path';
import { readRegularFileSync } from '../../regular-file.ts';
import type { Places } from '../../setting.ts';

/** Returns `prompts_dir` from the table `[mcp]` of hexai's settings, so that its prompts are read in place. */
export function hexaiPromptsDir({ settings, userHome }: Places): string | undefined {
  let text: string;
  try {
    text = readRegularFileSync(join(settings, 'hexai', 'config.toml'));
  } catch {
    return undefined;
  }
  const [, table = ''] = /^\s*\[mcp\][^\n]*\n((?:(?!\s*\[)[^\n]*(?:\n|$))*)/m.exec(text) ?? [];
  const [, basic, literal] = /^\s*prompts_dir\s*=\s*(?:"((?:\\.|[^"\\])*)"|'([^']*)')/m.exec(table) ?? [];
  const path = basic === undefined ? literal : unescapeBasic(basic);
  if (path === undefined || path === '') return undefined;
  if (path.startsWith('~/')) return join(userHome, path.slice(2));
  return isAbsolute(path) ? path : undefined;
}

function unescapeBasic(text: string): string {
  return text.replaceAll(/\\(.)/g, '$1');
}
