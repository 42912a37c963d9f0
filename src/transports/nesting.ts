/** Shorter messages are parsed quickly, however deep they are. */
const longMessage = 64 * 1024;
const maxDepth = 1000;
const [quote, backslash] = [0x22, 0x5c];
const [openingList, closingList, openingObject, closingObject] = [0x5b, 0x5d, 0x7b, 0x7d];

export const tooDeep = `The message has more than ${maxDepth} levels of nested lists and objects.`;

/** The JSON parser needs several times as long for deep nesting as for other messages of the same length. */
export function isTooDeep(message: Uint8Array): boolean {
  if (message.length < longMessage) return false;
  let depth = 0;
  let isString = false;
  for (let index = 0; index < message.length; index++) {
    const byte = message[index];
    if (isString) {
      if (byte === backslash) index++;
      else if (byte === quote) isString = false;
    } else if (byte === quote) isString = true;
    else if (byte === openingList || byte === openingObject) {
      if (++depth > maxDepth) return true;
    } else if (byte === closingList || byte === closingObject) depth--;
  }
  return false;
}
