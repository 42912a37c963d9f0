import { resolve } from 'node:path';
import { Failure } from '../../../failure.ts';
import { isInFolder } from '../../process/folder-scope.ts';
import type { ApprovalRequest } from './approval.ts';

export interface ApprovalRule {
  readonly verdict: 'allow' | 'ask' | 'refuse';
  /** The first words of the command. Empty: every request. */
  readonly prefix: readonly string[];
  /** Only for commands in this folder and below it. */
  readonly folder?: string;
}

/** Parses a rule such as `allow npm test in ~/shop`, `refuse git push` or `ask`. */
export function parseRule(text: string, userHome: string): ApprovalRule {
  const [, verdict, rest = ''] = /^\s*(allow|ask|refuse)(?:\s+(.*?))?\s*$/.exec(text) ?? [];
  if (verdict === undefined)
    throw new Failure(
      'refused',
      `The approval rule "${text}" is invalid: a rule starts with allow, ask or refuse, such as "allow npm test in ~/shop".`,
    );
  const [, command = '', folder] = /^(.*?)(?:(?:^|\s+)in\s+([/~].*))?$/.exec(rest)!;
  return {
    verdict: verdict as ApprovalRule['verdict'],
    prefix: command.split(/\s+/).filter((word) => word !== ''),
    ...(folder !== undefined && { folder: resolve(folder.replace(/^~(?=\/|$)/, userHome)) }),
  };
}

/** Characters with which a shell starts further commands or reads and writes other files. */
const shellSyntax = /[;&|<>$`(){}\\\n\r*?[\]!#~]/;
const separators = /[;&|<>$`(){}\n\r]+/;

/** Decides by the first rule that matches. Without one, a person decides. */
export function decideByRules(request: ApprovalRequest, rules: readonly ApprovalRule[]): ApprovalRule {
  return rules.find((rule) => matches(rule, request)) ?? { verdict: 'ask', prefix: [] };
}

/** `allow` covers only a single plain command; `ask` and `refuse` match any part of a longer one. */
function matches({ verdict, prefix, folder }: ApprovalRule, { command, cwd }: ApprovalRequest): boolean {
  if (folder !== undefined && (cwd === undefined || !isInFolder(resolve(cwd), folder))) return false;
  if (prefix.length === 0) return true;
  if (command === undefined) return false;
  if (verdict === 'allow') return !shellSyntax.test(command) && startsWith(command, prefix);
  return command.split(separators).some((part) => startsWith(part, prefix));
}

function startsWith(command: string, prefix: readonly string[]): boolean {
  const words = command.trim().split(/\s+/);
  return prefix.every((word, at) => words[at] === word);
}

export function ruleText({ verdict, prefix, folder }: ApprovalRule): string {
  return [verdict, ...prefix, ...(folder === undefined ? [] : ['in', folder])].join(' ');
}
