/** Invisible characters that can hide or reorder text, except tabs and line ends. */
const invisible = /(?![\t\n\r])\p{Cc}|[\u202A-\u202E\u2066-\u2069\u200B\u2060\uFEFF]/gu;

/** Replaces invisible characters with their code points, so that an agent cannot disguise a change. */
export function visibleText(text: string): string {
  return text.replace(
    invisible,
    (character) => `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
}
