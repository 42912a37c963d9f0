import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { singleLine } from '../../single-line.ts';
import type { StoredObject, Target, WriteOutcome } from '../calendar/source.ts';
import {
  componentsOf,
  isLine,
  linesOf,
  parseObject,
  type TextComponent,
  writeComponent,
  writeObject,
} from '../icalendar/text.ts';
import type { Edit } from './edit.ts';

const maxAttempts = 6;

/** What a server stores now. */
export interface Saved extends Omit<StoredObject, 'version'> {
  /** Absent if the server confirmed the write, but did not send the object back. */
  readonly version?: string;
}

export async function applied(edit: Edit, text: string): Promise<string> {
  const object = parseObject(text);
  await edit.apply(object);
  return writeObject(object);
}

/**
 * Writes an edit and reads the result back. If somebody else changed the object in the meantime, the edit is applied to
 * the new version, unless both changed the same property. Returns what the server stores now.
 */
export async function saveEdit(target: Target, href: string, read: StoredObject, edit: Edit): Promise<Saved> {
  let base = read;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const next = await applied(edit, base.text);
    const ours = changedValues(base.text, next);
    if (ours.size === 0) return base;
    const { outcome, current } = await writeAndReadBack(target, href, next, base.version);
    if (current.version === undefined) return current;
    const stored = valuesOf(current.text);
    const [before, wanted] = [valuesOf(base.text), valuesOf(next)];
    if (outcome === 'written') {
      // Some servers accept two writes of the same version; the earlier one is then lost.
      const lost = [...ours].some(
        (key) => stored.get(key) !== wanted.get(key) && stored.get(key) === before.get(key),
      );
      if (!lost) return current;
    } else {
      const theirs = [...changedValues(base.text, current.text)];
      const collision = theirs.find((key) => {
        const name = propertyOf(key);
        if (edit.relies?.has(name)) return true;
        return ours.has(key) && !edit.additive?.has(name) && stored.get(key) !== wanted.get(key);
      });
      if (collision !== undefined)
        throw collisionFailure(propertyOf(collision), stored.get(collision), wanted.get(collision));
    }
    base = { text: current.text, version: current.version };
  }
  throw new Failure('conflict', 'Other programs keep changing this event. Nothing was changed; try again.');
}

async function writeAndReadBack(
  target: Target,
  href: string,
  text: string,
  version: string,
): Promise<{ readonly outcome: WriteOutcome; readonly current: Saved }> {
  let outcome: WriteOutcome;
  try {
    outcome = await target.replace(href, text, version);
  } catch (error) {
    // The connection may have broken after the server stored the event.
    const current = await target.read(href).catch(() => undefined);
    if (current === undefined || changedValues(text, current.text).size > 0) throw error;
    return { outcome: 'written' as const, current };
  }
  if (outcome === 'written') {
    // The server confirmed the write, so the change is made even if it cannot be read back now.
    const current = await target.read(href).catch(() => ({ text }));
    if (current === undefined) throw deletedFailure();
    return { outcome, current };
  }
  const current = await target.read(href);
  if (current === undefined) throw deletedFailure();
  return { outcome, current };
}

/**
 * Creates an object and reads it back. Returns `taken` with the present object if there is one at this address; its text
 * is absent if the server does not send it.
 */
export async function saveNew(
  target: Target,
  href: string,
  text: string,
): Promise<Saved | { readonly taken: Partial<StoredObject> }> {
  let outcome: WriteOutcome;
  try {
    outcome = await target.create(href, text);
  } catch (error) {
    // The connection may have broken after the server stored the event.
    if (!isUncertain(error)) throw error;
    const taken = await target.read(href).catch(() => {
      throw new Failure(
        'unavailable',
        `${messageOf(error)} It is not known whether the event was stored. Try again with the same arguments: that does not create a second event.`,
        { cause: error },
      );
    });
    if (taken === undefined) throw error;
    return { taken };
  }
  const current = await target.read(href).catch(() => undefined);
  if (outcome === 'changed') return { taken: current ?? {} };
  return current ?? { text };
}

/** False if the server has rejected the write. */
function isUncertain(error: unknown): boolean {
  return !(error instanceof Failure) || error.kind === 'unavailable';
}

/** Deletes an object, but not a version that nobody has seen. */
export async function saveRemoval(
  target: Target,
  href: string,
  { text, version }: StoredObject,
  attempts = maxAttempts,
): Promise<void> {
  if ((await target.remove(href, version)) === 'written') return;
  const current = await target.read(href);
  if (current === undefined) return;
  if (attempts === 1 || changedValues(text, current.text).size > 0)
    throw new Failure(
      'conflict',
      'Another program changed this event at the same time, so it was not deleted. Look at it again before you delete it.',
    );
  return saveRemoval(target, href, current, attempts - 1);
}

function deletedFailure(): Failure {
  return new Failure('conflict', 'Another program deleted this event at the same time. Nothing was changed.');
}

function collisionFailure(property: string, theirs: string | undefined, ours: string | undefined): Failure {
  const show = (value: string | undefined) =>
    value === undefined ? 'removed' : singleLine(value.replaceAll('\n', ', '), 300);
  return new Failure(
    'conflict',
    `Another program changed ${property} of this event at the same time. Nothing was changed. There: ${show(theirs)}. Here: ${show(ours)}. Ask which one is right, and call again to replace it.`,
    { data: { property, theirs: show(theirs), ours: show(ours) } },
  );
}

/** Properties that every writer changes. They never conflict. */
const bookkeeping = new Set(['DTSTAMP', 'LAST-MODIFIED', 'SEQUENCE', 'CREATED', 'X-MOZ-GENERATION']);

/** Values of an object by component and property, such as `VEVENT 20260301T090000Z SUMMARY`. */
type Values = ReadonlyMap<string, string>;

/** Returns the component and property of everything that differs between two versions of an object. */
function changedValues(before: string, after: string): ReadonlySet<string> {
  const [left, right] = [valuesOf(before), valuesOf(after)];
  return new Set([...left.keys(), ...right.keys()].filter((key) => left.get(key) !== right.get(key)));
}

function valuesOf(text: string): Values {
  const values = new Map<string, string>();
  const { calendar } = parseObject(text);
  for (const event of [...componentsOf(calendar, 'VEVENT'), ...componentsOf(calendar, 'VTODO')]) {
    const key = keyOf(event);
    for (const line of linesOf(event))
      if (!bookkeeping.has(line.name)) {
        const path = `${key} ${line.name}`;
        // Servers may reorder the lines of an object.
        values.set(path, [...(values.get(path)?.split('\n') ?? []), line.text].sort().join('\n'));
      }
    const nested = event.children.flatMap((child) => (isLine(child) ? [] : [writeComponent(child)]));
    if (nested.length > 0) values.set(`${key} VALARM`, nested.sort().join(''));
  }
  return values;
}

function keyOf(event: TextComponent): string {
  return `${event.name} ${linesOf(event, 'RECURRENCE-ID')[0]?.text.split(':').at(-1) ?? ''}`;
}

/** Returns the name of the property in a key of `changedValues`. */
function propertyOf(key: string): string {
  return key.slice(key.lastIndexOf(' ') + 1);
}
