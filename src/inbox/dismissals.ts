import { createHash } from 'node:crypto';
import type { InboxItem } from '../inbox.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Records } from '../store/records.ts';

const kind = 'inbox-dismissals';
/** More are not kept for one person: the oldest go first. */
const maxKept = 2_000;

interface Dismissal {
  /** Hash of the item: a thing that has changed since waits again. */
  readonly hash: string;
  readonly at: string;
}

/** What people have dismissed, one record for each person. */
export class Dismissals {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  /** The items that the person has not dismissed, or that have changed since. */
  async open(person: string, items: readonly InboxItem[]): Promise<readonly InboxItem[]> {
    const known = dismissalsIn(await this.#records.find(kind, person));
    return items.filter((item) => known.get(item.id)?.hash !== hashOf(item));
  }

  async dismiss(person: string, items: readonly InboxItem[]): Promise<void> {
    const at = new Date().toISOString();
    await this.#edit(person, (known) => {
      for (const item of items) {
        known.delete(item.id);
        known.set(item.id, { hash: hashOf(item), at });
      }
    });
  }

  async restore(person: string, items: readonly InboxItem[]): Promise<void> {
    await this.#edit(person, (known) => {
      for (const { id } of items) known.delete(id);
    });
  }

  subscribe(listener: () => void): () => void {
    return this.#records.subscribe((changed) => {
      if (changed === kind) listener();
    });
  }

  #edit(person: string, edit: (known: Map<string, Dismissal>) => void): Promise<void> {
    return this.#records.change(kind, person, (current) => {
      const known = dismissalsIn(current);
      edit(known);
      const kept = [...known].slice(-maxKept);
      return {
        next: kept.length === 0 ? undefined : { items: Object.fromEntries(kept) as unknown as JsonObject },
      };
    });
  }
}

function dismissalsIn(record: JsonObject | undefined): Map<string, Dismissal> {
  const items = record?.['items'];
  return new Map(isObject(items) ? (Object.entries(items) as unknown as [string, Dismissal][]) : []);
}

function hashOf({ title, detail, questions, request }: InboxItem): string {
  return createHash('sha256')
    .update(JSON.stringify([title, detail, questions, request]))
    .digest('base64url');
}
