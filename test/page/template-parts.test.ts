import { describe, expect, it } from 'vitest';
import { templateParts } from '../../src/web/page/prompt-editing/template-parts.ts';

const kinds = (text: string) =>
  templateParts(text).map((part) => (typeof part === 'string' ? part : `${part.kind}(${part.text})`));

describe('templateParts', () => {
  it.each([
    ['', []],
    ['plain', ['plain']],
    ['{{ left open', ['{{ left open']],
    ['{# open {{ a }}', ['{# open ', 'value({{ a }})']],
    ['a {{ b }} c', ['a ', 'value({{ b }})', ' c']],
    ['{% if x %}\n{# note #}', ['tag({% if x %})', '\n', 'comment({# note #})']],
    ['$1 $file $ARGUMENTS $$', ['value($1)', ' ', 'value($file)', ' ', 'value($ARGUMENTS)', ' $$']],
    [`$${'{file:in}'}`, [`value($${'{file:in}'})`]],
    ['# Head\n#none', ['heading(# Head)', '\n#none']],
    ['{{ "%}" }}', ['value({{ "%}" }})']],
  ])('splits %j', (text, parts) => {
    expect(kinds(text)).toEqual(parts);
  });

  it.each(['{{{%{#', '{{', '{%', '{#', '$', '{{a}}', '# x\n'])(
    'limits the number of parts and keeps the whole text for many repetitions of %j',
    (hostile) => {
      const text = hostile.repeat(200_000);
      const parts = templateParts(text);
      expect(parts.length).toBeLessThan(20_000);
      expect(parts.map((part) => (typeof part === 'string' ? part : part.text)).join('') === text).toBe(true);
    },
  );
});
