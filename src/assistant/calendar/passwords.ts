import { Failure } from '../../failure.ts';
import { readRegularFile } from '../../regular-file.ts';

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
}

/**
 * A `fetch` that adds a login. A password is sent only to its own host, so that nobody, not even a manipulated model, can
 * have it sent elsewhere by adding a URL.
 */
export function signIn(
  fetch: typeof globalThis.fetch,
  username: string | undefined,
  options: PasswordOptions,
): typeof globalThis.fetch {
  // Loaded for every sync, so that a new password needs no restart.
  let logins: Promise<readonly Login[]> | undefined;
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    logins ??= readLogins(options.passwordsFile);
    const found = (await logins).find(
      ({ machine, login }) => matchesHost(machine, url) && (username === undefined || login === username),
    );
    if (found === undefined) return fetch(input, init);
    const trusted = options.privateHosts.some((host) => host === '*' || host === url.hostname);
    if (url.protocol === 'http:' && !trusted)
      throw new Failure('refused', `The password for ${url.host} is not sent without encryption; use https.`);
    const headers = new Headers(init.headers);
    headers.set(
      'authorization',
      `Basic ${Buffer.from(`${found.login}:${found.password}`).toString('base64')}`,
    );
    return fetch(input, { ...init, headers });
  };
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
