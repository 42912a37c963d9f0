import { singleLine } from '../../single-line.ts';
import type { PromptDefinition } from './definition.ts';

const maxLength = 200;
const known = new WeakMap<PromptDefinition, string | undefined>();

/** The description for lists and searches: the stored one, or the first sentence of the text. */
export function shownDescription(prompt: PromptDefinition): string | undefined {
  if (prompt.description) return prompt.description;
  if (!known.has(prompt)) known.set(prompt, firstSentence(prompt) || prompt.description);
  return known.get(prompt);
}

/** Headings, code, comments, rules, tables and front matter describe nothing. */
const notProse = /^(?:#|```|~~~|<|---|\*\*\*|===|\||\{%|\{#|!\[)/;

function firstSentence({ messages }: PromptDefinition): string {
  const [first] = messages;
  if (first?.content.type !== 'text') return '';
  const text = first.content.text
    .slice(0, 8000)
    .replace(/^---\r?\n[\s\S]*?\n---\r?\n/, '')
    .replaceAll(/^(`{3,}|~{3,})[\s\S]*?^\1|<!--[\s\S]*?-->/gm, '');
  const lines = text.split('\n').map((line) => line.trim());
  const prose = lines.findIndex((line) => /\p{L}/u.test(line) && !notProse.test(line));
  if (prose < 0) return clean(lines.find((line) => /\p{L}/u.test(line))?.replace(/^#+\s*/, '') ?? '');
  const end = lines.findIndex((line, index) => index > prose && (line === '' || notProse.test(line)));
  const paragraph = clean(lines.slice(prose, end < 0 ? undefined : end).join(' '));
  const sentence = /^.{20,}?[.!?。](?=\s|$)/su.exec(paragraph)?.[0] ?? paragraph;
  return singleLine(sentence, maxLength);
}

/** Without the marks of lists, quotes and emphasis. */
function clean(line: string): string {
  return line
    .replace(/^(?:[-*+>]|\d+[.)])\s+/, '')
    .replaceAll(/\*\*|__/g, '')
    .trim();
}
