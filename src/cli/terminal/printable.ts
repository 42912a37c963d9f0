/** The colour codes that Adjutant uses. Other codes could hide text, for example as black on black. */
const allowedColours = /^\u001b\[(?:[012]|3[1236])m$/;
/** Colour codes, terminal control characters and bidirectional overrides. */
const unsafe = /\u001b\[[\d;:]*m|\r(?!\n)|(?![\t\n\r])\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu;

/**
 * Makes text safe for a terminal. Text from files, calendars or sub-agents could otherwise move the cursor, rename the window
 * or type input.
 */
export function printable(text: string): string {
  return text.replaceAll(unsafe, (match) => {
    if (match.length === 1) return '\uFFFD';
    return allowedColours.test(match) ? match : '';
  });
}
