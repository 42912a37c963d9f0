/** Formats of prompt files that can be served from the folder they are in. */
export const mountable = [
  'claude-code',
  'claude-skills',
  'codex',
  'codex-skills',
  'vscode',
  'gemini',
  'qwen',
  'opencode',
  'cursor',
  'prompts-chat',
  'fabric',
  'dotprompt',
  'commands',
  'jsonl',
] as const;

/** Formats that can be imported, exported and linted. */
export const formatNames = [...mountable, 'twig'] as const;
export type FormatName = (typeof formatNames)[number];
