import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';

/** What SQLite's primary result codes mean to the person who has to do something about it. */
const sqlite: Readonly<Record<number, string>> = {
  5: 'is locked by another process; try again when that one is done',
  6: 'is locked by another process; try again when that one is done',
  8: 'cannot be written; check the permissions of the file and its folder',
  10: 'cannot be read or written: the disk reports an error; check the disk, and keep a copy of the file elsewhere',
  11: 'is damaged; restore it from a backup or move it away',
  13: 'cannot grow: the disk is full; make room there',
  14: 'cannot be opened; check that its folder exists and may be written',
  26: 'is not a database of Adjutant; choose another file',
};

const named = 'DATABASE_URL or assistant.database_url';
const untrusted = `has a certificate that is not trusted here; name its authority in NODE_EXTRA_CA_CERTS or as sslrootcert in ${named}`;
const postgres: Readonly<Record<string, string>> = {
  '25006': `takes no writes (read-only); name the primary server in ${named}`,
  '28000': `refuses this user; check the name and password in ${named}`,
  '28P01': `refuses this user; check the name and password in ${named}`,
  '3D000': `has no such database; create it first, or correct its name in ${named}`,
  '42501': 'does not let this user do that; grant it CREATE on the database and all on the schema adjutant',
  '53100': 'cannot grow: its disk is full; make room there',
  '53200': 'is out of memory; try again later, or give it more',
  '53300': 'has no connection left; raise its max_connections, or run fewer servers and workers',
  '57P01': 'is shutting down; try again when it is back',
  '57P02': 'has crashed; try again when it is back, and see its log',
  '57P03': 'is still starting; try again in a moment',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
};

export interface Advice {
  /** Where to look further, for somebody who is not looking there already. */
  readonly lookFurther?: string;
}

/** The failure a person can act on, or the error as it came when it is no trouble of the database itself. */
export function unavailable(error: unknown, place: string, advice: Advice = {}): unknown {
  if (error instanceof Failure) return error;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (isTaken(error))
    return new Failure('conflict', 'Something with the same identity exists already.', { cause: error });
  if (code === '22021' || code === '22P05')
    return new Failure(
      'invalid-params',
      'A text has the character U+0000 in it, which cannot be stored; leave it out.',
      { cause: error },
    );
  const { lookFurther = ' Run adjutant doctor to see where that address comes from.' } = advice;
  const trouble = unreachable(typeof code === 'string' ? code : messageOf(error));
  const meaning =
    code === 'ERR_SQLITE_ERROR' ? sqlite[Number(errcode) & 0xff] : (postgres[String(code)] ?? trouble);
  return meaning === undefined
    ? error
    : new Failure(
        'unavailable',
        `The database ${place} ${meaning}.${meaning === trouble ? lookFurther : ''}`,
        {
          cause: error,
        },
      );
}

export function isBusy(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === 'ERR_SQLITE_ERROR' && [5, 6].includes(Number(errcode) & 0xff);
}

function isTaken(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === '23505' || (code === 'ERR_SQLITE_ERROR' && [1555, 2067].includes(Number(errcode)));
}

const broken =
  /^(ECONN|ETIMEDOUT|ENOTFOUND|EHOST|ENETWORK|ENETUNREACH|EPIPE|EAI_AGAIN|08)|connection (terminated|timeout)|timeout (exceeded|expired)|query read timeout|client has encountered a connection error/i;

/** What is wrong with a connection, by the code or the words of an error; nothing when it is something else. */
function unreachable(text: string): string | undefined {
  if (!broken.test(text)) return undefined;
  const why = /ENOTFOUND|EAI_AGAIN/.test(text)
    ? 'its host is not known here'
    : text.includes('ECONNREFUSED')
      ? 'nothing listens there'
      : /timeout|timedout/i.test(text)
        ? 'it does not answer'
        : 'the connection broke';
  return `cannot be reached: ${why}; check that PostgreSQL runs, and the host and the port in ${named}`;
}
