/** Replaces secrets in a text. A line of JSON stays valid JSON. */
export type Redact = (text: string) => string;

const redacted = '[redacted]';

/** Patterns of common secrets. None of them replaces a quotation mark, so JSON stays valid. */
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
  // A value with a digit in it, after a name such as `token` or `password`.
  [
    /((?:api[_-]?key|token|secret|passw(?:or)?d)(?:\\?["'])?\s*[:=]\s*(?:\\?["'])?)(?=[^\s"'\\]*\d)[A-Za-z0-9._~+/=-]{12,}/gi,
    `$1${redacted}`,
  ],
];

const secretName = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH/i;

const secretStart =
  /(?:-----BEGIN [^"]*|\b(?:sk-|gh[pousr]_|github_pat_|xox|AKIA|ASIA|AIza|eyJ)[A-Za-z0-9._-]*|\b(?:bearer|basic) \S*|:\/\/[^\s@/]*|(?:key|token|secret|passw(?:or)?d)["']?\s*[:=]\s*\S*)$/i;

/** Redacts common key formats and the values of environment variables whose names suggest a secret. */
export function createRedaction(env: Readonly<Record<string, string | undefined>>): Redact {
  const values = secretValues(env).flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
  return (text) => {
    const rest = values.reduce((result, value) => result.replaceAll(value, redacted), text);
    return patterns.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), rest);
  };
}

/** Returns how many of the last characters of a text could be the beginning of a secret that the text to come completes. */
export function createHoldBack(env: Readonly<Record<string, string | undefined>>): (text: string) => number {
  const values = secretValues(env);
  return (text) => {
    const begun = values.map((value) => {
      let length = Math.min(value.length - 1, text.length);
      while (length > 0 && !text.endsWith(value.slice(0, length))) length -= 1;
      return length;
    });
    return Math.max(0, secretStart.exec(text)?.[0].length ?? 0, ...begun);
  };
}

function secretValues(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    secretName.test(name) && value !== undefined && isSecret(value) ? [value] : [],
  );
}

/** Excludes values that are not secret despite such a name: paths, numbers and short flags. */
function isSecret(value: string): boolean {
  return value.length >= 8 && !value.startsWith('/') && !/^[\d.]+$/.test(value);
}
