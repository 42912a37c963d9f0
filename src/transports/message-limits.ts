/** Shorter messages are parsed quickly, whatever they contain. */
const longMessage = 64 * 1024;
const maxDepth = 1000;
/** Enough for a call with 10,000 files, each of which has a path and a text. */
const maxValues = 25_000;
const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openingList, closingList, openingObject, closingObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Returns why a message must be refused, or `undefined`. JSON with many values or deep nesting takes several times as long to
 * parse as other JSON of the same length, so this is checked before the message is parsed.
 */
export function structureProblem(message: Uint8Array): string | undefined {
  if (message.length < longMessage) return undefined;
  let depth = 0;
  let values = 1;
  let isString = false;
  for (let index = 0; index < message.length; index++) {
    const byte = message[index];
    if (isString) {
      if (byte === backslash) index++;
      else if (byte === quote) isString = false;
    } else if (byte === quote) isString = true;
    else if (byte === comma) {
      if (++values > maxValues) return `The message has more than ${maxValues} values.`;
    } else if (byte === openingList || byte === openingObject) {
      if (++depth > maxDepth)
        return `The message has more than ${maxDepth} levels of nested lists and objects.`;
    } else if (byte === closingList || byte === closingObject) depth--;
  }
  return undefined;
}
