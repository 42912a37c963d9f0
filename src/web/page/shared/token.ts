const key = 'adjutant-token';

/** Connects the tabs of this origin, which includes the port. Nothing is stored and nothing is sent to the server. */
const channel = new BroadcastChannel('adjutant-sign-in');
const request = 'request';

/** Moves the token from the address to the session storage of this tab, and returns it. */
export function loadToken(): string | undefined {
  const fromAddress = new URLSearchParams(location.hash.replace(/^#/, '')).get('token');
  if (fromAddress !== null) {
    storeToken(fromAddress);
    history.replaceState(null, '', `${location.pathname}#/prompts`);
  }
  return ownToken();
}

export function storeToken(token: string): void {
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
