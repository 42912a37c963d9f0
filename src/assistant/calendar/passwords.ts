import { Failure } from '../../failure.ts';
import { readRegularFile } from '../../regular-file.ts';

export interface Login {
  readonly machine: string;
  readonly login: string;
  readonly password: string;
}

export interface PasswordOptions {
  /** A file of lines like `machine dav.example.com login ann password "s3 cret"`, as other programs have in .netrc. */
  readonly passwordsFile: string;
  /** Hosts that may be told a password without encryption. */
  readonly privateHosts: readonly string[];
}

/**
 * `fetch` that signs in. A password goes to its own machine only: whoever names an address, be it a model that was talked
 * into it, cannot have it sent anywhere else.
 */
export function signIn(
  fetch: typeof globalThis.fetch,
  username: string | undefined,
  options: PasswordOptions,
): typeof globalThis.fetch {
  // Read for each reading of a calendar, so that a new password needs no restart.
  let logins: Promise<readonly Login[]> | undefined;
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    logins ??= readLogins(options.passwordsFile);
    const found = (await logins).find(
      ({ machine, login }) => belongsTo(machine, url) && (username === undefined || login === username),
    );
    if (found === undefined) return fetch(input, init);
    const trusted = options.privateHosts.some((host) => host === '*' || host === url.hostname);
    if (url.protocol === 'http:' && !trusted)
      throw new Failure('refused', `A password is not sent to ${url.host} without encryption; use https.`);
    const headers = new Headers(init.headers);
    headers.set(
      'authorization',
      `Basic ${Buffer.from(`${found.login}:${found.password}`).toString('base64')}`,
    );
    return fetch(input, { ...init, headers });
  };
}

/** A name stands for itself and what is below it: accounts are often spread over several hosts. */
function belongsTo(machine: string, { host, hostname }: URL): boolean {
  return (
    machine === host || machine === hostname || (machine.includes('.') && hostname.endsWith(`.${machine}`))
  );
}

async function readLogins(file: string): Promise<readonly Login[]> {
  const text = await readRegularFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    if (error instanceof Failure) throw error;
    throw new Failure('unavailable', `The passwords in ${file} cannot be read (${error.code}).`, {
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
    // What is for any machine is for none of ours.
    if (words[index] === 'default') return logins;
    const [name, value] = [words[index], words[index + 1]];
    if (value === undefined) break;
    if (name === 'machine') logins.push({ machine: value.toLowerCase(), login: '', password: '' });
    else if (name === 'login' || name === 'password') Object.assign(logins.at(-1) ?? {}, { [name]: value });
  }
  return logins;
}
