/** Signs that are not seen and turn or hide what stands around them; tabs and ends of lines are harmless. */
const unseen = /(?![\t\n\r])\p{Cc}|[\u202A-\u202E\u2066-\u2069\u200B\u2060\uFEFF]/gu;

/** A text in which nothing hides: what an agent changed is to be read as it is, not as it wants to look. */
export function visibleText(text: string): string {
  return text.replace(
    unseen,
    (sign) => `⟨U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
}
