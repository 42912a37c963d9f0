import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Failure } from '../../failure.ts';
import { sendMessagePage } from '../../message-page.ts';
import { readRegularFile } from '../../regular-file.ts';
import { singleLine } from '../../single-line.ts';
import { createStore } from '../../store/store.ts';
import { createFetch } from '../network/fetch.ts';
import { type Authorization, authorize, type OAuthClient, readClient, requestTokens } from './oauth.ts';
import { findSignIn, storeSignIn } from './sign-ins.ts';

/** Google's calendars. Its CalDAV server accepts no narrower scope. */
const google = {
  issuer: 'accounts.google.com',
  server: 'https://apidata.googleusercontent.com/caldav/v2/',
  scope: 'openid email https://www.googleapis.com/auth/calendar',
};

export interface SignInRequest {
  readonly databaseUrl: string;
  readonly privateHosts: readonly string[];
  /** Mail address of the account. */
  readonly account: string;
  /** The client that the provider's console offered for download. Default: that of the last sign-in. */
  readonly clientFile: string | undefined;
  /** Address of the CalDAV server. Default: Google's. */
  readonly server: string | undefined;
  readonly scope: string | undefined;
  /** Port on the loopback to which the browser returns. Default: any. */
  readonly port: number | undefined;
  /** Shows the address that the person has to open. */
  show(url: string): Promise<void>;
  readonly signal: AbortSignal;
}

/** Lets a person sign in at a calendar provider with a browser. Returns the address of the calendar server. */
export async function signInWithBrowser(request: SignInRequest): Promise<string> {
  const { server = google.server, signal } = request;
  const address = URL.parse(server.replace(/^caldav(s?):/i, 'http$1:'));
  if (address === null) throw new Failure('invalid-params', `"${server}" is not an address.`);
  const account = request.account.toLowerCase();
  const place = { host: address.host, login: account };
  const store = createStore(request.databaseUrl);
  try {
    const client = await clientOf(request, () => store.read((db) => findSignIn(db, place.host, account)));
    const scope = request.scope ?? scopeFor(client);
    await using answers = await listen(request.port ?? 0);
    const { redirect } = answers;
    const authorization = authorize(client, { scope, redirect, account });
    await request.show(authorization.url);
    const code = await answers.code(authorization, signal);
    const fetch = createFetch({ privateHosts: request.privateHosts, section: 'calendars', maxBytes: 1e6 });
    const grant = { grant_type: 'authorization_code', code, redirect_uri: redirect };
    const tokens = await requestTokens(fetch, client, { ...grant, code_verifier: authorization.verifier });
    if (tokens.email !== undefined && tokens.email !== account)
      throw new Failure(
        'refused',
        `The browser signed in ${tokens.email} instead of ${account}. Nothing was stored. Choose the other account, or give its address.`,
      );
    await storeSignIn({ store, clock: Date.now }, place, client, tokens);
    return address.href;
  } finally {
    await store.close();
  }
}

async function clientOf(
  { clientFile, account }: SignInRequest,
  known: () => Promise<OAuthClient | undefined>,
): Promise<OAuthClient> {
  if (clientFile !== undefined) return readClient(await readRegularFile(clientFile), clientFile);
  const client = await known();
  if (client !== undefined) return client;
  throw new Failure(
    'invalid-params',
    `${account} has not signed in before. Give the client that you downloaded from the provider's console with --client FILE; the guide "Keep calendars in sync" shows how to make one.`,
  );
}

function scopeFor({ auth_uri }: OAuthClient): string {
  if (new URL(auth_uri).host === google.issuer) return google.scope;
  throw new Failure(
    'invalid-params',
    'Give the scope that the provider wants for its calendars with --scope.',
  );
}

interface Answers extends AsyncDisposable {
  readonly redirect: string;
  /** Resolves to the code that the browser brings back. */
  code(authorization: Authorization, signal: AbortSignal): Promise<string>;
}

/** Listens on the loopback of this machine, where only its own browser can reach it. */
async function listen(port: number): Promise<Answers> {
  let answer = (_: URL, response: ServerResponse): void => {
    response.writeHead(404).end();
  };
  const server = createServer((request: IncomingMessage, response) =>
    answer(new URL(request.url ?? '/', 'http://127.0.0.1'), response),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Failure('unavailable', `Port ${port} cannot be used (${error.code}).`, { cause: error })),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    redirect: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    code: ({ state }, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        answer = ({ searchParams }, response) => {
          // Any page can send a browser here; only the answer to our question has the state.
          if (searchParams.get('state') !== state) {
            response.writeHead(404).end();
            return;
          }
          const code = searchParams.get('code');
          const reason = singleLine(searchParams.get('error') ?? 'no code', 200);
          sendMessagePage(
            response,
            code === null ? 400 : 200,
            code === null
              ? `The sign-in failed: ${reason}.`
              : 'You are signed in. You can close this page and return to the terminal.',
          );
          if (code !== null) return resolve(code);
          reject(new Failure('refused', `The provider refused the sign-in: ${reason}.`));
        };
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
