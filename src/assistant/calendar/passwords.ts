import { Failure } from '../../failure.ts';
import { readRegularFile } from '../../regular-file.ts';
import { singleLine } from '../../single-line.ts';
import { type DigestChallenge, digestAnswer, digestChallenge } from './digest.ts';

export interface Login {
  readonly machine: string;
  readonly login: string;
  readonly password: string;
}

export interface PasswordOptions {
  /** File in .netrc format, with lines like `machine dav.example.com login ann password "s3 cret"`. */
  readonly passwordsFile: string;
  /** Hosts that may receive a password over plain HTTP. */
  readonly privateHosts: readonly string[];
  /** The access token for a host where a person signed in with a browser; another one if the host refused that one. */
  readonly accessToken?: (
    host: string,
    username: string | undefined,
    refused?: string,
  ) => Promise<string | undefined>;
}

/**
 * A `fetch` that adds a login: the token of a sign-in, else Basic, or Digest if the server asks for it. A password is sent only
 * to its own host, so that nobody, not even a manipulated model, can have it sent elsewhere by adding a URL.
 */
export function signIn(
  fetch: typeof globalThis.fetch,
  username: string | undefined,
  options: PasswordOptions,
): typeof globalThis.fetch {
  // Loaded for every sync, so that a new password needs no restart.
  let logins: Promise<readonly Login[]> | undefined;
  const challenges = new Map<string, ChallengeUse>();
  const signed: typeof globalThis.fetch = async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const send = (authorization: string, redirect = init.redirect) => {
      demandEncryption(url, options);
      const headers = new Headers(init.headers);
      headers.set('authorization', authorization);
      return fetch(input, { ...init, headers, ...(redirect !== undefined && { redirect }) });
    };
    const token = await options.accessToken?.(url.host, username);
    if (token !== undefined) {
      const first = await send(`Bearer ${token}`);
      if (first.status !== 401) return first;
      await first.body?.cancel();
      return send(`Bearer ${await options.accessToken!(url.host, username, token)}`);
    }
    logins ??= readLogins(options.passwordsFile);
    const found = (await logins).find(
      ({ machine, login }) => matchesHost(machine, url) && (username === undefined || login === username),
    );
    if (found === undefined) {
      const response = await fetch(input, init);
      if (response.status !== 401 || !/^Bearer\b/i.test(response.headers.get('www-authenticate') ?? ''))
        return response;
      throw new Failure(
        'unavailable',
        `${url.host} takes no passwords from programs. Sign in with a browser: adjutant calendars sign-in ${username ?? 'ACCOUNT'}`,
      );
    }
    const answer = async (use: ChallengeUse): Promise<Response> => {
      const response = await send(answerTo(use, found, url, init), 'manual');
      const location = response.headers.get('location');
      if (init.redirect === 'manual' || location === null || ![301, 302, 307, 308].includes(response.status))
        return response;
      await response.body?.cancel();
      // An answer is valid for one address only.
      const next = new URL(location, url);
      if (next.origin !== url.origin || next.href === url.href) return send(answerTo(use, found, url, init));
      return signed(next.href, init);
    };
    const known = challenges.get(url.host);
    const countBefore = known?.count ?? 0;
    const response = await (known === undefined ? send(basicAnswer(found)) : answer(known));
    const asked = response.status === 401 ? response.headers.get('www-authenticate') : null;
    const challenge = digestChallenge(asked);
    const isNew = challenge !== undefined && challenge.nonce !== known?.challenge.nonce;
    // Strict servers refuse a count that arrives after a higher one of another request.
    if (isNew || (challenge !== undefined && known !== undefined && known.count > countBefore + 1)) {
      await response.body?.cancel();
      const current = challenges.get(url.host);
      const use = current?.challenge.nonce === challenge.nonce ? current : { challenge, count: 0 };
      challenges.set(url.host, use);
      return answer(use);
    }
    if (asked !== null && known === undefined && !/\bBasic\b/i.test(asked))
      throw new Failure(
        'unavailable',
        `${url.host} asks for a way to sign in that is not supported: ${singleLine(asked, 100)}. Supported: Basic and Digest.`,
      );
    return response;
  };
  return signed;
}

function demandEncryption(url: URL, { privateHosts }: PasswordOptions): void {
  if (url.protocol !== 'http:' || privateHosts.some((host) => host === '*' || host === url.hostname)) return;
  throw new Failure('refused', `The password for ${url.host} is not sent without encryption; use https.`);
}

/** A challenge and how many requests have answered it. */
interface ChallengeUse {
  readonly challenge: DigestChallenge;
  count: number;
}

function basicAnswer({ login, password }: Login): string {
  return `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`;
}

function answerTo(use: ChallengeUse, login: Login, url: URL, { method = 'GET' }: RequestInit): string {
  use.count += 1;
  return digestAnswer(use.challenge, login, method, url, use.count);
}

/** A machine matches its own name and all subdomains, because accounts are often spread over several hosts. */
function matchesHost(machine: string, { host, hostname }: URL): boolean {
  return (
    machine === host || machine === hostname || (machine.includes('.') && hostname.endsWith(`.${machine}`))
  );
}

async function readLogins(file: string): Promise<readonly Login[]> {
  const text = await readRegularFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    if (error instanceof Failure) throw error;
    throw new Failure('unavailable', `The calendar passwords in ${file} cannot be read (${error.code}).`, {
      cause: error,
    });
  });
  return parseLogins(text);
}

export function parseLogins(text: string): readonly Login[] {
  const words = [...text.replaceAll(/^\s*#.*$/gm, '').matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(
    ([, quoted, bare]) => bare ?? quoted!.replaceAll(/\\(.)/g, '$1'),
  );
  const logins: { machine: string; login: string; password: string }[] = [];
  for (let index = 0; index < words.length; index += 2) {
    // A default entry matches any host; never send its password.
    if (words[index] === 'default') return logins;
    const [name, value] = [words[index], words[index + 1]];
    if (value === undefined) break;
    if (name === 'machine') logins.push({ machine: value.toLowerCase(), login: '', password: '' });
    else if (name === 'login' || name === 'password') Object.assign(logins.at(-1) ?? {}, { [name]: value });
  }
  return logins;
}
