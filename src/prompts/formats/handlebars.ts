import { FileProblem } from '../../front-matter.ts';

/** A part of the Handlebars body of a dotprompt file. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable' | 'if' | 'unless'; readonly name: string }
  | { readonly kind: 'role'; readonly role: string }
  | { readonly kind: 'else' | 'end' | 'comment' };

/** Backslashes before a tag, or a tag. */
const tagOrEscape = /\\+(?=\{\{)|\{\{\{[^{}]*\}\}\}|\{\{[^{}]*\}\}/g;

/** Throws FileProblem at the first construct that is not supported. */
export function parseHandlebars(source: string, bodyLine: number): readonly Part[] {
  const body = shortenComments(source);
  const parts: Part[] = [];
  const open: string[] = [];
  let end = 0;
  const text = (from: number, to: number) => {
    if (to > from) parts.push({ kind: 'text', text: body.slice(from, to) });
  };
  const tags = new RegExp(tagOrEscape);
  for (let match = tags.exec(body); match !== null; match = tags.exec(body)) {
    const { 0: found, index } = match;
    const fail = (message: string) =>
      new FileProblem(`${found} ${message}`, bodyLine + body.slice(0, index).split('\n').length - 1);
    if (found.startsWith('\\')) {
      // One backslash makes the braces plain text. Of several, the first is removed, and the tag counts.
      text(end, index + found.length - 1);
      end = index + found.length;
      if (found.length === 1) tags.lastIndex = end + 2;
      continue;
    }
    const { inner, before, after } = parseTag(found);
    const part = parsePart(inner);
    if (part === undefined)
      throw fail(
        'is not supported, so this file is left out; only variables, if, unless, else and role can be converted',
      );
    if (part.kind === 'if' || part.kind === 'unless') open.push(part.kind);
    if (part.kind === 'else' && open.length === 0) throw fail('is outside a block');
    if (part.kind === 'end' && open.pop() !== inner.slice(1).trim())
      throw fail('closes a block that is not open');
    if (part.kind === 'role' && open.length > 0) throw fail('is not allowed inside a block');
    const alone =
      part.kind !== 'variable' && part.kind !== 'role'
        ? lineAround(body, index, index + found.length)
        : undefined;
    const from = before ? body.slice(0, index).trimEnd().length : (alone?.[0] ?? index);
    text(end, Math.max(end, from));
    parts.push(part);
    const tagEnd = index + found.length;
    end = after ? tagEnd + /^\s*/.exec(body.slice(tagEnd))![0].length : (alone?.[1] ?? tagEnd);
  }
  if (open.length > 0) throw new FileProblem(`{{#${open.at(-1)}}} is never closed`, bodyLine);
  text(end, body.length);
  return parts;
}

/** Empties `{{!-- … --}}` comments, which may contain braces, but keeps their line breaks for correct line numbers. */
function shortenComments(body: string): string {
  let text = '';
  let end = 0;
  for (let start = body.indexOf('{{!--'); start >= 0; start = body.indexOf('{{!--', end)) {
    const close = body.indexOf('--}}', start + 5);
    if (close < 0) break;
    if (/(?<!\\)\\$/.test(body.slice(Math.max(0, start - 2), start))) {
      text += body.slice(end, start + 5);
      end = start + 5;
      continue;
    }
    text += `${body.slice(end, start)}{{!${'\n'.repeat(body.slice(start, close).split('\n').length - 1)}}}`;
    end = close + 4;
  }
  return text + body.slice(end);
}

/** Separates the content of a tag from its `~` marks, which strip the whitespace on their side. */
function parseTag(found: string): { inner: string; before: boolean; after: boolean } {
  const bare = found.replace(/^\{\{\{?/, '').replace(/\}?\}\}$/, '');
  return {
    inner: bare.replace(/^~/, '').replace(/~$/, '').trim(),
    before: bare.startsWith('~'),
    after: bare.endsWith('~'),
  };
}

function parsePart(inner: string): Part | undefined {
  const word = (pattern: RegExp) => pattern.exec(inner)?.[1];
  if (inner.startsWith('!')) return { kind: 'comment' };
  const role = word(/^role\s+["'](\w+)["']$/);
  if (role !== undefined) return { kind: 'role', role };
  const condition = /^#(if|unless)\s+([A-Za-z_]\w*)$/.exec(inner);
  if (condition !== null) return { kind: condition[1] as 'if' | 'unless', name: condition[2]! };
  if (inner === 'else' || inner === '^') return { kind: 'else' };
  if (/^\/(if|unless)$/.test(inner)) return { kind: 'end' };
  if (inner === 'history') return undefined;
  const name = word(/^([A-Za-z_][\w-]*)$/);
  return name === undefined ? undefined : { kind: 'variable', name };
}

/** Returns the start of the line and of the next line if only blanks surround the tag. */
function lineAround(body: string, from: number, to: number): [number, number] | undefined {
  let start = from;
  while (body[start - 1] === ' ' || body[start - 1] === '\t') start -= 1;
  let finish = to;
  while (body[finish] === ' ' || body[finish] === '\t') finish += 1;
  if (body.startsWith('\r\n', finish)) finish += 1;
  if (start > 0 && body[start - 1] !== '\n') return undefined;
  if (finish < body.length && body[finish] !== '\n') return undefined;
  return [start, Math.min(finish + 1, body.length)];
}
