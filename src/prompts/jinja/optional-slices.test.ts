import { describe, expect, it } from 'vitest';
import { withOptionalSlices } from './jinja.ts';

describe('withOptionalSlices', () => {
  it.each([
    ['{{ x[:9] }}', "{{ (x|default(''))[:9] }}"],
    ['{{ a.b(c)[0][1:] ~ "x" }}', `{{ (a.b(c)[0]|default(''))[1:] ~ "x" }}`],
    ['{{ (a ~ b)[1:] }}', "{{ ((a ~ b)|default(''))[1:] }}"],
    ['{{ x[1:][2:] }}', "{{ ((x|default(''))[1:]|default(''))[2:] }}"],
    ['{{ x[::-1] }}\n{{ y }}', "{{ (x|default('')|reverse) }}\n{{ y }}"],
    ["{{ ''[::-1] }}", "{{ (''|default('')|reverse) }}"],
    ['{% for x in y[:3] if z[1:] %}', "{% for x in (y|default(''))[:3] if (z|default(''))[1:] %}"],
    ['{{ a[b[1:]] }}', "{{ a[(b|default(''))[1:]] }}"],
  ])('rewrites %s', (source, expected) => {
    expect(withOptionalSlices(source)).toBe(expected);
  });

  it.each([
    '{{ x[0] }}',
    '{{ [1, 2][1:] }}',
    "{{ x[{'a': 1}] }}",
    "{{ {'a': [1]} }}",
    '{% set a = [b] %}',
    '[1:2] {# x[:2] #}{% raw %}{{ x[:2] }}{% endraw %}',
    '{{ x[:2',
  ])('does not change %s', (source) => {
    expect(withOptionalSlices(source)).toBe(source);
  });

  it('does not hang on many unmatched brackets', () => {
    const started = performance.now();
    for (const unit of ['[', 'a[', 'a[:', 'a[:]', ']', '(', 'a.b[1:]'])
      withOptionalSlices(`{{ ${unit.repeat(20_000)} }}`);
    // A generous limit that only detects a hang.
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
