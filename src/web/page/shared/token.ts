const key = 'adjutant-token';

/** Moves the token from the address to the session storage of this tab, and returns it. */
export function loadToken(): string | undefined {
  const fromAddress = new URLSearchParams(location.hash.replace(/^#/, '')).get('token');
  if (fromAddress !== null) {
    storeToken(fromAddress);
    history.replaceState(null, '', `${location.pathname}#/prompts`);
  }
  return sessionStorage.getItem(key) ?? undefined;
}

export function storeToken(token: string): void {
  sessionStorage.setItem(key, token.trim());
}

export function clearToken(): void {
  sessionStorage.removeItem(key);
}
