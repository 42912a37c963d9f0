import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Failure } from '../failure.ts';

/** Answers of earlier rounds. The client carries them, so they are signed, bound to one request, and expire. */
interface Sealed {
  readonly answers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly request: string;
  readonly expires: number;
}

const lifetimeMs = 60 * 60 * 1000;

/** Signs and verifies `requestState`. */
export class Seal {
  readonly #key: Buffer;
  constructor(key: Buffer = randomBytes(32)) {
    this.#key = key;
  }

  close(answers: Sealed['answers'], request: unknown, now = Date.now()): string {
    const sealed: Sealed = { answers, request: fingerprint(request), expires: now + lifetimeMs };
    const body = Buffer.from(JSON.stringify(sealed)).toString('base64url');
    return `${body}.${this.#sign(body).toString('base64url')}`;
  }

  open(state: unknown, request: unknown, now = Date.now()): Sealed['answers'] {
    const [body, signature, ...rest] = typeof state === 'string' ? state.split('.') : [];
    if (body === undefined || signature === undefined || rest.length > 0 || !this.#matches(body, signature)) {
      throw new Failure('invalid-params', 'requestState was not issued by this server.');
    }
    const sealed = JSON.parse(Buffer.from(body, 'base64url').toString()) as Sealed;
    if (sealed.request !== fingerprint(request))
      throw new Failure('invalid-params', 'requestState belongs to another request.');
    if (sealed.expires < now)
      throw new Failure('invalid-params', 'requestState has expired; send the request again without it.');
    return sealed.answers;
  }

  #sign(body: string): Buffer {
    return createHmac('sha256', this.#key).update(body).digest();
  }

  #matches(body: string, signature: string): boolean {
    const expected = this.#sign(body);
    const given = Buffer.from(signature, 'base64url');
    return (
      given.length === expected.length &&
      timingSafeEqual(given, expected) &&
      given.toString('base64url') === signature
    );
  }
}

function fingerprint(request: unknown): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('base64url');
}
