import { type Actor, identityOf, isOwner } from '../../context.ts';
import { Failure } from '../../failure.ts';
import type { JsonObject } from '../../json.ts';
import { nearest } from '../../nearest.ts';
import type { Records } from '../../store/records.ts';
import type { Routine } from './routine.ts';

/** Kind of the records of routines. */
export const routineKind = 'routines';

/** The routines of all machines that share a database. */
export class Definitions {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  async all(): Promise<readonly Routine[]> {
    return (await this.#records.list(routineKind)) as unknown as readonly Routine[];
  }

  /** The routines that the actor may see: all for the owner, and their own for everybody else. */
  async visibleTo(actor: Actor): Promise<readonly Routine[]> {
    return (await this.all()).filter(
      ({ creator }) => isOwner(actor) || creator.identity === identityOf(actor),
    );
  }

  /** The routine with this id or name. Throws if the actor sees none. */
  async demand(written: string, actor: Actor): Promise<Routine> {
    const visible = await this.visibleTo(actor);
    const wanted = written.trim().toLowerCase();
    const found =
      visible.find(({ id }) => id === wanted) ?? visible.find(({ name }) => name.toLowerCase() === wanted);
    if (found !== undefined) return found;
    const meant = nearest(
      written,
      visible.map(({ name }) => name),
    );
    throw new Failure(
      'resource-not-found',
      `There is no routine "${written}".${meant === undefined ? '' : ` Did you mean "${meant}"?`} list_routines shows all.`,
    );
  }

  /** Adds a routine. Throws if its creator has one with this name. */
  async add(routine: Routine): Promise<void> {
    const same = (await this.all()).find(
      ({ name, creator }) =>
        creator.identity === routine.creator.identity && name.toLowerCase() === routine.name.toLowerCase(),
    );
    if (same !== undefined)
      throw new Failure(
        'conflict',
        `There is already a routine "${same.name}". Change it with update_routine, or choose another name.`,
      );
    await this.#records.change(routineKind, routine.id, () => ({ next: asRecord(routine) }));
  }

  /** Changes a routine and returns it; undefined if it was deleted or the edit changes nothing. */
  async change(
    id: string,
    edit: (routine: Routine) => Partial<Routine> | undefined,
  ): Promise<Routine | undefined> {
    let changed: Routine | undefined;
    await this.#records.change(routineKind, id, (current) => {
      changed = undefined;
      if (current === undefined) return undefined;
      const routine = current as unknown as Routine;
      const fields = edit(routine);
      if (fields === undefined) return undefined;
      changed = { ...routine, ...fields };
      return { next: asRecord(changed) };
    });
    return changed;
  }

  async remove(id: string): Promise<void> {
    await this.#records.change(routineKind, id, (current) => current && { next: undefined });
  }
}

/** Drops fields without a value, as JSON does. */
function asRecord(routine: Routine): JsonObject {
  return JSON.parse(JSON.stringify(routine)) as JsonObject;
}
