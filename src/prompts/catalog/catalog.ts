import { Failure } from '../../failure.ts';
import type { Problem } from '../../feature.ts';
import { log } from '../../log.ts';
import { Pace, within } from '../../pace.ts';
import { contentRevision, listed, type PromptDefinition, sameContent } from '../definition/definition.ts';
import type { PromptSource } from '../definition/source.ts';
import { problemOf } from '../files/file-cache.ts';
import { limitProblems } from '../files/limit-problems.ts';

interface CatalogOptions {
  /** Report changes to a prompt's text too, not only changes that are visible in the list. */
  readonly reportsTextChanges?: boolean;
  /** Log new problems after each change. */
  readonly logsProblems?: boolean;
  /** Adds rules to problems and removes those that are silenced. */
  readonly filter?: (problems: readonly Problem[]) => Promise<readonly Problem[]>;
  /** Finds further problems, such as failing tests. */
  readonly checks?: (
    entries: readonly CatalogEntry[],
    find: (name: string) => Promise<CatalogEntry>,
  ) => Promise<readonly Problem[]>;
}

export interface CatalogEntry {
  readonly definition: PromptDefinition;
  readonly source: PromptSource;
}

interface Merged {
  readonly named: ReadonlyMap<string, CatalogEntry>;
  readonly lists: readonly (readonly PromptDefinition[])[];
  readonly entries: readonly CatalogEntry[];
  readonly clashes: readonly Problem[];
}

/** The pages of one list come from the same reading of the files for this long, unless a change is reported. */
const continuedMs = 5_000;

/** The catalog records its first list at most this long after the start, so that later changes can be compared with it. */
const firstCheckMs = 200;

/** The longest path on Linux. Longer names are not looked up. */
const maxNameLength = 4_096;

/** The prompts of all sources. If two sources have a prompt with the same name, the earlier source wins. */
export class Catalog {
  readonly sources: readonly PromptSource[];
  readonly #reportsTextChanges: boolean;
  readonly #checks: CatalogOptions['checks'];
  readonly #filter: CatalogOptions['filter'];
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribe: (() => void)[] = [];
  #merged: Merged = { named: new Map(), lists: [], entries: [], clashes: [] };
  /** What each source had when it was last read. */
  readonly #read = new Map<PromptSource, readonly PromptDefinition[]>();
  /** What `known` has found since the last promise was settled. */
  readonly #justFound = new Map<string, CatalogEntry>();
  /** When the entries were last read for a list. */
  #mergedAt = Number.NEGATIVE_INFINITY;
  #reported: readonly CatalogEntry[] | undefined;
  #checking: Promise<void> = Promise.resolve();
  #firstCheck: NodeJS.Timeout | undefined;
  /** `undefined` if problems are returned only on request. */
  readonly #problemLog: ProblemLog | undefined;

  constructor(
    sources: readonly PromptSource[],
    { reportsTextChanges = false, logsProblems = false, checks, filter }: CatalogOptions = {},
  ) {
    this.#filter = filter;
    this.#checks = checks;
    this.sources = sources;
    this.#reportsTextChanges = reportsTextChanges;
    if (logsProblems) this.#problemLog = new ProblemLog();
  }

  /**
   * Sorted by name. Returns the same array object until something changes. If it `continues` an earlier list, which was read
   * a moment ago, the files are not checked again: a page of a large library would cost as much as the whole.
   */
  async list(continues = false): Promise<readonly CatalogEntry[]> {
    if (continues && Date.now() - this.#mergedAt < continuedMs) return this.#merged.entries;
    const { entries } = await this.#merge();
    this.#mergedAt = Date.now();
    if (this.#reported === undefined) {
      this.#reported = entries;
      // Log problems now: the client may disconnect before the first scheduled check.
      if (this.#problemLog !== undefined) this.checkForChanges();
    }
    return entries;
  }

  /** The result of `find`, if it can be given without waiting. Requests that arrived together look at the files once. */
  known(name: string): CatalogEntry | undefined {
    if (!isName(name)) return undefined;
    const found = this.#justFound.get(name) ?? this.#lookUp(name);
    if (found === undefined) return undefined;
    // A request that arrives later, or after anything was waited for, looks again.
    if (this.#justFound.size === 0) queueMicrotask(() => this.#justFound.clear());
    this.#justFound.set(name, found);
    return found;
  }

  #lookUp(name: string): CatalogEntry | undefined {
    for (const source of this.sources) {
      const definition = source.known?.(name);
      if (definition === undefined) return undefined;
      if (definition !== 'none') return { definition, source };
    }
    return undefined;
  }

  /** Whether all sources were read, so that `list` only looks for changes. */
  get isRead(): boolean {
    return this.#merged.lists.length > 0;
  }

  /**
   * Like `list`, but at the first time without the sources that are still being read after these milliseconds. Listeners are
   * notified when they are read.
   */
  async listWithin(
    milliseconds: number,
  ): Promise<{ readonly entries: readonly CatalogEntry[]; readonly isWhole: boolean }> {
    const whole = this.list();
    const found = this.#reported === undefined ? await within(whole, milliseconds) : await whole;
    if (found !== undefined) return { entries: found, isWhole: true };
    const { entries } = this.#combine(this.sources.map((source) => this.#read.get(source) ?? noDefinitions));
    this.#reported ??= entries;
    whole.then(
      () => this.checkForChanges(),
      () => {},
    );
    return { entries, isWhole: false };
  }

  /** Nobody knows whether a prompt exists while a source is unavailable, so `unavailable` is thrown if no other source has it. */
  async find(name: string): Promise<CatalogEntry> {
    if (!isName(name)) throw new Failure('prompt-not-found', 'Prompt not found');
    let unavailable: Failure | undefined;
    for (const source of this.sources)
      try {
        const definition = await source.get(name);
        if (definition !== undefined) return { definition, source };
      } catch (error) {
        unavailable = asUnavailable(error);
      }
    throw unavailable ?? new Failure('prompt-not-found', `Prompt not found: ${name}`);
  }

  /** The revision number if the source counts revisions, otherwise a digest of the content. */
  async revision({ definition, source }: CatalogEntry): Promise<string> {
    if (source.revision !== undefined) return source.revision(definition);
    if (definition.uses === undefined) return contentRevision(definition);
    // A prompt changes with the prompts that it uses.
    const { named } = await this.#merge();
    return contentRevision(withUsedRevisions(definition, named));
  }

  async problems(): Promise<readonly Problem[]> {
    const { lists, clashes, entries, named } = await this.#merge();
    const found = (await this.#checks?.(entries, (name) => this.find(name))) ?? [];
    const checked = found.map((problem) => {
      const source = named.get(problem.prompts?.[0] ?? '')?.source.name;
      return source === undefined ? problem : { ...problem, source };
    });
    const own = await Promise.all(
      this.sources.map((source) =>
        source.problems().then(
          (found) => limitProblems(found).map((problem) => ({ ...problem, source: source.name })),
          (error: unknown) => [problemOf(`(${source.name})`, error)],
        ),
      ),
    );
    const byFile = Map.groupBy(lists.flat(), ({ file }) => file);
    const all = [...own.flat().map((problem) => withPrompts(problem, byFile)), ...clashes, ...checked];
    return all.length === 0 || this.#filter === undefined ? all : this.#filter(all);
  }

  /** Calls the listener once per burst of changes, and only if something visible to clients has changed. */
  subscribe(listener: () => void): () => void {
    if (this.#listeners.size === 0) this.#start();
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Compares the prompts with the last reported list and notifies listeners of a difference. */
  checkForChanges(): void {
    this.#mergedAt = Number.NEGATIVE_INFINITY;
    this.#checking = this.#checking.then(async () => {
      const { entries } = await this.#merge();
      const before = this.#reported;
      this.#reported = entries;
      const same = this.#reportsTextChanges ? sameContent : sameListing;
      if (before !== undefined && !sameList(before, entries, same))
        for (const listener of this.#listeners) listener();
    });
    this.#checking = this.#checking
      .catch((error: unknown) => log('warning', 'could not check the prompts for changes', error))
      .then(() => this.#logProblems());
  }

  async #logProblems(): Promise<void> {
    if (this.#problemLog === undefined) return;
    const unreadable = (error: unknown) => [
      problemOf(this.sources.map(({ name }) => name).join(', '), error),
    ];
    await this.#problemLog.update(await this.problems().catch(unreadable));
  }

  close(): void {
    clearTimeout(this.#firstCheck);
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    for (const source of this.sources) source.close?.();
  }

  #start(): void {
    for (const source of this.sources) {
      const unsubscribe = source.subscribe?.(() => this.checkForChanges());
      if (unsubscribe !== undefined) this.#unsubscribe.push(unsubscribe);
    }
    this.#firstCheck = setTimeout(() => this.checkForChanges(), firstCheckMs);
    this.#firstCheck.unref();
  }

  async #merge(): Promise<Merged> {
    const lists = await Promise.all(
      this.sources.map(async (source) => {
        try {
          const list = await source.list();
          this.#read.set(source, list);
          return list;
        } catch (error) {
          // An unavailable source must not block the others.
          if (this.sources.length === 1) throw error;
          asUnavailable(error);
          return noDefinitions;
        }
      }),
    );
    const known = this.#merged;
    if (lists.length === known.lists.length && lists.every((list, index) => list === known.lists[index]))
      return known;
    this.#merged = this.#combine(lists);
    return this.#merged;
  }

  #combine(lists: Merged['lists']): Merged {
    const named = new Map<string, CatalogEntry>();
    const clashes: Problem[] = [];
    for (const [index, source] of this.sources.entries()) {
      for (const definition of lists[index]!) {
        if (unsafeName.test(definition.name)) {
          clashes.push({ ...unsafeNameProblem(definition), source: source.name });
          continue;
        }
        const first = named.get(definition.name)?.definition;
        if (first === undefined) named.set(definition.name, { definition, source });
        // A copy with the same content hides nothing.
        else if (!sameContent(first, definition)) {
          const message = `the prompt ${definition.name} is hidden by the prompt of the same name in ${first.file}`;
          const { name, file, line } = definition;
          clashes.push({ file, line, severity: 'warning', message, prompts: [name], source: source.name });
        }
      }
    }
    const entries = [...named.values()]
      .map(({ definition, source }) => ({
        definition: withUsedRevisions(definition, named),
        source,
      }))
      .sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1));
    return { named, lists, entries, clashes };
  }
}

/** Rethrows any other error. */
function asUnavailable(error: unknown): Failure {
  if (error instanceof Failure && error.kind === 'unavailable') return error;
  throw error;
}

const noDefinitions: readonly PromptDefinition[] = [];

/** Adds the prompt's name to a problem of a single-prompt file. Problems in JSONL files already name their prompt. */
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

const sameListing: Comparison = (one, other) =>
  one === other || JSON.stringify(listed(one)) === JSON.stringify(listed(other));

/** Limits how many problems one update logs. */
const maxLines = 50;

/** Logs each problem once. A problem that was fixed and comes back is logged again. */
class ProblemLog {
  #logged: ReadonlySet<string> = new Set();

  async update(problems: readonly Problem[]): Promise<void> {
    const found = new Map<string, Problem['severity']>();
    const pace = new Pace();
    for (const problem of problems) {
      found.set(lineOf(problem), problem.severity);
      await pace.pause;
    }
    const unlogged = [...found].filter(([line]) => !this.#logged.has(line));
    for (const [line, severity] of unlogged.slice(0, maxLines))
      log(severity === 'note' ? 'debug' : severity, line);
    if (unlogged.length > maxLines)
      log(
        'warning',
        `${unlogged.length - maxLines} more problems with prompts are not shown; run "adjutant prompts lint" to list them`,
      );
    this.#logged = new Set(found.keys());
  }
}

function lineOf({ file, line, column, message }: Problem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  // Control characters in a file name could forge log lines or change the terminal's state.
  return `${place}: ${message}`.replaceAll(/\p{Cc}+/gu, ' ');
}

/** Line breaks, control characters and direction overrides, which could forge lines or hide a part of the name. */
const unsafeName = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u;

function isName(name: string): boolean {
  return name.length <= maxNameLength && !unsafeName.test(name);
}

function unsafeNameProblem({ name, file, line }: PromptDefinition): Problem {
  const shown = JSON.stringify(name).replaceAll(
    new RegExp(unsafeName, 'gu'),
    (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  );
  const message = `the name ${shown} contains a line break, a control character or a direction override, so the prompt is not served; rename it`;
  return { file, line, severity: 'error', rule: 'unsafe-name', message };
}

type Named = ReadonlyMap<string, { readonly definition: PromptDefinition }>;

const composed = new WeakMap<PromptDefinition, PromptDefinition>();

/**
 * Adds the revisions of all prompts that a prompt uses, directly or through others, to its dependencies, so that a change
 * of one of them is a change of the prompt. Returns the same object while nothing changes.
 */
function withUsedRevisions(definition: PromptDefinition, named: Named): PromptDefinition {
  if (definition.uses === undefined) return definition;
  const dependencies: Record<string, string> = { ...definition.dependencies };
  const pending = [...definition.uses];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const key = `prompt:${name}`;
    if (key in dependencies) continue;
    const used = named.get(name)?.definition;
    dependencies[key] = used === undefined ? 'missing' : contentRevision(used);
    pending.push(...(used?.uses ?? []));
  }
  const known = composed.get(definition);
  if (known !== undefined && JSON.stringify(known.dependencies) === JSON.stringify(dependencies))
    return known;
  const result = { ...definition, dependencies };
  composed.set(definition, result);
  return result;
}
