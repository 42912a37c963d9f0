import { afterEach, describe, expect, it } from 'vitest';
import { costOf, Jinja, type TemplateCost } from './jinja.ts';
import { TemplateError } from './template-error.ts';

let jinja = new Jinja();
afterEach(() => {
  jinja.close();
  jinja = new Jinja();
});

function render(source: string, args: Record<string, unknown> = {}): string {
  jinja.set('t.md', source);
  return jinja.render('t.md', args);
}

function errorOf(work: () => unknown): TemplateError {
  try {
    work();
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error('expected a TemplateError');
}

describe('a hostile template', () => {
  const hostile: Readonly<Record<string, string>> = {
    'loops in loops': '{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}',
    'an enormous range': '{{ range(1000000000) }}',
    'a repeated string': "{{ 'A' * 2000000000 }}",
    'a doubling string':
      "{% set n = namespace(a='aaaaaaaa') %}{% for i in range(99) %}{% set n.a = n.a ~ n.a %}{% endfor %}",
    'a few very slow steps':
      "{% set n = namespace(a='aaaaaaaa') %}{% for i in range(19) %}{% set n.a = n.a ~ n.a %}{% endfor %}{% for i in range(9999) %}{% set q = n.a ~ 'x' ~ 'x' ~ 'x' ~ 'x' ~ 'x' ~ 'x' ~ 'x' ~ 'x' %}{% endfor %}",
    'a macro that calls itself': '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}',
    'a template that includes itself': '{% include "t.md" %}',
    'very deeply nested parentheses': `{{ ${'('.repeat(100_000)}1${')'.repeat(100_000)} }}`,
    'a very long attribute chain': `{{ x${'.a'.repeat(200_000)} }}`,
    'very deeply nested blocks': `${'{% if x %}'.repeat(5000)}${'{% endif %}'.repeat(5000)}`,
  };
  for (const [name, source] of Object.entries(hostile)) {
    it(`fails with an error and does not affect other templates: ${name}`, () => {
      const other = new Jinja();
      other.set('fine.md', 'Hello {{ who }}');
      expect(errorOf(() => render(source))).toBeInstanceOf(TemplateError);
      expect(other.render('fine.md', { who: 'world' })).toBe('Hello world');
      expect(render('still {{ x }}', { x: 'here' })).toBe('still here');
      other.close();
    });
  }

  it('cannot access code, prototypes, files or the process', () => {
    expect(errorOf(() => render("{{ ''.constructor.constructor('return process')() }}")).line).toBe(1);
    expect(render('{{ x.__proto__ }}{{ x.constructor }}{{ process }}', { x: { a: 'b' } })).toBe('');
    expect(errorOf(() => render('{% include "/etc/passwd" %}')).message).toContain('template not found');
    expect(errorOf(() => render('{{ debug() }}')).message).toBe('unknown function: debug is unknown');
  });

  it('releases its memory', () => {
    const before = process.memoryUsage().rss;
    for (let round = 0; round < 20; round++) errorOf(() => render(hostile['a doubling string']!));
    expect(process.memoryUsage().rss - before).toBeLessThan(400_000_000);
  });
});

describe('a template that needs no time limit', () => {
  it.each<[string, TemplateCost]>([
    [
      '{{ a }} {% if a and not b == "x" %}{{ b | upper }}{% elif (a) %}{{ a.b | default("y") }}{% endif %}',
      'small',
    ],
    ['{% for x in a %}{{ x }}{% endfor %}{% set y = a %}{% include "p.md" %}', 'bounded'],
    ['{{ a * 3 }}', 'unknown'],
    ['{{ a ~ a }}', 'unknown'],
    ['{{ a | replace("", a) }}', 'unknown'],
    ['{{ range(9) }}', 'unknown'],
    ['{{ a.join(b) }}', 'unknown'],
    ['{{ a is divisibleby(3) }}', 'unknown'],
    ['{% macro m() %}{% endmacro %}', 'unknown'],
    ['{# {{ #}{{ a * 3 }}', 'unknown'],
    ['{% raw %}{{ {% endraw %}', 'unknown'],
    ['{{ "a', 'unknown'],
  ])('is recognized by its cost: %s', (source, cost) => {
    expect(costOf(source)).toBe(cost);
  });

  it('still stops if its arguments or loops are long', () => {
    const loops =
      '{% for a in x %}{% for b in x %}{% for c in x %}{{ x }}{% endfor %}{% endfor %}{% endfor %}';
    expect(errorOf(() => render(loops, { x: 'y'.repeat(9000) })).message).toMatch(/fuel|memory/);
    expect(errorOf(() => render('{{ x }}'.repeat(1000), { x: 'y'.repeat(1_000_000) })).message).toMatch(
      /memory/,
    );
    expect(render('still {{ x }}', { x: 'here' })).toBe('still here');
  });
});

describe('a template error', () => {
  it('contains the line and the column', () => {
    expect(errorOf(() => render('a\n\n  {{ x|nosuch }}'))).toMatchObject({
      template: 't.md',
      line: 3,
      column: 8,
      message: 'unknown filter: filter nosuch is unknown',
    });
    expect(errorOf(() => render('a\n{% if %}'))).toMatchObject({ line: 2, column: 7 });
  });

  it('contains the file and line of an error in an included template', () => {
    jinja.set('parts/deep.md', 'a\nb\n{{ nope() }}');
    jinja.set('parts/top.md', '{% include "./deep.md" %}');
    expect(errorOf(() => render('a\n{% include "parts/top.md" %}'))).toMatchObject({
      template: 'parts/deep.md',
      line: 3,
      message: 'unknown function: nope is unknown',
    });
  });

  it('reports that two templates include each other', () => {
    jinja.set('a.md', '{% include "b.md" %}');
    jinja.set('b.md', 'x\n{% include "a.md" %}');
    expect(errorOf(() => jinja.render('a.md', {}))).toMatchObject({
      template: 'b.md',
      line: 2,
      message: 'a.md includes itself',
    });
  });

  it('never contains the value of an argument', () => {
    const secret = 'Hunter2-密码 with words';
    for (const source of [
      '{% include s %}',
      '{% include s|upper %}',
      '{% extends s[1:] %}',
      '{% import s as x %}',
      '{{ [1]|map(s)|list }}',
      '{{ [1]|select(s)|list }}',
      '{{ s|float }}',
      '{{ s|format(1) }}',
      "{{ '%d'|format(s) }}",
      '{{ s|truncate(1) }}',
      '{{ "x"|indent(s|list) }}',
      '{{ 1|int(base=s) }}{{ s|int(0, 7) }}',
      '{{ range(s) }}',
      '{{ s.nope() }}',
      '{{ -s }}',
    ]) {
      const { message } = errorOf(() => render(source, { s: secret }));
      expect(message.toLowerCase()).not.toMatch(/hunter|2-|密|words|unter/);
    }
    expect(errorOf(() => render('{{ s|int // 0 }}', { s: '4711' })).message).toBe(
      'invalid operation: unable to calculate … // 0 at "s|int // 0"',
    );
  });

  it('keeps the last valid version of the template', () => {
    jinja.set('t.md', 'good');
    expect(errorOf(() => jinja.set('t.md', '{% bad'))).toMatchObject({ line: 1 });
    expect(jinja.render('t.md', {})).toBe('good');
  });
});

describe('a set of templates', () => {
  it('resolves absolute and relative names in include, import and extends', () => {
    jinja.set('base.md', 'A{% block body %}base{% endblock %}Z\n');
    jinja.set('lib/macros.md', '{% macro hi(n) %}hi {{ n }}{% endmacro %}');
    jinja.set('lib/part.txt', '[{{ who }}]');
    jinja.set(
      'lib/child.md',
      `{% extends "../base.md" %}{% block body %}{% import './macros.md' as m %}{{ m.hi(who) }} {% include "./part.txt" %} {{ super() }}{% endblock %}`,
    );
    expect(jinja.render('lib/child.md', { who: 'Ann' })).toBe('Ahi Ann [Ann] baseZ');
  });

  it('prints undefined and null values as nothing at any depth', () => {
    expect(
      render('<{{ a }}{{ b.c.d }}{% if e.f %}x{% endif %}{% for i in g %}x{% endfor %}>', { a: null }),
    ).toBe('<>');
  });

  it('does not expand or escape the values of arguments', () => {
    expect(render('{{ x }}', { x: '{{ y }} <b> $& {% if %}' })).toBe('{{ y }} <b> $& {% if %}');
  });

  it('does not change the text of raw blocks and comments', () => {
    expect(render('{% raw %}{% include "./x.md" %}{% endraw %}{# {% include "./x.md" %} #}')).toBe(
      '{% include "./x.md" %}',
    );
  });
});

describe('a loop over a text', () => {
  it.each([
    ['{% for c in x %}{{ c }}{% if not loop.last %},{% endif %}{% endfor %}', 'a,b,c'],
    ['{% for c in x %}{{ loop.length }}{{ loop.revindex }}{{ loop.revindex0 }} {% endfor %}', '332 321 310 '],
    ["{% for c in x if c != 'b' %}{{ c }}{{ loop.last }}{% endfor %}", 'afalsectrue'],
    ['{% for c in x|reverse %}{{ c }}{{ loop.last }} {% endfor %}', 'cfalse bfalse atrue '],
    ["{% for c in ('ab' if x else '') %}{{ loop.last }}{% endfor %}", 'falsetrue'],
    ['{% for a, b in [x, x] %}{{ loop.last }}{% endfor %}', /unpack/],
    ['{% for c in missing %}{{ loop.last }}{% else %}none{% endfor %}', 'none'],
    [
      '{% for i in [x, "de"] recursive %}{{ loop.last }}{% endfor %}{% for c in x %}{{ c }}{% endfor %}',
      'falsetrueabc',
    ],
  ])('knows its end: %s', (source, expected) => {
    const jinja = new Jinja();
    jinja.set('loop.md', source);
    if (typeof expected === 'string') expect(jinja.render('loop.md', { x: 'abc' })).toBe(expected);
    else expect(() => jinja.render('loop.md', { x: 'abc' })).toThrow(expected);
    jinja.close();
  });
});
