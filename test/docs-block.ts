import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { isObject } from '../src/json.ts';

// What the blocks of a page of the documentation mean to who follows it, one by one, in a fresh home:
//
//   ```sh             commands: all of them end well. What is exported stays so for the rest of the page.
//   ```console        `$ command` and below it what it prints. `…` is any text, alone on a line any lines. Times are
//                     examples, and so are ids: in the commands that follow, they are those that were really printed.
//   ```LANGUAGE FILE  a file: it is written there. A configuration is loaded by the program, the rest is for commands.
//   ```json           a call of a tool or a message, sent to a server; or what the call before it answered, in part.
//
// and what a comment above a block may say, which readers do not see:
//
//   <!-- until: TEXT -->      the last command goes on until it prints this. The page it names is opened, then it
//                             is interrupted
//   <!-- needs: PROGRAM -->   it is run where this is installed
//   <!-- not run: REASON -->  nothing here can run it
//
// A block that none of this fits is an error.

export interface Block {
  /** The page and the line, as compilers write them. */
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
  const missed = /^\s*(?:```|~~~).*/m.exec(text.replaceAll(fenced, ''))?.[0];
  if (missed !== undefined)
    throw new Error(`${page}: "${missed.trim()}" begins or ends no block at the margin`);
  return [...text.matchAll(fenced)].map((match) => {
    const [, note, said, , language, file, body] = match;
    return {
      name: `${page}:${text.slice(0, match.index).split('\n').length + (note ? 1 : 0)}`,
      language: language!,
      file,
      text: body!,
      until: note === 'until' ? said : undefined,
      needs: note === 'needs' ? said : undefined,
      notRun: note === 'not run' ? said : undefined,
    };
  });
}

const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\d_\d{9}_[0-9a-f]{12}/;
const time = /\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d{3})?Z)?)?/;
const example = new RegExp(`(^…\\n|…|${id.source}|${time.source})`, 'm');

/** What output has to look like, and the ids it stands for, each as one group. */
export function patternOf(shown: string): { pattern: RegExp; ids: readonly string[] } {
  const ids: string[] = [];
  const parts = shown.split(example).map((part) => {
    if (part === '…\n') return '(?:.*\\n)*?';
    if (part === '…') return '.*';
    if (!id.test(part) && time.test(part)) return time.source;
    if (!id.test(part)) return part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    ids.push(part);
    return `(${id.source})`;
  });
  return { pattern: new RegExp(`^${parts.join('')}$`), ids };
}

export function isId(value: unknown): value is string {
  return typeof value === 'string' && id.exec(value)?.[0] === value;
}

/** An answer, of which some is an example. */
export function withWildcards(value: unknown): unknown {
  if (value === '…' || isId(value)) return expect.any(String);
  if (Array.isArray(value)) return value.map(withWildcards);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withWildcards(inner)]));
}
