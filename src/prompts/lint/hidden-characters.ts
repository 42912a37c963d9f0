import { Lines, type Position } from '../template/position.ts';

export interface HiddenCharacter extends Position {
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

interface Kind {
  readonly pattern: string;
  readonly name: string;
  readonly severity: 'error' | 'warning';
}

/** Characters that are invisible to a reader but not to a model. */
const kinds: readonly Kind[] = [
  {
    pattern: '[\\u202A-\\u202E\\u2066-\\u2069\\u061C\\u200E\\u200F]',
    name: 'changes the direction of text',
    severity: 'error',
  },
  { pattern: '[\\u{E0000}-\\u{E007F}\\u{E0100}-\\u{E01EF}]', name: 'is an invisible tag', severity: 'error' },
  {
    pattern: '[\\0-\\x08\\x0B\\x0C\\x0E-\\x1F\\x7F-\\x9F]',
    name: 'is a control character',
    severity: 'error',
  },
  {
    pattern:
      '[\\u00AD\\u034F\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180E\\u200B\\u2060-\\u2064\\u206A-\\u206F\\u3164\\uFEFF\\uFFA0\\uFFF9-\\uFFFB]',
    name: 'is invisible',
    severity: 'warning',
  },
  // Joiners are legitimate only between letters of some scripts and between the parts of an emoji.
  {
    pattern:
      '(?<![\\p{Extended_Pictographic}\\u{1F3FB}-\\u{1F3FF}\\uFE0F\\p{Script=Arabic}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Gujarati}\\p{Script=Gurmukhi}\\p{Script=Oriya}\\p{Script=Sinhala}\\p{Script=Mongolian}\\p{M}])[\\u200C\\u200D]',
    name: 'is invisible',
    severity: 'warning',
  },
  {
    pattern:
      '(?<![\\p{S}\\p{Extended_Pictographic}\\p{Script=Han}\\p{Script=Mongolian}#*0-9])[\\uFE00-\\uFE0F]',
    name: 'is invisible',
    severity: 'warning',
  },
];
const anyKind = new RegExp(kinds.map(({ pattern }) => `(${pattern})`).join('|'), 'gu');

const maxFindings = 10;

export function hiddenCharacters(text: string): readonly HiddenCharacter[] {
  const found: HiddenCharacter[] = [];
  let lines: Lines | undefined;
  for (const match of text.matchAll(anyKind)) {
    const kind = kinds[match.slice(1).findIndex((group) => group !== undefined)]!;
    const code = match[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    lines ??= new Lines(text);
    found.push({ ...lines.at(match.index), message: `U+${code} ${kind.name}`, severity: kind.severity });
    if (found.length === maxFindings) break;
  }
  return found;
}
