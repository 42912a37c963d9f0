import { type Stats, statSync } from 'node:fs';
import { parseObject } from '../../json.ts';
import type { SqliteFile } from '../../store/sqlite-file.ts';
import { contentRevision, type PromptDefinition } from '../definition/definition.ts';
import { shownDescription } from '../definition/shown-description.ts';
import type { PromptSource } from '../definition/source.ts';
import type { CatalogEntry } from './catalog.ts';

/** A prompt as the index keeps it: what lists show, without its text. */
interface KeptEntry extends CatalogEntry {
  readonly row: number;
  readonly key: string;
  readonly stamp: unknown;
}

/** Two changes within this time may get the same timestamp: file systems store times with limited precision. */
const tickMs = 100;

/**
 * What lists show of the prompts in the index, so that a new server can search before it has read thousands of files. They
 * count only if nothing has changed: every folder of files has a stamp, which shows new and removed files, and so has every
 * file. Sources that are no folders of files, such as libraries, have few prompts and are read.
 */
export class KeptPrompts {
  static readonly tables = `
    drop table if exists current;
    drop table if exists sources;
    create table current (row integer primary key, source integer not null, stamp text);
    create table sources (position integer primary key, source text not null)`;
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  /** The key of a prompt in the index. */
  static key(prompt: PromptDefinition): string {
    return `${contentRevision(prompt)} ${prompt.name}`;
  }

  static shown(prompt: PromptDefinition): string {
    const { title, arguments: args, tags, file, line } = prompt;
    return JSON.stringify({
      title,
      description: shownDescription(prompt),
      arguments: args,
      tags,
      file,
      line,
    });
  }

  /** Keeps all prompts, which were read at this time or later. Call it in a transaction. */
  write(rows: ReadonlyMap<number, CatalogEntry>, sources: readonly PromptSource[], readAt: number): void {
    const positions = new Map(sources.map((source, position) => [source, position]));
    const before = new Map(this.#file.all('select * from current').map((kept) => [kept['row'], kept]));
    for (const [row, { definition, source }] of rows) {
      const position = positions.get(source)!;
      const stamp = isOfFiles(source) ? fileStamp(definition.file, readAt) : null;
      const known = before.get(row);
      before.delete(row);
      if (known?.['source'] !== position || known['stamp'] !== stamp)
        this.#file.run('insert or replace into current values (?, ?, ?)', row, position, stamp);
    }
    for (const row of before.keys()) this.#file.run('delete from current where row = ?', row as number);
    this.#file.run('delete from sources');
    for (const [position, source] of sources.entries())
      this.#file.run('insert into sources values (?, ?)', position, JSON.stringify(stateOf(source, readAt)));
  }

  /** The prompts by their rows, or `undefined` if any may have changed. */
  async read(sources: readonly PromptSource[]): Promise<ReadonlyMap<number, CatalogEntry> | undefined> {
    const kept = this.#file.all('select source from sources order by position');
    const isSame = kept.every(({ source }, position) => isUnchanged(String(source), sources[position]));
    if (kept.length !== sources.length || !isSame) return undefined;
    const entries = this.#entries(sources);
    const places = new Map(
      entries.map(({ definition: { name }, source }) => [name, sources.indexOf(source)]),
    );
    const bySource = Map.groupBy(entries, ({ source }) => source);
    for (const [position, source] of sources.entries()) {
      const own = bySource.get(source) ?? [];
      if (isOfFiles(source)) {
        if (!own.every(({ stamp, definition: { file } }) => stamp !== null && stamp === fileStamp(file)))
          return undefined;
        continue;
      }
      const read = new Map((await source.list()).map((definition) => [definition.name, definition]));
      const isAdded = (name: string) => (places.get(name) ?? sources.length) > position;
      if ([...read.keys()].some(isAdded)) return undefined;
      if (!own.every((entry) => isRead(entry, read.get(entry.definition.name)))) return undefined;
    }
    return new Map(entries.map((entry) => [entry.row, entry]));
  }

  /** The entry of this row with its text. */
  withText(row: number, { definition, source }: CatalogEntry): CatalogEntry {
    const [{ text } = {}] = this.#file.all('select text from entries where id = ?', row);
    const content = { type: 'text', text: String(text ?? '') } as const;
    return { definition: { ...definition, messages: [{ role: 'user', content }] }, source };
  }

  #entries(sources: readonly PromptSource[]): readonly KeptEntry[] {
    const rows = this.#file.all(
      'select row, key, shown, source, stamp from current join entries on id = row where shown is not null',
    );
    return rows.map(({ row, key, shown, source, stamp }) => {
      const name = String(key).slice(String(key).indexOf(' ') + 1);
      const fields = JSON.parse(String(shown)) as Omit<PromptDefinition, 'name' | 'messages' | 'template'>;
      const definition: PromptDefinition = { ...fields, name, messages: [], template: 'none' };
      return { row: row as number, key: String(key), stamp, definition, source: sources[source as number]! };
    });
  }
}

/** True if every prompt of the source is a file in its folders. */
function isOfFiles({ format, folders }: PromptSource): boolean {
  return format !== undefined && format !== 'libraries' && folders !== undefined;
}

/** True if the kept fields are current. Prompts that use others are not compared by key, because the used prompts are compared themselves. */
function isRead({ key }: KeptEntry, definition: PromptDefinition | undefined): boolean {
  return definition !== undefined && (definition.uses !== undefined || KeptPrompts.key(definition) === key);
}

function stateOf(source: PromptSource, readAt?: number): object {
  const { name, prefix, folders = [] } = source;
  const stamps = isOfFiles(source) ? folders.map((path) => [path, folderStamp(path, readAt)]) : [];
  return { name, prefix: prefix ?? null, folders: stamps };
}

function isUnchanged(kept: string, source: PromptSource | undefined): boolean {
  const { name, prefix, folders } = parseObject(kept) ?? {};
  if (source === undefined || name !== source.name || prefix !== (source.prefix ?? null)) return false;
  const stamps = folders as readonly (readonly [path: string, stamp: string | null])[];
  return stamps.every(([path, stamp]) => stamp !== null && stamp === folderStamp(path));
}

function fileStamp(file: string, readAt?: number): string | null {
  const stat = statOf(file);
  if (stat === undefined || isUnsettled(stat, readAt)) return null;
  return `${stat.ctimeMs} ${stat.size} ${stat.ino}`;
}

/** The time of a folder changes with its entries. */
function folderStamp(folder: string, readAt?: number): string | null {
  const stat = statOf(folder);
  if (stat === undefined) return 'missing';
  return isUnsettled(stat, readAt) ? null : `${stat.mtimeMs} ${stat.ino}`;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** True if a change after the reading may have the same stamp. */
function isUnsettled({ ctimeMs }: Stats, readAt = Number.POSITIVE_INFINITY): boolean {
  return ctimeMs > readAt - tickMs;
}
