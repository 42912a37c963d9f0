import { Failure } from '../../failure.ts';
import type { Problem } from '../../feature.ts';
import { log } from '../../log.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { contentRevision, listed, sameContent } from '../definition/revision.ts';
import type { PromptSource } from '../definition/source.ts';
import { problemOf } from '../files/file-cache.ts';
import { ProblemLog } from './problem-log.ts';

export interface CatalogOptions {
  /** Whether a change of a text alone is reported too, not only a change of what the list shows. */
  readonly reportsTexts?: boolean;
  /** Whether each problem is logged once per change. */
  readonly logsProblems?: boolean;
}

export interface CatalogEntry {
  readonly definition: PromptDefinition;
  readonly source: PromptSource;
}

interface Merged {
  readonly lists: readonly (readonly PromptDefinition[])[];
  readonly entries: readonly CatalogEntry[];
  readonly clashes: readonly Problem[];
}

/** What is listed is looked at this long after the start at the latest, so that a later change is seen as one. */
const firstLookMs = 200;

/** All prompts of all sources under unique names: of two with one name, the one of the earlier source counts. */
export class Catalog {
  readonly sources: readonly PromptSource[];
  readonly #reportsTexts: boolean;
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribe: (() => void)[] = [];
  #merged: Merged = { lists: [], entries: [], clashes: [] };
  #announced: readonly CatalogEntry[] | undefined;
  #looking: Promise<void> = Promise.resolve();
  #firstLook: NodeJS.Timeout | undefined;
  /** Absent where problems are only told when asked for. */
  readonly #problemLog: ProblemLog | undefined;

  constructor(
    sources: readonly PromptSource[],
    { reportsTexts = false, logsProblems = false }: CatalogOptions = {},
  ) {
    this.sources = sources;
    this.#reportsTexts = reportsTexts;
    if (logsProblems) this.#problemLog = new ProblemLog();
  }

  /** Sorted by name. The very same array as long as nothing changed. */
  async list(): Promise<readonly CatalogEntry[]> {
    const { entries } = await this.#merge();
    if (this.#announced === undefined) {
      this.#announced = entries;
      // A client may be gone before the first look is due.
      if (this.#problemLog !== undefined) this.look();
    }
    return entries;
  }

  async find(name: string): Promise<CatalogEntry> {
    for (const source of this.sources) {
      const definition = await this.#unlessUnavailable(() => source.get(name), undefined);
      if (definition !== undefined) return { definition, source };
    }
    throw new Failure('prompt-not-found', `Prompt not found: ${name}`);
  }

  /** Counted where changes are counted, otherwise a digest of the content. */
  async revision({ definition, source }: CatalogEntry): Promise<string> {
    return (await source.revision?.(definition)) ?? contentRevision(definition);
  }

  async problems(): Promise<readonly Problem[]> {
    const { lists, clashes } = await this.#merge();
    const own = await Promise.all(
      this.sources.map((source) =>
        source.problems().catch((error: unknown) => [problemOf(`(${source.name})`, error)]),
      ),
    );
    const byFile = Map.groupBy(lists.flat(), ({ file }) => file);
    return [...own.flat().map((problem) => withPrompts(problem, byFile)), ...clashes];
  }

  /** Reports each burst of changes once, and only if something that clients see has changed. */
  subscribe(listener: () => void): () => void {
    if (this.#listeners.size === 0) this.#start();
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Compares with what was reported last, and reports a difference. */
  look(): void {
    this.#looking = this.#looking.then(async () => {
      const { entries } = await this.#merge();
      const before = this.#announced;
      this.#announced = entries;
      const same = this.#reportsTexts ? sameContent : sameItems;
      if (before !== undefined && !sameList(before, entries, same))
        for (const listener of this.#listeners) listener();
    });
    this.#looking = this.#looking
      .catch((error: unknown) => log('warning', 'looking for changed prompts failed', error))
      .then(() => this.#logProblems());
  }

  async #logProblems(): Promise<void> {
    if (this.#problemLog === undefined) return;
    const unreadable = (error: unknown) => [
      problemOf(this.sources.map(({ name }) => name).join(', '), error),
    ];
    this.#problemLog.update(await this.problems().catch(unreadable));
  }

  close(): void {
    clearTimeout(this.#firstLook);
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    for (const source of this.sources) source.close?.();
  }

  #start(): void {
    for (const source of this.sources) {
      const unsubscribe = source.subscribe?.(() => this.look());
      if (unsubscribe !== undefined) this.#unsubscribe.push(unsubscribe);
    }
    this.#firstLook = setTimeout(() => this.look(), firstLookMs);
    this.#firstLook.unref();
  }

  async #merge(): Promise<Merged> {
    const lists = await Promise.all(
      this.sources.map((source) => this.#unlessUnavailable(() => source.list(), nothing)),
    );
    const known = this.#merged;
    if (lists.length === known.lists.length && lists.every((list, index) => list === known.lists[index]))
      return known;
    const named = new Map<string, CatalogEntry>();
    const clashes: Problem[] = [];
    for (const [index, source] of this.sources.entries()) {
      for (const definition of lists[index]!) {
        const first = named.get(definition.name)?.definition;
        if (first === undefined) named.set(definition.name, { definition, source });
        else {
          const message = `the prompt ${definition.name} is hidden by the one in ${first.file}`;
          const { name, file, line } = definition;
          clashes.push({ file, line, severity: 'warning', message, prompts: [name] });
        }
      }
    }
    const entries = [...named.values()].sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1));
    this.#merged = { lists, entries, clashes };
    return this.#merged;
  }

  /** A source that cannot be read is told as a problem and hides no other; alone, it is the answer. */
  async #unlessUnavailable<Value>(work: () => Promise<Value>, instead: Value): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Failure && error.kind === 'unavailable' && this.sources.length > 1) return instead;
      throw error;
    }
  }
}

const nothing: readonly PromptDefinition[] = [];

/** What is wrong with a file is wrong with its prompt. JSONL holds many, and says itself which one is meant. */
function withPrompts(problem: Problem, byFile: ReadonlyMap<string, readonly PromptDefinition[]>): Problem {
  const [only, ...others] = byFile.get(problem.file) ?? [];
  if (problem.prompts !== undefined || only === undefined || others.length > 0) return problem;
  return problem.file.endsWith('.jsonl') ? problem : { ...problem, prompts: [only.name] };
}

type Comparison = (one: PromptDefinition, other: PromptDefinition) => boolean;

function sameList(before: readonly CatalogEntry[], now: readonly CatalogEntry[], same: Comparison): boolean {
  if (before === now) return true;
  return (
    before.length === now.length &&
    before.every(({ definition, source }, index) => {
      const other = now[index]!;
      return source === other.source && same(definition, other.definition);
    })
  );
}

const sameItems: Comparison = (one, other) =>
  one === other || JSON.stringify(listed(one)) === JSON.stringify(listed(other));
