import { readFileSync } from 'node:fs';

/** One conversation with a fresh server. */
export interface Scene {
  readonly title: string;
  /** A folder of test/fixtures, copied for this scene: as `--home`, or as the user's own home folder. */
  readonly fixture?: { readonly as: 'home' | 'user-home'; readonly name: string };
  /** Why the scene does not pass yet. A pending scene that passes is an error. */
  readonly pending?: string;
  readonly exchanges: readonly Exchange[];
  readonly rendering?: Rendering;
}

/** A tool's result and the text it is rendered as. */
export interface Rendering {
  readonly tool: string;
  readonly result: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export interface Exchange {
  readonly line: number;
  readonly sent: unknown;
  readonly expected?: unknown;
  /** Paths at which the expected value shows only part of the actual one. */
  readonly elided: readonly string[];
}

type Mutable<Fields> = { -readonly [Key in keyof Fields]: Fields[Key] };

/**
 * Reads a transcript. `== title` starts a scene. `@ home NAME`, `@ user-home NAME` and `@ pending WHY` describe it. `> json` is
 * sent and `< json` is the reply; without a `<` no reply is expected. `~ path` before a `<` marks an elided value. `$ tool json`
 * is a result and `| text` its rendered lines. `#` starts a comment.
 */
export function parseTranscript(file: string): Scene[] {
  const scenes: Mutable<Scene>[] = [];
  let exchanges: Mutable<Exchange>[] = [];
  let elided: string[] = [];
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    const [mark = '', ...words] = line.split(' ');
    const rest = words.join(' ');
    const scene = scenes.at(-1);
    const fail = (why: string): never => {
      throw new Error(`${file}:${index + 1}: ${why}`);
    };
    if (line.trim() === '' || mark === '#') continue;
    if (mark === '==') {
      exchanges = [];
      scenes.push({ title: rest, exchanges });
    } else if (scene === undefined) fail('a transcript must start with "== title"');
    else if (mark === '@' && words[0] === 'pending') scene.pending = words.slice(1).join(' ');
    else if (mark === '@' && (words[0] === 'home' || words[0] === 'user-home')) {
      scene.fixture = { as: words[0], name: words[1]! };
    } else if (mark === '>') exchanges.push({ line: index + 1, sent: parseJson(rest, fail), elided: [] });
    else if (mark === '~') elided.push(rest);
    else if (mark === '$') {
      const result = parseJson(words.slice(1).join(' '), fail) as Rendering['result'];
      scene.rendering = { tool: words[0]!, result, text: '' };
    } else if (mark === '|') {
      if (scene.rendering === undefined) return fail('a "|" line needs a "$" line before it');
      const { text } = scene.rendering;
      scene.rendering = { ...scene.rendering, text: text === '' ? rest : `${text}\n${rest}` };
    } else if (mark === '<') {
      const last = exchanges.at(-1);
      if (last === undefined || last.expected !== undefined)
        return fail('a "<" line needs a ">" line before it');
      last.expected = parseJson(rest, fail);
      last.elided = elided;
      elided = [];
    } else fail(`unknown line: ${line}`);
  }
  return scenes;
}

function parseJson(text: string, fail: (why: string) => never): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return fail(`not JSON: ${(error as Error).message}`);
  }
}
