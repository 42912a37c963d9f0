/** Shorter messages are parsed quickly, whatever they contain. */
const longMessage = 64 * 1024;
const maxDepth = 1000;
/** The longest useful messages are files as texts, with two values each. */
const maxValues = 25_000;
const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openingList, closingList, openingObject, closingObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Says why a message is refused without parsing it; `undefined` if it is not. The parser needs several times as long for many values
 * and for deep nesting as for other messages of the same length.
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
