import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { isObject } from '../../src/json.ts';

/** An example in a published document. */
export type Example =
  | { readonly kind: 'message'; readonly line: number; readonly value: Readonly<Record<string, unknown>> }
  /** Part of a message. */
  | { readonly kind: 'fragment'; readonly line: number; readonly value: unknown }
  | { readonly kind: 'text'; readonly line: number; readonly value: string };

/** Languages of blocks that contain no messages: types, settings, templates and notes on clients. */
const otherLanguages = new Set(['typescript', 'toml', 'markdown', '']);

/** Reads every example of a document. Throws if one cannot be parsed. */
export function examplesOf(file: string): Example[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const examples: Example[] = [];
  let block: { language: string; start: number; lines: string[] } | undefined;
  for (const [index, line] of lines.entries()) {
    if (block === undefined) {
      const opened = /^```([a-z]*)$/.exec(line);
      if (opened) block = { language: opened[1]!, start: index + 1, lines: [] };
      else examples.push(...inlineExamples(line, index + 1, file));
    } else if (line === '```') {
      examples.push(...blockExamples(block.language, block.lines.join('\n'), block.start, file));
      block = undefined;
    } else block.lines.push(line);
  }
  if (block !== undefined) throw new Error(`${file}:${block.start}: the block is not closed`);
  return examples;
}

function inlineExamples(line: string, number: number, file: string): Example[] {
  return [...line.matchAll(/`(\{"jsonrpc".*?\})`(?!\w)/g)].map(([, text]) =>
    jsonExample(text!, number, file),
  );
}

function blockExamples(language: string, text: string, line: number, file: string): Example[] {
  switch (language) {
    case 'json':
      return [jsonExample(text, line, file)];
    case 'text':
      return [{ kind: 'text', line, value: text }];
    case 'javascript':
      return text.includes('send(') ? sentMessages(text, line) : [];
    case 'bash':
      return [...text.matchAll(/^(?:echo ')?(\{.*\})/gm)].map(([, json]) => jsonExample(json!, line, file));
    default:
      if (otherLanguages.has(language)) return [];
      throw new Error(`${file}:${line}: unknown block language ${language}`);
  }
}

function jsonExample(text: string, line: number, file: string): Example {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && 'jsonrpc' in value
      ? { kind: 'message', line, value }
      : { kind: 'fragment', line, value };
  } catch (error) {
    throw new Error(`${file}:${line}: the example cannot be parsed: ${(error as Error).message}`);
  }
}

/** The messages that a script in the document passes to `send`. */
function sentMessages(script: string, line: number): Example[] {
  const sent: Record<string, unknown>[] = [];
  runInNewContext(script, {
    send: (message: Record<string, unknown>) => sent.push(structuredClone(message)),
  });
  return sent.map((value) => ({ kind: 'message', line, value: JSON.parse(JSON.stringify(value)) }));
}
