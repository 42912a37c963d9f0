import { Failure } from '../failure.ts';
import { messageOf } from '../json.ts';
import { storageReason } from '../storage-error.ts';

/** Explanations for SQLite's primary result codes. */
const sqlite: Readonly<Record<number, string>> = {
  5: 'is locked by another process; try again when that process is done',
  6: 'is locked by another process; try again when that process is done',
  8: 'is not writable; check the permissions of the file and its folder',
  10: 'cannot be read or written because of a disk error; check the disk and back up the file',
  11: 'is damaged; restore it from a backup or move it away',
  13: 'cannot grow because the disk is full; free some space',
  14: 'cannot be opened; check that its folder exists and is writable',
  26: 'is not an Adjutant database; choose another file',
};

const setting = 'DATABASE_URL or assistant.database_url';
const untrusted = `has an untrusted certificate; set NODE_EXTRA_CA_CERTS to its certificate authority, or sslrootcert in ${setting}`;
const postgres: Readonly<Record<string, string>> = {
  '25006': `is read-only; use the address of the primary server in ${setting}`,
  '28000': `rejects the login; check the user name and password in ${setting}`,
  '28P01': `rejects the login; check the user name and password in ${setting}`,
  '3D000': `does not exist; create it, or correct its name in ${setting}`,
  '42501': 'denies this user access; grant CREATE on the database and all privileges on the schema adjutant',
  '53100': 'cannot grow because its disk is full; free some space',
  '53200': 'is out of memory; try again later, or give it more memory',
  '53300': 'has no free connections; raise its max_connections, or run fewer servers and workers',
  '57P01': 'is shutting down; try again when it is running',
  '57P02': 'has crashed; check its log and try again when it is running',
  '57P03': 'is still starting; try again in a moment',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
};

export interface Advice {
  /** Sentence added when the server cannot be reached. Default: run adjutant doctor. */
  readonly hint?: string;
}

/** Returns a `Failure` that says what to do, or the error unchanged if the database is not the cause. */
export function unavailable(error: unknown, place: string, advice: Advice = {}): unknown {
  if (error instanceof Failure) return error;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (isUniqueViolation(error))
    return new Failure('conflict', 'An entry with the same id or unique field already exists.', {
      cause: error,
    });
  if (code === '22021' || code === '22P05')
    return new Failure(
      'invalid-params',
      'A text contains the character U+0000, which cannot be stored; remove it.',
      { cause: error },
    );
  const { hint = ' Run adjutant doctor to see where this address is set.' } = advice;
  const connection = connectionProblem(typeof code === 'string' ? code : messageOf(error));
  const meaning =
    code === 'ERR_SQLITE_ERROR'
      ? sqliteProblem(error, Number(errcode) & 0xff, place)
      : (postgres[String(code)] ?? connection);
  return meaning === undefined
    ? error
    : new Failure('unavailable', `The database ${place} ${meaning}.${meaning === connection ? hint : ''}`, {
        cause: error,
      });
}

/** A full or read-only disk shows as one of several codes. */
function sqliteProblem(error: unknown, code: number, place: string): string | undefined {
  const reason = [8, 10, 13, 14].includes(code) ? storageReason(error, place) : undefined;
  return reason === undefined ? sqlite[code] : `cannot be used: ${reason}`;
}

function isUniqueViolation(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === '23505' || (code === 'ERR_SQLITE_ERROR' && [1555, 2067].includes(Number(errcode)));
}

const connectionError =
  /^(ECONN|ETIMEDOUT|ENOTFOUND|EHOST|ENETWORK|ENETUNREACH|EPIPE|EAI_AGAIN|08)|connection (terminated|timeout)|timeout (exceeded|expired)|query read timeout|client has encountered a connection error/i;

/** Explains a connection error by its code or message; undefined if it is another kind of error. */
function connectionProblem(text: string): string | undefined {
  if (!connectionError.test(text)) return undefined;
  const why = /ENOTFOUND|EAI_AGAIN/.test(text)
    ? 'its host name cannot be resolved'
    : text.includes('ECONNREFUSED')
      ? 'the connection was refused'
      : /timeout|timedout/i.test(text)
        ? 'it does not respond'
        : 'the connection was lost';
  return `cannot be reached: ${why}; check that PostgreSQL is running, and the host and port in ${setting}`;
}
