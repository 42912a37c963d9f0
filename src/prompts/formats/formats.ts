import { Failure } from '../../failure.ts';
import { nearest } from '../../nearest.ts';
import { claudeCommands, claudeSkills } from './claude-code.ts';
import { codex } from './codex.ts';
import { commands } from './commands.ts';
import { dotprompt } from './dotprompt.ts';
import { fabric } from './fabric.ts';
import type { Format } from './format.ts';
import { gemini } from './gemini.ts';
import { jsonl } from './jsonl.ts';
import { twig } from './twig.ts';
import { vscode } from './vscode.ts';

export const formats: readonly Format[] = [
  claudeCommands,
  claudeSkills,
  codex,
  vscode,
  gemini,
  fabric,
  dotprompt,
  commands,
  jsonl,
  twig,
];

export function formatNamed(name: string): Format {
  const format = formats.find((known) => known.name === name);
  if (format !== undefined) return format;
  const names = formats.map((known) => known.name);
  const suggestion = nearest(name, names);
  throw new Failure(
    'invalid-params',
    `Unknown format ${name}; ${suggestion === undefined ? `choose one of ${names.join(', ')}` : `did you mean ${suggestion}?`}`,
  );
}
