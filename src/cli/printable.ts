/** Colours, which harm nobody. */
const colour = /\u001b\[\d+(?:;\d+)*m/y;

/**
 * A text as it may go to a terminal. What files, calendars and sub-agents say could otherwise move the cursor, rename the window
 * or answer for the person.
 */
export function printable(text: string): string {
  return text.replaceAll(/\r(?!\n)|(?![\t\n\r])\p{Cc}/gu, (sign, at: number) => {
    colour.lastIndex = at;
    return colour.test(text) ? sign : '\uFFFD';
  });
}
