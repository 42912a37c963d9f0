/**
 * Text for one line of a header, a file or a request: no control character, no half of a character and no override of
 * the reading direction survives.
 */
export function singleLine(text: string, longest = 200): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  return line.length <= longest ? line : `${[...line].slice(0, longest - 1).join('')}…`;
}

/** Whether a text is one plain mail address and cannot be read as two, as a name or as a header. */
export function isMailAddress(text: string): boolean {
  return /^[^\s"(),:;<>@[\\\]\p{C}]{1,64}@[^\s"(),:;<>@[\\\]\p{C}]{1,253}$/u.test(text);
}

export function isPhoneNumber(text: string): boolean {
  return /^\+[1-9]\d{6,14}$/.test(text);
}
