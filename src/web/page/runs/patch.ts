export interface PatchLine {
  readonly kind: 'same' | 'added' | 'removed' | 'note';
  readonly text: string;
  /** Numbers of the line before and after; none where it was not or is not any more. */
  readonly before?: number;
  readonly after?: number;
}

export interface Hunk {
  /** Where it lies, as git writes it: the function it is in, if git knows. */
  readonly heading: string;
  readonly lines: readonly PatchLine[];
}

export interface FilePatch {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'renamed' | 'copied' | 'changed';
  /** What it was called before. */
  readonly from?: string;
  readonly binary: boolean;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly Hunk[];
  /** What is left to say where no line changed. */
  readonly notes: readonly string[];
}

/** A unified diff by file, as git writes it or `diff -u`. Whatever stands around the files is passed over. */
export function parsePatch(text: string): readonly FilePatch[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const files: FileReader[] = [];
  let hunk: HunkReader | undefined;
  for (const [index, raw] of lines.entries()) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    // A removed line may itself look like a header, so what belongs to a hunk is known by the hunk's own counts.
    if (hunk?.take(line)) continue;
    if (line.startsWith('# ')) {
      const mentioned = mentionedFile(line.slice(2));
      if (mentioned) files.push(mentioned);
      hunk = undefined;
      continue;
    }
    const begins = line.startsWith('diff --git ');
    const bare =
      line.startsWith('--- ') && lines[index + 1]?.startsWith('+++ ') && files.at(-1)?.isNamed !== false;
    if (begins || bare) files.push(new FileReader(begins ? line.slice(11) : undefined));
    hunk = files.at(-1)?.header(line);
  }
  return files.map((file) => file.finish());
}

class HunkReader implements Hunk {
  readonly heading: string;
  readonly lines: PatchLine[] = [];
  #before: number;
  #after: number;
  readonly #beforeEnd: number;
  readonly #afterEnd: number;

  constructor(heading: string, before: number, beforeCount: number, after: number, afterCount: number) {
    this.heading = heading;
    this.#before = before;
    this.#after = after;
    this.#beforeEnd = before + beforeCount;
    this.#afterEnd = after + afterCount;
  }

  /** Whether the line is one of this hunk. */
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
      const hunk = new HunkReader(
        where === '' ? `line ${after}` : `line ${after} · ${where}`,
        Number(before),
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
    const lines = this.#hunks.flatMap((hunk) => hunk.lines);
    return {
      path: this.#path,
      change: this.#change,
      ...(this.#from !== undefined && this.#from !== this.#path && { from: this.#from }),
      binary: this.#binary,
      added: lines.filter(({ kind }) => kind === 'added').length,
      removed: lines.filter(({ kind }) => kind === 'removed').length,
      hunks: this.#hunks,
      notes: this.#notes,
    };
  }

  readonly #headers: readonly (readonly [string, (rest: string) => void])[] = [
    ['new file', () => (this.#change = 'added')],
    ['deleted file', () => (this.#change = 'removed')],
    ['rename from ', (name) => this.#wasCalled(name, 'renamed')],
    ['rename to ', (name) => (this.#path = unquoted(name))],
    ['copy from ', (name) => this.#wasCalled(name, 'copied')],
    ['copy to ', (name) => (this.#path = unquoted(name))],
    ['new mode ', (mode) => this.#notes.push(`The mode is ${mode} now.`)],
    ['Binary files ', () => (this.#binary = true)],
    ['GIT binary patch', () => (this.#binary = true)],
    ['not in UTF-8', () => (this.#binary = true)],
    ['--- ', (name) => this.#name(name, 'added')],
    ['+++ ', (name) => this.#name(name, 'removed')],
  ];

  #wasCalled(name: string, change: 'renamed' | 'copied'): void {
    this.#from = unquoted(name);
    this.#change = change;
  }

  /** A side that is nothing tells that the file came or went. */
  #name(written: string, otherwise: 'added' | 'removed'): void {
    this.isNamed = true;
    const name = unquoted(written.replace(/\t.*$/, ''));
    if (name === '/dev/null') this.#change = otherwise;
    else this.#path = withoutSide(name);
  }
}

/** What is no text the server only mentions, so that the patch can be applied; who reads it wants to see that it was changed. */
function mentionedFile(text: string): FileReader | undefined {
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
  const nothing = '/dev/null';
  // A name may itself have an "and": where both sides have one they are equally long.
  const middle = sides.startsWith(`${nothing} and `)
    ? nothing.length
    : sides.endsWith(` and ${nothing}`)
      ? sides.length - ` and ${nothing}`.length
      : (sides.length - ' and '.length) / 2;
  file.header(`--- ${sides.slice(0, middle)}`);
  file.header(`+++ ${sides.slice(middle + ' and '.length)}`);
  return file;
}

/** How many files the server left out of a patch that was too long, in its words. */
export function leftOut(text: string): string | undefined {
  return /^# (\d+ more files were changed.*)$/m.exec(text.slice(-200))?.[1];
}

/** `a/one b/one`: the two halves are the same but for their first letter, whatever blanks are in them. */
function sharedName(names: string): string {
  const half = (names.length - 1) / 2;
  const [one, other] = [names.slice(0, half), names.slice(half + 1)];
  return withoutSide(unquoted(withoutSide(unquoted(one)) === withoutSide(unquoted(other)) ? other : names));
}

function withoutSide(name: string): string {
  return name.replace(/^[abciow]\//, '');
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' };

/** Git quotes names with bytes beyond ASCII, each as three octal digits. */
function unquoted(name: string): string {
  if (!/^".*"$/.test(name)) return name;
  const bytes: number[] = [];
  for (const [, octal, escaped, plain] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/g)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(...new TextEncoder().encode(plain ?? escapes[escaped!] ?? escaped));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}
