import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { log } from '../../log.ts';
import { Pace } from '../../pace.ts';
import { inMemory, isDamaged, SqliteFile } from '../../store/sqlite-file.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { shownDescription } from '../definition/shown-description.ts';
import type { PromptSource } from '../definition/source.ts';
import type { CatalogEntry } from './catalog.ts';
import { KeptPrompts } from './kept-prompts.ts';

/**
 * What lists show, the beginning of the text and the text are three tables, because a word in a short name says more than the
 * same word in a long text, and authors begin with what a prompt is for: each table compares a prompt only with the lengths
 * of its own texts. Every column has its text and its weight, and every table a share in the score.
 */
const tables = {
  heads: {
    share: 1,
    columns: {
      name: { of: ({ name }: PromptDefinition) => name, weight: 6 },
      title: { of: ({ title = '' }: PromptDefinition) => title, weight: 4 },
      tags: { of: ({ tags }: PromptDefinition) => tags.join(' '), weight: 4 },
      description: { of: (prompt: PromptDefinition) => shownDescription(prompt) ?? '', weight: 3 },
    },
  },
  leads: {
    share: 0.5,
    columns: { lead: { of: (prompt: PromptDefinition) => textOf(prompt).slice(0, leadLength), weight: 1 } },
  },
  bodies: { share: 0.4, columns: { text: { of: textOf, weight: 1 } } },
} as const;
/** Most authors say in these characters what a prompt is for. */
const leadLength = 600;

/** Only the beginning of a long text is indexed, which limits the size of the index. */
const indexedLength = 20_000;
/** How long an update waits for the one of another process before it works in memory. */
const busyMs = 2000;
/** Prompts that are added in one transaction. */
const batchSize = 200;
/**
 * Entries of filler words. In a small library, most prompts contain the word that somebody searches for, and BM25 takes a
 * word that most entries contain for meaningless.
 */
const fillers = { entries: 200, heads: 15, leads: 80, bodies: 150 };
/** A change of the columns or of how texts are split needs a new file. */
const version = 3;

/**
 * The full-text index of prompts: SQLite's FTS5 in a file, so that a new server searches at once. Servers with the same
 * file share its entries. A prompt that changes gets a new key; keys that no prompt has are removed when they become many.
 */
export class PromptIndex {
  /** Undefined for an index in memory. */
  readonly kept: KeptPrompts | undefined;
  readonly #file: SqliteFile;
  #seen: unknown;

  private constructor(file: SqliteFile) {
    this.#file = file;
    if (file.path !== inMemory) this.kept = new KeptPrompts(file);
  }

  /** Opens the file, or an index in memory if there is none or it cannot be used. A damaged file is replaced. */
  static async open(path: string | undefined): Promise<PromptIndex> {
    for (const attempt of path === undefined ? [] : ['first', 'last'])
      try {
        mkdirSync(dirname(path!), { recursive: true, mode: 0o700 });
        return await PromptIndex.#create(path!);
      } catch (error) {
        if (attempt === 'first' && isDamaged(error)) rmSync(path!, { force: true });
        else log('debug', `the search index ${path} cannot be used`, error);
      }
    return PromptIndex.#create(inMemory);
  }

  static async #create(path: string): Promise<PromptIndex> {
    const file = await SqliteFile.open(path, busyMs);
    try {
      file.exec('pragma journal_mode = wal; pragma synchronous = off');
      const [{ user_version: found } = {}] = file.all('pragma user_version');
      if (found !== version) {
        file.exec('begin immediate; drop table if exists entries');
        file.exec(
          'create table entries (id integer primary key, key text not null unique, shown text, text text)',
        );
        file.exec(KeptPrompts.tables);
        for (const [table, { columns }] of Object.entries(tables)) createTable(file, table as Table, columns);
        file.exec(`pragma user_version = ${version}; commit`);
      }
      return new PromptIndex(file);
    } catch (error) {
      file.close();
      throw error;
    }
  }

  close(): void {
    this.#file.close();
  }

  /** True if another process has changed the file since the last update. */
  get isStale(): boolean {
    return this.#file.all('pragma data_version')[0]!['data_version'] !== this.#seen;
  }

  /** Adds the prompts that are missing, and returns the row of each. Lets other work run in between. */
  async update(prompts: Iterable<PromptDefinition>): Promise<ReadonlyMap<PromptDefinition, number>> {
    const pace = new Pace();
    const known = new Map(this.#file.all('select key, id from entries').map(({ key, id }) => [key, id]));
    const rows = new Map<PromptDefinition, number>();
    const missing: (readonly [PromptDefinition, string])[] = [];
    const used = new Set<unknown>();
    for (const prompt of prompts) {
      const key = KeptPrompts.key(prompt);
      used.add(key);
      const row = known.get(key);
      if (row === undefined) missing.push([prompt, key]);
      else rows.set(prompt, row as number);
      await pace.pause;
    }
    for (let at = 0; at < missing.length; at += batchSize)
      await this.#add(missing.slice(at, at + batchSize), rows, pace);
    const unused = [...known].filter(([key]) => !used.has(key));
    if (unused.length > 100 + used.size / 4) await this.#remove(unused.map(([, id]) => id as number));
    this.#seen = this.#file.all('pragma data_version')[0]!['data_version'];
    return rows;
  }

  /** Stores the fields that lists show. The prompts of these rows were read at this time or later. */
  async keep(
    rows: ReadonlyMap<number, CatalogEntry>,
    sources: readonly PromptSource[],
    readAt: number,
  ): Promise<void> {
    const { kept } = this;
    if (kept !== undefined) await this.#transaction(() => kept.write(rows, sources, readAt));
  }

  /** The rows of prompts with the word, each with its score. */
  find(word: string): ReadonlyMap<number, number> {
    const found = this.#search(`"${word}"`);
    // The beginning of a word finds the word, while a person still types.
    return found.size > 0 || word.length < 3 ? found : this.#search(`"${word}"*`);
  }

  #search(query: string): ReadonlyMap<number, number> {
    const scores = new Map<number, number>();
    for (const [table, { columns, share }] of Object.entries(tables)) {
      const weights = Object.values(columns).map(({ weight }) => weight);
      const sql = `select rowid, bm25(${table}, ${weights.join(', ')}) as score from ${table} where ${table} match ?`;
      for (const { rowid, score } of this.#file.all(sql, query)) {
        const row = rowid as number;
        scores.set(row, (scores.get(row) ?? 0) - (score as number) * share);
      }
    }
    return scores;
  }

  async #add(
    batch: readonly (readonly [PromptDefinition, string])[],
    rows: Map<PromptDefinition, number>,
    pace: Pace,
  ): Promise<void> {
    const texts: (readonly (readonly [string, readonly string[]])[])[] = [];
    for (const [prompt] of batch) {
      texts.push(
        Object.entries(tables).map(([table, { columns }]) => {
          const values = Object.values(columns).map(({ of }) => searchable(of(prompt)));
          const names = ['rowid', ...Object.keys(columns)];
          return [`insert into ${table} (${names}) values (${names.map(() => '?')})`, values];
        }),
      );
      await pace.pause;
    }
    await this.#transaction(() => {
      for (const [index, [prompt, key]] of batch.entries()) {
        const [added] = this.#file.all(
          'insert into entries (key, shown, text) values (?, ?, ?) on conflict do nothing returning id',
          key,
          this.kept === undefined ? null : KeptPrompts.shown(prompt),
          this.kept === undefined ? null : textOf(prompt),
        );
        const id = (added ?? this.#file.all('select id from entries where key = ?', key)[0]!)['id'] as number;
        if (added !== undefined)
          for (const [sql, values] of texts[index]!) this.#file.run(sql, id, ...values);
        rows.set(prompt, id);
      }
    });
  }

  async #remove(ids: readonly number[]): Promise<void> {
    await this.#transaction(() => {
      for (const id of ids) {
        for (const table of Object.keys(tables)) this.#file.run(`delete from ${table} where rowid = ?`, id);
        this.#file.run('delete from entries where id = ?', id);
      }
    });
  }

  async #transaction(work: () => void): Promise<void> {
    await this.#file.begin('immediate', busyMs);
    try {
      work();
      this.#file.exec('commit');
    } catch (error) {
      this.#file.rollback();
      throw error;
    }
  }
}

type Table = keyof typeof tables;

function createTable(file: SqliteFile, table: Table, columns: object): void {
  const [last] = Object.keys(columns).slice(-1);
  const options = "content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'";
  file.exec(`drop table if exists ${table}`);
  file.exec(`create virtual table ${table} using fts5(${Object.keys(columns)}, ${options})`);
  const filler = 'qqqq '.repeat(fillers[table]);
  for (let id = 1; id <= fillers.entries; id++)
    file.run(`insert into ${table} (rowid, ${last}) values (?, ?)`, -id, filler);
}

export function textOf({ messages }: PromptDefinition): string {
  return messages
    .flatMap(({ content }) => (content.type === 'text' ? [content.text] : []))
    .join('\n')
    .slice(0, indexedLength);
}

const symbols: Readonly<Record<string, string>> = { 'c++': 'cplusplus', 'c#': 'csharp', '.net': 'dotnet' };
/** Scripts that do not separate words with spaces. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]+/gu;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Forms of a word that Porter's rules leave apart: summarise, summarize and summary; analyse, analyze and analysis. */
const forms: readonly (readonly [RegExp, string])[] = [
  [/(?<=[a-z]{3})is(?=(?:e[ds]?|ers?|ing|ations?)\b)/gi, 'iz'],
  [/(?<=[a-z]{3}y)z(?=(?:e[ds]?|ers?|ing)\b)/gi, 's'],
  [/(?<=[a-z]{4})sis\b/gi, 'se'],
  [/(?<=[a-z]{3}[aeo]r)(?:y|ies)\b/gi, ''],
];

/**
 * Separates the words that SQLite would not: identifiers in camel case, names of languages, scripts without spaces. Then gives
 * forms of a word the same spelling.
 */
export function searchable(text: string): string {
  const separated = text
    .replaceAll(/\bc(?:\+\+|#)|\.net\b/gi, (found) => ` ${symbols[found.toLowerCase()]} `)
    .replaceAll(/(?<![A-Za-z])[a-z]{3,}(?:[A-Z][a-z]+)+/g, (name) => `${name.replaceAll(/[A-Z]/g, ' $&')}`)
    .replaceAll(/_/g, ' ')
    .replaceAll(unspaced, (run) => [...segmenter.segment(run)].map(({ segment }) => ` ${segment} `).join(''));
  return forms.reduce((changed, [form, written]) => changed.replaceAll(form, written), separated);
}
