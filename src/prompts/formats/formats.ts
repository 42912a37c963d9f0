import { Failure } from '../../failure.ts';
import { nearest } from '../../nearest.ts';
import {
  claudeCommands,
  claudeSkills,
  lastOldVersion,
  oldClaudeCommands,
  oldClaudeSkills,
} from './claude-code.ts';
import { codex } from './codex.ts';
import { commands } from './commands.ts';
import { dotprompt } from './dotprompt.ts';
import { fabric } from './fabric.ts';
import type { Format } from './format.ts';
import { gemini, qwen } from './gemini.ts';
import { jsonl } from './jsonl.ts';
import { opencode } from './opencode.ts';
import { promptsChat } from './prompts-chat.ts';
import { twig } from './twig.ts';
import { vscode } from './vscode.ts';
import { codexSkills, cursor } from './whole-file.ts';

export const formats: readonly Format[] = [
  claudeCommands,
  claudeSkills,
  codex,
  codexSkills,
  vscode,
  gemini,
  qwen,
  opencode,
  cursor,
  promptsChat,
  fabric,
  dotprompt,
  commands,
  jsonl,
  twig,
];

/** `version` is the version of the client whose rules apply. Default: the newest known. */
export function formatNamed(name: string, version?: string): Format {
  const isOld = version !== undefined && version.localeCompare(lastOldVersion, 'en', { numeric: true }) <= 0;
  const known = isOld ? [oldClaudeCommands, oldClaudeSkills, ...formats] : formats;
  const format = known.find((one) => one.name === name);
  if (format !== undefined) return format;
  const names = formats.map((one) => one.name);
  const suggestion = nearest(name, names);
  throw new Failure(
    'invalid-params',
    `Unknown format ${name}; ${suggestion === undefined ? `choose one of ${names.join(', ')}` : `did you mean ${suggestion}?`}`,
  );
}
