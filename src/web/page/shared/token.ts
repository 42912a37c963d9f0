const key = 'adjutant-token';

/** The token from the printed address, taken out of the address at once and kept for this tab only. */
export function takeToken(): string | undefined {
  const given = new URLSearchParams(location.hash.replace(/^#/, '')).get('token');
  if (given !== null) {
    ensureToken(given);
    history.replaceState(null, '', `${location.pathname}#/prompts`);
  }
  return sessionStorage.getItem(key) ?? undefined;
}

export function ensureToken(token: string): void {
  sessionStorage.setItem(key, token.trim());
}

export function dropToken(): void {
  sessionStorage.removeItem(key);
}
