import { Failure } from '../../failure.ts';
import { nearest } from '../../nearest.ts';
import type { Format } from './format.ts';

/**
 * Every format by its name. A new format is a file in this folder and a line here; the rest is derived from both. A format
 * is loaded on first use, because the settings need all names at the start.
 */
const mountableFormats = {
  'claude-code': async () => (await import('./claude-code.ts')).claudeCommands,
  'claude-skills': async () => (await import('./claude-code.ts')).claudeSkills,
  'claude-plugins': async () => (await import('./claude-code.ts')).claudePlugins,
  codex: async () => (await import('./codex.ts')).codex,
  'codex-skills': async () => (await import('./codex.ts')).codexSkills,
  vscode: async () => (await import('./vscode.ts')).vscode,
  gemini: async () => (await import('./gemini.ts')).gemini,
  qwen: async () => (await import('./gemini.ts')).qwen,
  opencode: async () => (await import('./opencode.ts')).opencode,
  cursor: async () => (await import('./cursor.ts')).cursor,
  'prompts-chat': async () => (await import('./prompts-chat.ts')).promptsChat,
  fabric: async () => (await import('./fabric.ts')).fabric,
  dotprompt: async () => (await import('./dotprompt.ts')).dotprompt,
  commands: async () => (await import('./commands.ts')).commands,
  jsonl: async () => (await import('./jsonl.ts')).jsonl,
};

const allFormats: Readonly<Record<string, () => Promise<Format>>> = {
  ...mountableFormats,
  twig: async () => (await import('./twig.ts')).twig,
};

/** Formats of prompt files that can be served from the folder they are in. */
export const mountable = Object.keys(mountableFormats);

/** Formats that can be imported, exported and linted. */
export const formatNames = Object.keys(allFormats);

export function loadFormats(): Promise<readonly Format[]> {
  return Promise.all(Object.values(allFormats).map((load) => load()));
}

/** `version` is the version of the client whose rules apply. Default: the newest known. */
export async function formatNamed(name: string, version?: string): Promise<Format> {
  const load = Object.hasOwn(allFormats, name) ? allFormats[name] : undefined;
  if (load === undefined) {
    const suggestion = nearest(name, formatNames);
    throw new Failure(
      'invalid-params',
      `Unknown format ${name}; ${suggestion === undefined ? `choose one of ${formatNames.join(', ')}` : `did you mean ${suggestion}?`}`,
    );
  }
  const format = await load();
  const { older } = format;
  const isOld =
    older !== undefined &&
    version !== undefined &&
    version.localeCompare(older.lastVersion, 'en', { numeric: true }) <= 0;
  return isOld ? older.format : format;
}

/** The format of a client's folder in the path, or `undefined` if the path contains none. */
export async function formatOfFolder(path: string): Promise<Format | undefined> {
  const folder = `/${path.replaceAll('\\', '/')}/`;
  return (await loadFormats()).find(({ folders = [] }) => folders.some((own) => folder.includes(`/${own}/`)));
}
