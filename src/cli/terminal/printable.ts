/** What we ourselves paint with, and the end of it. With other colours a text could hide: concealed, black on black. */
const ours = /^\u001b\[(?:[012]|3[1236])m$/;
/** Colours, signs that steer a terminal, and signs that turn the direction of what follows. */
const steering = /\u001b\[[\d;:]*m|\r(?!\n)|(?![\t\n\r])\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu;

/**
 * A text as it may go to a terminal. What files, calendars and sub-agents say could otherwise move the cursor, rename the window
 * or answer for the person.
 */
export function printable(text: string): string {
  return text.replaceAll(steering, (sign) => {
    if (sign.length === 1) return '\uFFFD';
    return ours.test(sign) ? sign : '';
  });
}
