import { Failure } from '../../failure.ts';
import { singleLine } from '../../single-line.ts';
import type { StoredObject, Target } from '../calendar/target.ts';
import type { Edit } from './edit.ts';
import { changedValues, propertyOf, valuesOf } from './merge.ts';
import { parseObject, writeObject } from './object-text.ts';

const maxAttempts = 6;

export async function applied(edit: Edit, text: string): Promise<string> {
  const object = parseObject(text);
  await edit.apply(object);
  return writeObject(object);
}

/**
 * Writes an edit and reads the result back. If somebody else changed the object in the meantime, the edit is applied to
 * the new version, unless both changed the same property. Returns what the server stores now.
 */
export async function saveEdit(
  target: Target,
  href: string,
  read: StoredObject,
  edit: Edit,
): Promise<StoredObject> {
  let base = read;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const next = await applied(edit, base.text);
    const ours = changedValues(base.text, next);
    if (ours.size === 0) return base;
    const { outcome, current } = await writeAndReadBack(target, href, next, base.version);
    const [before, wanted, stored] = [base.text, next, current.text].map(valuesOf) as [
      Values,
      Values,
      Values,
    ];
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
    base = current;
  }
  throw new Failure('conflict', 'Other programs keep changing this event. Nothing was changed; try again.');
}

type Values = ReturnType<typeof valuesOf>;

async function writeAndReadBack(target: Target, href: string, text: string, version: string) {
  let outcome: Awaited<ReturnType<Target['replace']>>;
  try {
    outcome = await target.replace(href, text, version);
  } catch (error) {
    // The connection may have broken after the server stored the event.
    const current = await target.read(href).catch(() => undefined);
    if (current === undefined || changedValues(text, current.text).size > 0) throw error;
    return { outcome: 'written' as const, current };
  }
  const current = await target.read(href);
  if (current === undefined) throw deletedFailure();
  return { outcome, current };
}

/** Creates an object and reads it back. */
export async function saveNew(target: Target, href: string, text: string): Promise<StoredObject> {
  try {
    if ((await target.create(href, text)) === 'changed')
      throw new Failure(
        'conflict',
        'The calendar already contains an event with this id. Nothing was changed.',
      );
  } catch (error) {
    const current = await target.read(href).catch(() => undefined);
    if (current === undefined || changedValues(text, current.text).size > 0) throw error;
    return current;
  }
  const current = await target.read(href);
  if (current !== undefined) return current;
  throw new Failure(
    'unavailable',
    'The server confirmed the new event, but does not have it. Nothing was stored; try again.',
  );
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
