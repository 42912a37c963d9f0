import { useState } from 'preact/hooks';
import { forgetDraftOwner } from './draft-storage.ts';
import { HttpClient } from './mcp-client.ts';
import { asError } from './server-connection.tsx';

const invalidToken = 'This token is not valid for this server.';

/** Asks for the token when it is missing or invalid. */
export function SignIn({ signIn }: { signIn(token: string): void }) {
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState('');
  const submit = async (event: Event) => {
    event.preventDefault();
    // Accept the full address that the server prints as well as the token alone.
    const cleaned = token.trim().replace(/^.*#token=/, '');
    // Other characters cannot be sent in a header: fetch would fail as if the server were not responding.
    if (!/^[\x21-\x7e]*$/.test(cleaned)) return setProblem(invalidToken);
    try {
      await new HttpClient(cleaned).request('server/discover');
      signIn(cleaned);
    } catch (error) {
      setProblem(asError(error).status === 401 ? invalidToken : asError(error).message);
    }
  };
  return (
    <main class="sign-in">
      <h1>Adjutant</h1>
      <p>
        This page needs the token of its server, which is in the file <code>token</code> of the server's state
        folder. Enter it here, or open the page with the token at the end of the address:
      </p>
      <pre>{location.origin + location.pathname}#token=…</pre>
      <form onSubmit={submit}>
        <label>
          Token or full address
          <input
            type="password"
            autocomplete="off"
            required
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary">
          Sign in
        </button>
      </form>
      {problem && (
        <p role="alert" class="problem">
          {problem}
        </p>
      )}
      <p class="quiet">
        If the command <code>adjutant</code> is installed on the machine of the server,{' '}
        <code>adjutant open</code> opens the page with the token.
      </p>
    </main>
  );
}

const key = 'adjutant-token';

/** Connects the tabs of this origin, which includes the port. Nothing is stored and nothing is sent to the server. */
const channel = new BroadcastChannel('adjutant-sign-in');
const request = 'request';

/** Moves the token from the address to the session storage of this tab, and returns it. */
export function loadToken(): string | undefined {
  const fromAddress = new URLSearchParams(location.hash.replace(/^#/, '')).get('token');
  if (fromAddress !== null) {
    storeToken(fromAddress);
    history.replaceState(null, '', `${location.pathname}#/today`);
  }
  return ownToken();
}

export function storeToken(token: string): void {
  if (ownToken() !== token.trim()) forgetDraftOwner();
  sessionStorage.setItem(key, token.trim());
  channel.postMessage({ token: token.trim() });
}

let rejected: string | undefined;

/** Forgets a token that the server rejected. Another tab that has not noticed yet may offer it again. */
export function clearToken(): void {
  rejected = ownToken();
  sessionStorage.removeItem(key);
}

/** Gives the token to tabs that ask for it. */
channel.addEventListener('message', ({ data }) => {
  if (data === request && ownToken() !== undefined) channel.postMessage({ token: ownToken() });
});

/** Tells the other tabs that a person has signed out, so that none of them keeps the token or a draft. */
export function announceSignOut(person: string): void {
  channel.postMessage({ signedOut: person });
}

/** Calls back when a person signs out in another tab. Returns a function that stops. */
export function onSignOut(left: (person: string) => void): () => void {
  const listener = ({ data }: MessageEvent) => {
    if (typeof data?.signedOut === 'string') left(data.signedOut);
  };
  channel.addEventListener('message', listener);
  return () => channel.removeEventListener('message', listener);
}

/** Asks the other tabs for their token, and calls back when one of them has it or signs in. Returns a function that stops. */
export function receiveToken(received: (token: string) => void): () => void {
  const listener = ({ data }: MessageEvent) => {
    if (typeof data?.token !== 'string' || data.token === rejected) return;
    sessionStorage.setItem(key, data.token);
    received(data.token);
  };
  channel.addEventListener('message', listener);
  channel.postMessage(request);
  return () => channel.removeEventListener('message', listener);
}

function ownToken(): string | undefined {
  return sessionStorage.getItem(key) ?? undefined;
}
