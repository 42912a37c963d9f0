import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { isObject } from '../src/json.ts';

// How the tests run the code blocks of a documentation page, in order and in a fresh home folder:
//
//   ```sh             Commands. All must succeed. Exported variables last until the end of the page.
//   ```console        `$ command` followed by its output. `…` matches any text; alone on a line, it matches any lines.
//                     Times are placeholders. So are ids: later commands use the ids that were really printed.
//   ```LANGUAGE FILE  A file to write. The program loads a configuration file; commands use the other files.
//   ```json           A tool call or message to send to a server, or part of the reply to the previous call.
//
// A comment above a block, invisible to readers, can add:
//
//   <!-- until: TEXT -->      The last command runs until it prints TEXT. The test opens the page whose address it
//                             printed and then interrupts the command.
//   <!-- needs: PROGRAM -->   The block runs only where PROGRAM is installed.
//   <!-- not run: REASON -->  The block cannot be run in tests.
//
// Any other block is an error.

export interface Block {
  /** `page:line`. */
  readonly name: string;
  readonly language: string;
  readonly file: string | undefined;
  readonly text: string;
  readonly until: string | undefined;
  readonly needs: string | undefined;
  readonly notRun: string | undefined;
}

const fenced = /(?:<!-- (until|needs|not run): (.+?) -->\n)?^(`{3,})(\w*)(?: (.+))?\n([\s\S]*?)^\3$/gm;

export function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(page, 'utf8');
  const unmatched = /^\s*(?:```|~~~).*/m.exec(text.replaceAll(fenced, ''))?.[0];
  if (unmatched !== undefined)
    throw new Error(`${page}: "${unmatched.trim()}" does not start or end a code block at the left margin`);
  return [...text.matchAll(fenced)].map((match) => {
    const [, note, value, , language, file, body] = match;
    return {
      name: `${page}:${text.slice(0, match.index).split('\n').length + (note ? 1 : 0)}`,
      language: language!,
      file,
      text: body!,
      until: note === 'until' ? value : undefined,
      needs: note === 'needs' ? value : undefined,
      notRun: note === 'not run' ? value : undefined,
    };
  });
}

const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\d_\d{9}_[0-9a-f]{12}/;
/** An instant, or a local time with the padding of its column. */
const time =
  /\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d{3})?Z)?)?|[A-Z][a-z]{2} \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d [\w/]+, (?:in \d+ [a-z]+|tomorrow) *|(?:today|tomorrow|[A-Z][a-z]{2} \d{1,2} [A-Z][a-z]{2}(?: \d{4})?) \d\d:\d\d */;
const example = new RegExp(`(^…\\n|…|${id.source}|${time.source})`, 'm');

/** A pattern for the output, and the example ids in it. Each id is one capture group. */
export function patternOf(shown: string): { pattern: RegExp; ids: readonly string[] } {
  const ids: string[] = [];
  const parts = shown.split(example).map((part) => {
    if (part === '…\n') return '(?:.*\\n)*?';
    if (part === '…') return '.*';
    if (!id.test(part) && time.test(part)) return `(?:${time.source})`;
    if (!id.test(part)) return part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    ids.push(part);
    return `(${id.source})`;
  });
  return { pattern: new RegExp(`^${parts.join('')}$`), ids };
}

export function isId(value: unknown): value is string {
  return typeof value === 'string' && id.exec(value)?.[0] === value;
}

/** Replaces the placeholders in an expected reply with matchers. */
export function withWildcards(value: unknown): unknown {
  if (value === '…' || isId(value)) return expect.any(String);
  if (Array.isArray(value)) return value.map(withWildcards);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withWildcards(inner)]));
}
