/** Replaces what nobody should find in a file or a log. What comes out of a line of JSON is still a line of JSON. */
export type Redact = (text: string) => string;

const redacted = '[redacted]';

/** Nothing here matches a quotation mark inside the replaced part, so that JSON stays JSON. */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[^"]*?-----END [A-Z ]*PRIVATE KEY-----/g, redacted],
  [/\bsk-[A-Za-z0-9_-]{16,}/g, redacted],
  [/\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})/g, redacted],
  [/\bxox[abeprs]-[A-Za-z0-9-]{10,}/g, redacted],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, redacted],
  [/\bAIza[A-Za-z0-9_-]{35}/g, redacted],
  [/\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+/g, redacted],
  [/\b((?:bearer|basic) )[A-Za-z0-9._~+/=-]{16,}/gi, `$1${redacted}`],
  [/(:\/\/[^\s:@/"'\\]+:)[^\s@/"'\\]+(?=@)/g, `$1${redacted}`],
  // A word that looks made up, behind a name that says what it is.
  [
    /((?:api[_-]?key|token|secret|passw(?:or)?d)(?:\\?["'])?\s*[:=]\s*(?:\\?["'])?)(?=[^\s"'\\]*\d)[A-Za-z0-9._~+/=-]{12,}/gi,
    `$1${redacted}`,
  ],
];

const telling = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH/i;

/** Knows the common shapes of keys, and the values this process was given under a telling name. */
export function createRedaction(env: Readonly<Record<string, string | undefined>>): Redact {
  const values = Object.entries(env).flatMap(([name, value]) =>
    telling.test(name) && value !== undefined && isSecret(value)
      ? [value, JSON.stringify(value).slice(1, -1)]
      : [],
  );
  return (text) => {
    const rest = values.reduce((kept, value) => kept.replaceAll(value, redacted), text);
    return patterns.reduce((kept, [pattern, replacement]) => kept.replace(pattern, replacement), rest);
  };
}

/** An environment for programs that have no need of what stands under telling names. */
export function withoutSecrets(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !telling.test(name)));
}

/** Paths, numbers and switches stand under such names, too. */
function isSecret(value: string): boolean {
  return value.length >= 8 && !value.startsWith('/') && !/^[\d.]+$/.test(value);
}
