import { createHash, randomBytes } from 'node:crypto';
import type { Login } from './passwords.ts';

/** A challenge of Digest authentication (RFC 7616), from the header `WWW-Authenticate`. */
export interface DigestChallenge {
  readonly realm: string;
  readonly nonce: string;
  readonly opaque?: string;
  readonly algorithm: Algorithm;
  /** False for old servers (RFC 2069), which count no requests. */
  readonly counts: boolean;
}

type Algorithm = keyof typeof hashes;

/** Strongest first. The names with `-sess` hash the login together with the nonce. */
const hashes = { 'SHA-256': 'sha256', 'SHA-256-sess': 'sha256', MD5: 'md5', 'MD5-sess': 'md5' } as const;

/** Fields are separated by commas, and so are challenges. No part of the text can match in two ways, however long it is. */
const field = /([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g;
const challenge = new RegExp(`\\bDigest\\s+(${field.source}(?:\\s*,\\s*${field.source})*)`, 'gi');

/** The strongest Digest challenge in the header that we can answer. */
export function digestChallenge(header: string | null): DigestChallenge | undefined {
  const found = [...(header ?? '').matchAll(challenge)]
    .map(([, fields]) => readFields(fields!))
    .flatMap(({ realm = '', nonce, opaque, algorithm = 'MD5', qop }): DigestChallenge[] => {
      const known = names.find((name) => name.toLowerCase() === algorithm.toLowerCase());
      const counts = qop !== undefined;
      if (known === undefined || nonce === undefined || (counts && !/(^|[\s,])auth($|[\s,])/i.test(qop)))
        return [];
      return [{ realm, nonce, algorithm: known, counts, ...(opaque !== undefined && { opaque }) }];
    });
  return found.sort((a, b) => names.indexOf(a.algorithm) - names.indexOf(b.algorithm))[0];
}

const names = Object.keys(hashes) as Algorithm[];

function readFields(text: string): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    [...text.matchAll(field)].map(([, name, quoted, bare]) => [
      name!.toLowerCase(),
      bare ?? quoted!.replaceAll(/\\(.)/g, '$1'),
    ]),
  );
}

/** The header `Authorization` that answers a challenge for one request. `count` starts at 1 and grows with every use of the nonce. */
export function digestAnswer(
  { realm, nonce, opaque, algorithm, counts }: DigestChallenge,
  { login, password }: Login,
  method: string,
  { pathname, search }: URL,
  count: number,
): string {
  const hash = (...parts: readonly string[]) =>
    createHash(hashes[algorithm]).update(parts.join(':')).digest('hex');
  const uri = `${pathname}${search}`;
  const nc = count.toString(16).padStart(8, '0');
  const cnonce = randomBytes(12).toString('base64url');
  const plain = hash(login, realm, password);
  const secret = algorithm.endsWith('-sess') ? hash(plain, nonce, cnonce) : plain;
  const target = hash(method.toUpperCase(), uri);
  const response = counts ? hash(secret, nonce, nc, cnonce, 'auth', target) : hash(secret, nonce, target);
  const quoted = { username: login, realm, nonce, uri, response, opaque, ...(counts && { cnonce }) };
  const fields = Object.entries(quoted).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${value.replaceAll(/["\\]/g, '\\$&')}"`],
  );
  return `Digest ${[...fields, `algorithm=${algorithm}`, ...(counts ? ['qop=auth', `nc=${nc}`] : [])].join(', ')}`;
}
