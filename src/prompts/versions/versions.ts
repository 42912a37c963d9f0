import { Failure } from '../../failure.ts';
import { nearest } from '../../nearest.ts';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { type Author, ifFound, isEditable } from '../definition/source.ts';
import { type PromptRecord, toDefinition } from '../jsonl/record.ts';
import type { LabelEntry, LabelStore } from './label-store.ts';
import { SnapshotSource, takeSnapshot } from './snapshot.ts';

export interface VersionOptions {
  /** Labels that only a person may move. */
  readonly protectedLabels?: readonly string[];
  /** A label does not move to a revision whose tests fail. */
  readonly holdsLabels?: boolean;
}

export interface LabelMove {
  readonly name: string;
  readonly label: string;
  /** Default: the current revision. */
  readonly revision?: string | undefined;
  /** Keep moving the label to every new revision. */
  readonly follow?: boolean | undefined;
  readonly remove?: boolean | undefined;
}

/** The current revision of every prompt has this label. */
const latest = 'latest';
const labelForm = /^[A-Za-z][\w.-]{0,49}$/;
/** How many names an error lists. */
const maxNames = 10;
const itself: Author = { name: 'adjutant', version: '' };

/** Earlier revisions of prompts, and labels such as `production` that name a revision. */
export class Versions {
  readonly #catalog: Catalog;
  readonly #store: LabelStore;
  readonly #options: VersionOptions;

  constructor(catalog: Catalog, store: LabelStore, options: VersionOptions = {}) {
    this.#catalog = catalog;
    this.#store = store;
    this.#options = options;
  }

  /**
   * Finds `name`, `name@label` or `name@revision`. A prompt whose own name contains `@` wins. Models and people often write
   * the colon or slash with which commands begin. The end of a name is enough if no other name has it.
   */
  readonly find = async (asked: string): Promise<CatalogEntry> =>
    this.#catalog.known(asked) ?? (await this.#exact(asked)) ?? this.#resolve(asked);

  /** The whole name of a prompt. A name that no prompt has stays as it is: a deleted prompt has a history too. */
  readonly fullName = async (asked: string): Promise<string> =>
    (await ifFound(this.find(asked)))?.definition.name ?? asked;

  async #resolve(asked: string): Promise<CatalogEntry> {
    const name = asked.replace(/^[:/](?=\S)/, '');
    const found = await this.#exact(name);
    if (found !== undefined) return found;
    const at = name.lastIndexOf('@');
    const base = at < 1 ? name : name.slice(0, at);
    const full =
      (at >= 1 && (await this.#exact(base)) !== undefined ? base : await this.#fullName(base)) ?? base;
    if (at >= 1) return this.version(full, name.slice(at + 1));
    if (full !== base) return this.#catalog.find(full);
    const suggestion = nearest(name, await this.#names());
    throw new Failure(
      'prompt-not-found',
      `Prompt not found: ${name}${suggestion ? `; did you mean ${suggestion}?` : ''}`,
    );
  }

  #exact(name: string): Promise<CatalogEntry | undefined> {
    return ifFound(this.#catalog.find(name));
  }

  /** The name that ends with these parts, such as `fabric:summarize` for `summarize`. Throws if there are several. */
  async #fullName(end: string): Promise<string | undefined> {
    const names = (await this.#names()).filter(
      (name) => name.endsWith(`:${end}`) || name.endsWith(`/${end}`),
    );
    if (names.length < 2) return names[0];
    const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
    throw new Failure(
      'invalid-params',
      `Several prompts are called ${end}: ${names.slice(0, maxNames).join(', ')}${more}. Give the full name.`,
    );
  }

  async #names(): Promise<readonly string[]> {
    return (await this.#catalog.list()).map(({ definition }) => definition.name);
  }

  /** The current state of a prompt, or `undefined` if there is none. */
  async head(name: string): Promise<CatalogEntry | undefined> {
    try {
      return await this.#catalog.find(name);
    } catch (error) {
      if (error instanceof Failure) return undefined;
      throw error;
    }
  }

  /** A prompt at a label or revision. */
  async version(name: string, wanted: string): Promise<CatalogEntry> {
    if (wanted === latest) return this.#catalog.find(name);
    const entries = await this.history(name);
    const labelled = currentLabels(entries).find(({ label }) => label === wanted);
    if (labelled !== undefined) return this.#snapshotOf(await this.#followed(labelled));
    const found = await this.#atRevision(name, wanted, entries);
    if (found !== undefined) return found;
    const labels = currentLabels(entries).map(({ label }) => label);
    const known = labels.length === 0 ? 'it has no labels' : `its labels are ${labels.join(', ')}`;
    throw new Failure(
      'prompt-not-found',
      `Prompt not found: ${name} has no label or revision ${wanted}; ${known}`,
    );
  }

  /** Every move of the prompt's labels, oldest first. */
  async history(name: string): Promise<readonly LabelEntry[]> {
    return (await this.#store.entries()).filter(({ prompt }) => prompt === name);
  }

  async labels(name: string): Promise<readonly LabelEntry[]> {
    return currentLabels(await this.history(name));
  }

  isProtected(label: string): boolean {
    return this.#options.protectedLabels?.includes(label) ?? false;
  }

  /** Moves or removes a label. Throws `refused` if a test fails and labels are held back. */
  async move({ name, label, revision, follow, remove }: LabelMove, author: Author): Promise<LabelEntry> {
    if (!labelForm.test(label) || label === latest)
      throw new Failure(
        'invalid-params',
        `${label} is not a valid label: it must begin with a letter and have at most 50 letters, digits, dots, dashes and underscores; ${latest} is the current revision of every prompt`,
      );
    const entry = remove
      ? await this.#removal(name, label, author)
      : await this.#move(name, label, revision, follow, author);
    await this.#store.append(entry);
    return entry;
  }

  async #removal(prompt: string, label: string, client: Author): Promise<LabelEntry> {
    const current = (await this.labels(prompt)).find((one) => one.label === label);
    if (current === undefined) throw new Failure('prompt-not-found', `${prompt} has no label ${label}`);
    return { prompt, label, action: 'remove', revision: current.revision, time: now(), client };
  }

  async #move(
    prompt: string,
    label: string,
    revision: string | undefined,
    follow: boolean | undefined,
    client: Author,
  ): Promise<LabelEntry> {
    const target =
      revision === undefined ? await this.#catalog.find(prompt) : await this.version(prompt, revision);
    if (this.#options.holdsLabels) await this.#assertPasses(target);
    return {
      ...{ prompt, label, action: 'set', time: now(), client, ...(follow && { follow }) },
      revision: await this.#catalog.revision(target),
      snapshot: await takeSnapshot(target),
    };
  }

  async #assertPasses(entry: CatalogEntry): Promise<void> {
    const { runTests } = await import('../testing/prompt-tests.ts');
    const failed = (await runTests(entry)).find(({ outcome }) => outcome === 'failed');
    if (failed !== undefined)
      throw new Failure('refused', `The label was not moved: ${failed.test} failed: ${failed.failures[0]}`);
  }

  /** Moves a label that follows its prompt, unless a test fails and labels are held back. */
  async #followed(current: LabelEntry): Promise<LabelEntry> {
    if (!current.follow) return current;
    try {
      const head = await this.#catalog.find(current.prompt);
      if ((await this.#catalog.revision(head)) === current.revision) return current;
      return await this.move({ name: current.prompt, label: current.label, follow: true }, itself);
    } catch (error) {
      if (error instanceof Failure) return current;
      throw error;
    }
  }

  #snapshotOf({ prompt, revision, snapshot }: LabelEntry): CatalogEntry {
    const source = new SnapshotSource(`${prompt}@${revision}`, snapshot!, revision);
    return { definition: snapshot!.definition, source };
  }

  /** The current revision, a labelled one, or one of the history of an edited prompt. */
  async #atRevision(
    name: string,
    revision: string,
    entries: readonly LabelEntry[],
  ): Promise<CatalogEntry | undefined> {
    const labelled = entries.findLast((one) => one.revision === revision && one.snapshot !== undefined);
    if (labelled !== undefined) return this.#snapshotOf(labelled);
    const head = await this.head(name);
    if (head !== undefined && (await this.#catalog.revision(head)) === revision) return head;
    for (const source of this.#catalog.sources) {
      if (!isEditable(source)) continue;
      const history = await source.history(name).catch(() => []);
      const prompt = history.find((one) => String(one.revision) === revision)?.prompt;
      if (prompt === undefined) continue;
      const definition = toDefinition(prompt as unknown as PromptRecord, `${name}@${revision}`, 1);
      return { definition, source: new SnapshotSource(source.name, { definition }, revision) };
    }
    return undefined;
  }
}

function currentLabels(entries: readonly LabelEntry[]): readonly LabelEntry[] {
  const byLabel = new Map(entries.map((entry) => [entry.label, entry]));
  return [...byLabel.values()].filter(({ action }) => action === 'set');
}

function now(): string {
  return new Date().toISOString();
}
