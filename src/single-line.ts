/**
 * Makes text safe for one line of a header, a file or a request: removes control characters, lone surrogates and
 * bidirectional overrides, and shortens it.
 */
export function singleLine(text: string, maxLength = 200): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  return truncate(line, maxLength);
}

/** Shortens a text to this length, with an ellipsis. Never splits a character of two code units. */
export function truncate(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Decodes percent-encoding. A text with an invalid sequence stays as it is. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** True for a single plain mail address: no display name, no second address, no header injection. */
export function isMailAddress(text: string): boolean {
  return /^[^\s"(),:;<>@[\\\]\p{C}]{1,64}@[^\s"(),:;<>@[\\\]\p{C}]{1,253}$/u.test(text);
}

export function isPhoneNumber(text: string): boolean {
  return /^\+[1-9]\d{6,14}$/.test(text);
}
