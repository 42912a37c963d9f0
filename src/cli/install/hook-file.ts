import { isDeepStrictEqual } from 'node:util';
import type { Node } from 'jsonc-parser';
import { isObject } from '../../json.ts';
import { UsageError } from '../terminal/command.ts';
import { addMember, parse, removeMember, withoutMark } from './client-file.ts';

// A hook is a command that a client runs at an event. In the JSON file of the client, `hooks` holds a list of groups for each
// event, and each group a list of commands. We add one group of our own and leave all others as they are.

const ours = 'prompts hook';

/** Adds our hook to the text of a client's settings, or replaces it. */
export async function withHook(text: string, file: string, event: string, command: string): Promise<string> {
  const group = { hooks: [{ type: 'command', command, timeout: 20 }] };
  return edit(
    await withoutHook(text, file, event),
    file,
    event,
    (plain) => added(plain, event, group),
    group,
  );
}

/** Removes our hook, and a list that would be empty without it. */
export async function withoutHook(text: string, file: string, event: string): Promise<string> {
  if ((await hookCommand(text, file, event)) === undefined) return text;
  return edit(text, file, event, (plain) => removed(plain, event), undefined);
}

/** The command of our hook, if the settings have it. */
export async function hookCommand(text: string, file: string, event: string): Promise<string | undefined> {
  if (!text.includes(ours)) return undefined;
  const { hooks } = await parse(withoutMark(text), file, { format: 'json' });
  const groups = isObject(hooks) ? hooks[event] : undefined;
  return Array.isArray(groups) ? groups.map(commandOf).find((command) => command !== undefined) : undefined;
}

function commandOf(group: unknown): string | undefined {
  if (!isObject(group) || !Array.isArray(group['hooks']) || group['hooks'].length !== 1) return undefined;
  const [hook] = group['hooks'] as readonly unknown[];
  const command = isObject(hook) ? hook['command'] : undefined;
  const isOurs = typeof command === 'string' && command.includes('adjutant') && command.includes(ours);
  return isOurs ? command : undefined;
}

/** Edits the text, then parses it again to make sure that no other setting changed. */
async function edit(
  text: string,
  file: string,
  event: string,
  change: (text: string) => Promise<string>,
  group: object | undefined,
): Promise<string> {
  const plain = withoutMark(text);
  const before = await parse(plain, file, { format: 'json' });
  const windows = plain.includes('\r\n') && !/(?<!\r)\n/.test(plain);
  const after = windows
    ? (await change(plain.replaceAll('\r\n', '\n'))).replaceAll('\n', '\r\n')
    : await change(plain);
  const result = await parse(after, file, { format: 'json' }).catch(() => undefined);
  if (!isDeepStrictEqual(result, expected(before, event, group)))
    throw new UsageError(
      `${file}: "hooks" cannot be edited safely; ${group ? 'add' : 'remove'} the hook by hand. Nothing was changed`,
    );
  return text.slice(0, text.length - plain.length) + after;
}

function expected(before: Readonly<Record<string, unknown>>, event: string, group: object | undefined) {
  const { hooks, ...others } = before;
  const { [event]: groups, ...events } = (hooks ?? {}) as Record<string, unknown>;
  const rest = ((groups ?? []) as readonly unknown[]).filter((one) => commandOf(one) === undefined);
  const all = group === undefined ? rest : [...rest, group];
  const left = all.length === 0 ? events : { ...events, [event]: all };
  return Object.keys(left).length === 0 ? others : { ...others, hooks: left };
}

async function added(text: string, event: string, group: object): Promise<string> {
  const { findNodeAtLocation, parseTree } = await import('jsonc-parser');
  const before = text.trim() === '' ? '{}\n' : text;
  const root = parseTree(before, [], { allowTrailingComma: true })!;
  const indent = /^([ \t]+)"/m.exec(before)?.[1] ?? '  ';
  const [hooks, list] = [findNodeAtLocation(root, ['hooks']), findNodeAtLocation(root, ['hooks', event])];
  const lines = (value: unknown, depth: number) =>
    indent.repeat(depth) + JSON.stringify(value, null, indent).replaceAll('\n', `\n${indent.repeat(depth)}`);
  const member = (name: string, value: unknown, depth: number) =>
    `${indent.repeat(depth)}"${name}": ${lines(value, depth).trimStart()}`;
  if (list !== undefined) return addMember(before, list, lines(group, 3), indent.repeat(2));
  if (hooks !== undefined) return addMember(before, hooks, member(event, [group], 2), indent);
  return addMember(before, root, member('hooks', { [event]: [group] }, 1), '');
}

async function removed(text: string, event: string): Promise<string> {
  const { findNodeAtLocation, getNodeValue, parseTree } = await import('jsonc-parser');
  const root = parseTree(text, [], { allowTrailingComma: true })!;
  const list = findNodeAtLocation(root, ['hooks', event])!;
  const item = list.children!.find((node) => commandOf(getNodeValue(node)) !== undefined)!;
  let member: Node = item;
  // A list or table that holds nothing else goes with it.
  while (member.parent!.children!.length === 1 && member.parent!.parent?.type === 'property')
    member = member.parent!.parent;
  return removeMember(text, member);
}
