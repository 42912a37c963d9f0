import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';

/** What SQLite's primary result codes mean to the person who has to do something about it. */
const sqlite: Readonly<Record<number, string>> = {
  5: 'is locked by another process; try again when that one is done',
  6: 'is locked by another process; try again when that one is done',
  8: 'cannot be written; check the permissions of the file and its folder',
  10: 'cannot be read or written: the disk reports an error',
  11: 'is damaged; restore it from a backup or move it away',
  13: 'cannot grow: the disk is full',
  14: 'cannot be opened; check that its folder exists and may be written',
  26: 'is not a database of Adjutant; choose another file',
};

const postgres: Readonly<Record<string, string>> = {
  '25006': 'takes no writes at the moment (read-only)',
  '28000': 'refuses this user; check the name and password in the address',
  '28P01': 'refuses this user; check the name and password in the address',
  '3D000': 'has no such database; create it first',
  '42501': 'does not let this user do that; check its rights',
  '53100': 'cannot grow: its disk is full',
  '53200': 'is out of memory',
  '53300': 'has no connection left',
  '57P01': 'is shutting down',
  '57P02': 'has crashed',
  '57P03': 'is still starting',
};

/** The failure a person can act on, or the error as it came when it is no trouble of the database itself. */
export function unavailable(error: unknown, place: string): unknown {
  if (error instanceof Failure) return error;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  const meaning =
    code === 'ERR_SQLITE_ERROR'
      ? sqlite[Number(errcode) & 0xff]
      : typeof code === 'string'
        ? (postgres[code] ?? (isConnection(code) ? 'cannot be reached' : undefined))
        : isConnection(messageOf(error))
          ? 'cannot be reached'
          : undefined;
  if (isTaken(error))
    return new Failure('conflict', 'Something with the same identity exists already.', { cause: error });
  return meaning === undefined
    ? error
    : new Failure('unavailable', `The database ${place} ${meaning}.`, { cause: error });
}

export function isBusy(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === 'ERR_SQLITE_ERROR' && [5, 6].includes(Number(errcode) & 0xff);
}

function isTaken(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === '23505' || (code === 'ERR_SQLITE_ERROR' && [1555, 2067].includes(Number(errcode)));
}

function isConnection(text: string): boolean {
  return /^(ECONN|ETIMEDOUT|ENOTFOUND|EHOST|ENETWORK|ENETUNREACH|EPIPE|EAI_AGAIN|08)|connection (terminated|timeout)|timeout (exceeded|expired)|query read timeout|client has encountered a connection error/i.test(
    text,
  );
}
