const pieces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|\p{L}+|\p{N}{1,3}|[^\s\p{L}\p{N}]+|\n\s*/gu;

/**
 * Estimates the number of tokens of a text. Every model counts differently, and the exact tables of a
 * single tokenizer are larger than the rest of the program.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(pieces)) {
    if (/^[A-Za-z]/.test(piece)) tokens += Math.ceil(piece.length / 8);
    else if (/^\p{L}/u.test(piece)) tokens += piece.length === 1 ? 0.75 : Math.ceil(piece.length / 4);
    else if (/^\s/.test(piece)) tokens += 0.5;
    else tokens += Math.ceil(piece.length / 3);
  }
  return Math.round(tokens);
}
