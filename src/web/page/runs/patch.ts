import { countLines, type DiffLine } from '../shared/diff-line.ts';

export interface Hunk {
  /** How many lines the patch leaves out above and, if git provides it, the enclosing function. */
  readonly heading: string;
  readonly lines: readonly DiffLine[];
}

export interface FilePatch {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'renamed' | 'copied' | 'changed';
  /** The previous path of a renamed or copied file. */
  readonly from?: string;
  readonly binary: boolean;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly Hunk[];
  /** Changes other than lines, such as the file mode. */
  readonly notes: readonly string[];
}

/** Parses a unified diff from git or `diff -u`. Other text around the files is ignored. */
export function parsePatch(text: string): readonly FilePatch[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const files: FileReader[] = [];
  let hunk: HunkReader | undefined;
  for (const [index, raw] of lines.entries()) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    // A removed line may look like a header, so the line counts of the hunk decide which lines belong to it.
    if (hunk?.take(line)) continue;
    if (line.startsWith('# ')) {
      const listed = parseListedFile(line.slice(2));
      if (listed) files.push(listed);
      hunk = undefined;
      continue;
    }
    const isGitHeader = line.startsWith('diff --git ');
    const isPlainHeader =
      line.startsWith('--- ') && lines[index + 1]?.startsWith('+++ ') && files.at(-1)?.isNamed !== false;
    if (isGitHeader || isPlainHeader) files.push(new FileReader(isGitHeader ? line.slice(11) : undefined));
    hunk = files.at(-1)?.header(line);
  }
  return files.map((file) => file.finish());
}

/** The files of a step that edits them, from its words and the lines that it tells. */
export function editedFiles(text: string, output: string): readonly FilePatch[] {
  const files = text.split(/, (?=(?:add|update|delete) )/).map((one) => {
    const [, what = 'update', path = one] = /^(add|update|delete) (.*)$/s.exec(one) ?? [];
    return { what, path };
  });
  // The lines of several files have their paths above them.
  const starts = files.map(({ path }) => (files.length === 1 ? 0 : `\n${output}`.indexOf(`\n${path}\n`)));
  return files.map(({ what, path }, index) => {
    const next = starts.filter((start) => start > starts[index]!);
    const own =
      starts[index] === -1
        ? ''
        : output.slice(starts[index], next.length > 0 ? Math.min(...next) : undefined);
    const lines = own.slice(files.length === 1 ? 0 : path.length + 1).trimEnd();
    const count = lines === '' ? 0 : lines.split('\n').length;
    const range = what === 'add' ? `-0,0 +1,${count}` : `-1,${count} +0,0`;
    const hunks = count === 0 || lines.startsWith('@@') ? lines : `@@ ${range} @@\n${lines}`;
    const [found] = parsePatch(`--- a/file\n+++ b/file\n${hunks}`);
    return { ...found!, path, change: changes[what as keyof typeof changes] };
  });
}

const changes = { add: 'added', update: 'changed', delete: 'removed' } as const;

class HunkReader implements Hunk {
  readonly heading: string;
  readonly lines: DiffLine[] = [];
  #before: number;
  #after: number;
  /** The number of the line after the hunk, in the old file. */
  readonly #beforeEnd: number;
  readonly #afterEnd: number;

  constructor(heading: string, before: number, beforeCount: number, after: number, afterCount: number) {
    this.heading = heading;
    this.#before = before;
    this.#after = after;
    this.#beforeEnd = before + beforeCount;
    this.#afterEnd = after + afterCount;
  }

  get end(): number {
    return this.#beforeEnd;
  }

  /** Adds the line and returns true if it belongs to this hunk. */
  take(line: string): boolean {
    const text = line.slice(1);
    if (line.startsWith('\\')) this.lines.push({ kind: 'note', text: text.trim() });
    else if (this.#before >= this.#beforeEnd && this.#after >= this.#afterEnd) return false;
    else if (line.startsWith('+')) this.lines.push({ kind: 'added', text, after: this.#after++ });
    else if (line.startsWith('-')) this.lines.push({ kind: 'removed', text, before: this.#before++ });
    else if (line.startsWith(' ') || line === '')
      this.lines.push({ kind: 'same', text, before: this.#before++, after: this.#after++ });
    else return false;
    return true;
  }
}

class FileReader {
  readonly #hunks: HunkReader[] = [];
  readonly #notes: string[] = [];
  #path: string;
  #from: string | undefined;
  #change: FilePatch['change'] = 'changed';
  #binary = false;
  /** Whether `---` and `+++` have been read. */
  isNamed = false;

  constructor(names: string | undefined) {
    this.#path = names === undefined ? '' : sharedName(names);
  }

  header(line: string): HunkReader | undefined {
    const range = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/.exec(line);
    if (range) {
      const [, before, beforeCount = '1', after, afterCount = '1', where = ''] = range;
      // A hunk that only adds lines names the line above them.
      const start = Number(before) + (beforeCount === '0' ? 1 : 0);
      const omitted = start - (this.#hunks.at(-1)?.end ?? 1);
      const above = omitted > 0 ? [`${omitted} unchanged ${omitted === 1 ? 'line' : 'lines'}`] : [];
      const hunk = new HunkReader(
        [...above, ...(where === '' ? [] : [where])].join(' · '),
        start,
        Number(beforeCount),
        Number(after),
        Number(afterCount),
      );
      this.#hunks.push(hunk);
      return hunk;
    }
    for (const [start, read] of this.#headers) if (line.startsWith(start)) read(line.slice(start.length));
    return undefined;
  }

  finish(): FilePatch {
    return {
      path: this.#path,
      change: this.#change,
      ...(this.#from !== undefined && this.#from !== this.#path && { from: this.#from }),
      binary: this.#binary,
      ...countLines(this.#hunks.flatMap(({ lines }) => lines)),
      hunks: this.#hunks,
      notes: this.#notes,
    };
  }

  readonly #headers: readonly (readonly [string, (rest: string) => void])[] = [
    ['new file', () => (this.#change = 'added')],
    ['deleted file', () => (this.#change = 'removed')],
    ['rename from ', (name) => this.#setPrevious(name, 'renamed')],
    ['rename to ', (name) => (this.#path = unquoted(name))],
    ['copy from ', (name) => this.#setPrevious(name, 'copied')],
    ['copy to ', (name) => (this.#path = unquoted(name))],
    ['new mode ', (mode) => this.#notes.push(`File mode changed to ${mode}.`)],
    ['Binary files ', () => (this.#binary = true)],
    ['GIT binary patch', () => (this.#binary = true)],
    ['not in UTF-8', () => (this.#binary = true)],
    ['--- ', (name) => this.#setName(name, 'added')],
    ['+++ ', (name) => this.#setName(name, 'removed')],
  ];

  #setPrevious(name: string, change: 'renamed' | 'copied'): void {
    this.#from = unquoted(name);
    this.#change = change;
  }

  /** Reads a `---` or `+++` line. `/dev/null` means that the file was added or removed. */
  #setName(header: string, change: 'added' | 'removed'): void {
    this.isNamed = true;
    const name = unquoted(header.replace(/\t.*$/, ''));
    if (name === '/dev/null') this.#change = change;
    else this.#path = withoutSide(name);
  }
}

/** Reads a comment that names a changed binary file. The server writes comments for these files so that the patch still applies. */
function parseListedFile(text: string): FileReader | undefined {
  const [, names] = /^(.+): not in UTF-8$/.exec(text) ?? [];
  if (names !== undefined) {
    const file = new FileReader(names);
    file.header('not in UTF-8');
    return file;
  }
  const [, sides] = /^Binary files (.+) differ$/.exec(text) ?? [];
  if (sides === undefined) return undefined;
  const file = new FileReader(undefined);
  file.header('Binary files ');
  const noFile = '/dev/null';
  // A name may contain " and ". If neither side is /dev/null, both sides have the same length.
  const middle = sides.startsWith(`${noFile} and `)
    ? noFile.length
    : sides.endsWith(` and ${noFile}`)
      ? sides.length - ` and ${noFile}`.length
      : (sides.length - ' and '.length) / 2;
  file.header(`--- ${sides.slice(0, middle)}`);
  file.header(`+++ ${sides.slice(middle + ' and '.length)}`);
  return file;
}

/** The server's note about files omitted from a long patch. */
export function omittedFiles(text: string): string | undefined {
  return /^# (\d+ more files were changed.*)$/m.exec(text.slice(-200))?.[1];
}

/** The name in `a/one b/one`: both halves have the same length, even if the name contains spaces. */
function sharedName(names: string): string {
  const half = (names.length - 1) / 2;
  const [one, other] = [names.slice(0, half), names.slice(half + 1)];
  return withoutSide(unquoted(withoutSide(unquoted(one)) === withoutSide(unquoted(other)) ? other : names));
}

function withoutSide(name: string): string {
  return name.replace(/^[abciow]\//, '');
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' };

/** Git quotes names that contain non-ASCII bytes and writes each such byte as three octal digits. */
function unquoted(name: string): string {
  if (!/^".*"$/.test(name)) return name;
  const bytes: number[] = [];
  for (const [, octal, escaped, plain] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/g)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(...new TextEncoder().encode(plain ?? escapes[escaped!] ?? escaped));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}
