import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Actor } from '../context.ts';
import { Failure } from '../failure.ts';
import { parseObject } from '../json.ts';
import { readRegularFileSync } from '../regular-file.ts';
import { actorWith } from '../toolsets/scopes.ts';

export interface NamedToken {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
  /** Absent if the token does not expire. */
  readonly expires_at?: string;
}

interface StoredToken extends NamedToken {
  readonly hash: Buffer;
}

/** The actor who uses a token. */
function actorOf({ name, scopes, created_at, expires_at, hash }: StoredToken): Actor {
  const created = Date.parse(created_at);
  const token = {
    kind: 'named',
    // A part of the hash tells nothing about the token, and tokens of earlier versions have it too.
    id: hash.toString('hex').slice(0, 16),
    // Without a valid time, nothing that exists belongs to the token.
    createdAt: Number.isNaN(created) ? Date.now() : created,
    ...(expires_at !== undefined && { expiresAt: Date.parse(expires_at) }),
  } as const;
  return actorWith(`token ${name}`, scopes, token);
}

/** Small letters only, so that names differ on every file system. No underscore, which ends the name in a token. */
const namePattern = /^[a-z0-9][a-z0-9-]{0,39}$/;
/** The name is part of the token, so that the server finds its file without reading the others. */
const tokenPattern = /^adjutant_([a-z0-9][a-z0-9-]{0,39})_([\w-]{43})$/;

/** True for text in the format of our tokens. Such text must not be sent to an authorization server. */
export function looksNamed(token: string): boolean {
  return token.startsWith('adjutant_');
}

/** Tokens for other people and programs: one file for each, which contains a hash of the token. */
export class NamedTokens {
  readonly #folder: string;

  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, 'tokens');
  }

  /** Returns the token. It is not stored and cannot be shown again. */
  create(name: string, scopes: readonly string[], expiresAt?: Date, now = new Date()): string {
    if (!namePattern.test(name))
      throw new Failure(
        'invalid-params',
        `"${name}" is not a valid token name; use up to 40 small letters, digits and hyphens.`,
      );
    const token = `adjutant_${name}_${randomBytes(32).toString('base64url')}`;
    const stored = {
      ...{ name, scopes, created_at: now.toISOString() },
      ...(expiresAt && { expires_at: expiresAt.toISOString() }),
      sha256: digest(token).toString('hex'),
    };
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    try {
      writeFileSync(this.#file(name), `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new Failure(
        'conflict',
        `there is already a token "${name}"; choose another name, or revoke it first with: adjutant tokens revoke ${name}`,
      );
    }
    return token;
  }

  /** Sorted by name. Throws if a file is damaged. */
  list(): readonly NamedToken[] {
    return this.#names().map((name) => {
      const stored = this.#read(name);
      if (stored === undefined)
        throw new Failure(
          'unavailable',
          `${this.#file(name)} is damaged; revoke the token and create it again.`,
        );
      const { hash: _, ...facts } = stored;
      return facts;
    });
  }

  /** Takes effect at once, also in servers that are running. */
  revoke(name: string): void {
    if (!this.#names().includes(name))
      throw new Failure('resource-not-found', `there is no token "${name}"; adjutant tokens list shows all`);
    rmSync(this.#file(name));
  }

  /** Who uses the token. Reads the file on every call, so that a revoked token is refused at once. Expired tokens are not found. */
  find(token: string, now = Date.now()): Actor | undefined {
    const name = tokenPattern.exec(token)?.[1];
    const stored = name === undefined ? undefined : this.#read(name);
    if (stored === undefined || !timingSafeEqual(stored.hash, digest(token))) return undefined;
    const actor = actorOf(stored);
    return (actor.token?.expiresAt ?? Number.POSITIVE_INFINITY) > now ? actor : undefined;
  }

  /** The actor of a token with its present rights, for work in its name. Undefined if the token was revoked or has expired. */
  present(name: string, id: string, now = Date.now()): Actor | undefined {
    const stored = this.#read(name);
    const actor = stored && actorOf(stored);
    if (actor?.token?.kind !== 'named' || actor.token.id !== id) return undefined;
    return (actor.token.expiresAt ?? Number.POSITIVE_INFINITY) > now ? actor : undefined;
  }

  #names(): readonly string[] {
    try {
      return readdirSync(this.#folder)
        .flatMap((file) => /^token-(.+)\.json$/.exec(file)?.[1] ?? [])
        .sort();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  #file(name: string): string {
    return join(this.#folder, `token-${name}.json`);
  }

  /** `undefined` if there is no such token, or its file is damaged. */
  #read(name: string): StoredToken | undefined {
    let text: string;
    try {
      text = readRegularFileSync(this.#file(name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    const stored = parseObject(text) ?? {};
    const hash = Buffer.from(String(stored['sha256']), 'hex');
    if (!Array.isArray(stored['scopes']) || hash.length !== 32) return undefined;
    const expires = stored['expires_at'];
    // A token whose end cannot be read must not last forever.
    if (expires !== undefined && Number.isNaN(Date.parse(String(expires)))) return undefined;
    return {
      ...{ name, scopes: stored['scopes'].map(String), created_at: String(stored['created_at']) },
      ...(expires !== undefined && { expires_at: String(expires) }),
      hash,
    };
  }
}

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
