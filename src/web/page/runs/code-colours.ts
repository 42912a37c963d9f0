import { type StreamParser, StringStream } from '@codemirror/streamparser';
import type { CodePart } from '../shared/diff-line.ts';

type Parser = StreamParser<unknown>;
type Load = () => Promise<Parser>;

const clike =
  (name: 'c' | 'cpp' | 'csharp' | 'dart' | 'java' | 'kotlin' | 'objectiveC' | 'scala'): Load =>
  async () =>
    (await import('@codemirror/legacy-modes/mode/clike'))[name];
const javascript =
  (name: 'javascript' | 'typescript' | 'json'): Load =>
  async () =>
    (await import('@codemirror/legacy-modes/mode/javascript'))[name];
const css =
  (name: 'css' | 'sCSS' | 'less'): Load =>
  async () =>
    (await import('@codemirror/legacy-modes/mode/css'))[name];
const xml =
  (name: 'html' | 'xml'): Load =>
  async () =>
    (await import('@codemirror/legacy-modes/mode/xml'))[name];
const shell: Load = async () => (await import('@codemirror/legacy-modes/mode/shell')).shell;
const python: Load = async () => (await import('@codemirror/legacy-modes/mode/python')).python;
const ruby: Load = async () => (await import('@codemirror/legacy-modes/mode/ruby')).ruby;
const yaml: Load = async () => (await import('@codemirror/legacy-modes/mode/yaml')).yaml;
const dockerfile: Load = async () => (await import('@codemirror/legacy-modes/mode/dockerfile')).dockerFile;

/** Languages by the extension of a file. Each is loaded when the first such file is shown. */
const languages: Readonly<Record<string, Load>> = {
  ...{ c: clike('c'), h: clike('c'), cc: clike('cpp'), cpp: clike('cpp'), hpp: clike('cpp') },
  ...{ cs: clike('csharp'), dart: clike('dart'), java: clike('java'), kt: clike('kotlin') },
  ...{ m: clike('objectiveC'), scala: clike('scala') },
  ...{ js: javascript('javascript'), cjs: javascript('javascript'), mjs: javascript('javascript') },
  ...{ jsx: javascript('javascript'), ts: javascript('typescript'), tsx: javascript('typescript') },
  ...{ json: javascript('json'), jsonl: javascript('json') },
  ...{ css: css('css'), scss: css('sCSS'), less: css('less') },
  ...{ html: xml('html'), vue: xml('html'), svelte: xml('html'), svg: xml('xml'), xml: xml('xml') },
  ...{ sh: shell, bash: shell, zsh: shell, py: python, rb: ruby, yaml, yml: yaml, dockerfile },
  go: async () => (await import('@codemirror/legacy-modes/mode/go')).go,
  lua: async () => (await import('@codemirror/legacy-modes/mode/lua')).lua,
  pl: async () => (await import('@codemirror/legacy-modes/mode/perl')).perl,
  ps1: async () => (await import('@codemirror/legacy-modes/mode/powershell')).powerShell,
  proto: async () => (await import('@codemirror/legacy-modes/mode/protobuf')).protobuf,
  rs: async () => (await import('@codemirror/legacy-modes/mode/rust')).rust,
  sql: async () => (await import('@codemirror/legacy-modes/mode/sql')).standardSQL,
  swift: async () => (await import('@codemirror/legacy-modes/mode/swift')).swift,
  toml: async () => (await import('@codemirror/legacy-modes/mode/toml')).toml,
};

/** Lines that are longer are shown without colours. */
const maxLineLength = 1000;
const tabSize = 4;
/** How often a parser may read nothing before a character is skipped. */
const maxIdleTokens = 10;

/** Colours the lines of a piece of a file, or returns undefined if its language is not known. */
export async function loadColours(
  path: string,
): Promise<((lines: readonly string[]) => readonly (readonly CodePart[])[]) | undefined> {
  const name = path.split('/').at(-1)!.toLowerCase();
  const extension = name.split('.').at(-1)!;
  if (!Object.hasOwn(languages, extension)) return undefined;
  const parser = await languages[extension]!();
  return (lines) => {
    const state = parser.startState?.(tabSize) ?? {};
    return lines.map((line) => partsOf(parser, state, line));
  };
}

function partsOf(parser: Parser, state: unknown, line: string): readonly CodePart[] {
  if (line.length > maxLineLength) return [{ kind: undefined, text: line }];
  if (line === '') parser.blankLine?.(state, tabSize);
  const stream = new StringStream(line, tabSize, tabSize);
  const parts: CodePart[] = [];
  while (!stream.eol()) {
    stream.start = stream.pos;
    let style = parser.token(stream, state);
    // Some parsers change only their state at first.
    for (let again = 0; stream.pos === stream.start && again < maxIdleTokens; again++)
      style = parser.token(stream, state);
    if (stream.pos === stream.start) stream.next();
    parts.push({ kind: kindOf(style ?? ''), text: stream.current() });
  }
  return parts;
}

function kindOf(style: string): NonNullable<CodePart['kind']> | undefined {
  if (/comment|quote/.test(style)) return 'note';
  if (/string|regexp|number|inserted/.test(style)) return 'text';
  if (/keyword|atom|bool|null|modifier|meta|tag|self|builtin|processing/.test(style)) return 'word';
  return /definition|function|typeName|className|namespace|attribute|property|heading|link/.test(style)
    ? 'name'
    : undefined;
}
