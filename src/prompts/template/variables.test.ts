import { describe, expect, it } from 'vitest';
import { scanTemplate } from './scanner.ts';
import { freeVariables } from './variables.ts';

const free = (source: string) => [...new Set(freeVariables(source).map(({ name }) => name))];

describe('the free variables of a template', () => {
  it.each<[template: string, names: string[]]>([
    ['plain text', []],
    ['{{ a }} {{ b.c[d] }}', ['a', 'b', 'd']],
    ['{{ a|upper|replace(b, "x") }}', ['a', 'b']],
    ['{{ f(x, key=y) }} {{ a == b }}', ['f', 'x', 'y', 'a', 'b']],
    ['{{ a if b else c }}', ['a', 'b', 'c']],
    ['{{ a is divisibleby n }} {{ a is not sameas m }} {{ not z }}', ['a', 'n', 'm', 'z']],
    ['{{ {"k": {v: w}} }}{{ {"a": {"b": c}}}}', ['v', 'w', 'c']],
    ["{{ 'it''s }} not over' }} {{ a }}", ['a']],
    ['{{ "\\"}} {{ no }}" ~ a }}', ['a']],
    ['{# {{ no }} #}{% raw %}{{ no }}{% set a = 1 %}{% endraw %}{{ a }}', ['a']],
    ['{%- raw -%}{{ no }}{%- endraw -%}', []],
    ['{% set a = b %}{{ a }}', ['b']],
    ['{{ a }}{% set a = 1 %}{{ a }}', ['a']],
    ['{% set a, b = c %}{{ a }}{{ b }}', ['c']],
    ['{% set a | upper | replace(x, "") %}{{ c }}{% endset %}{{ a }}', ['x', 'c']],
    ['{% set ns = namespace(n=0) %}{% set ns.n = ns.n + m %}{{ ns.n }}', ['m']],
    ['{% set q.n = 1 %}', ['q']],
    ['{% if a %}{% set b = 1 %}{% elif c %}{% else %}{{ d }}{% endif %}{{ b }}', ['a', 'c', 'd']],
    [
      '{% for x in xs if x > y %}{{ x }}{{ loop.index }}{% else %}{{ x }}{% endfor %}{{ loop }}',
      ['xs', 'y', 'x', 'loop'],
    ],
    ['{% for k, v in m.items() %}{{ k }}{{ v }}{% set s = k %}{% endfor %}{{ s }}', ['m', 's']],
    ['{% for x in tree recursive %}{{ loop(x.children) }}{% endfor %}', ['tree']],
    ['{% for x in recursive %}{{ x }}{% endfor %}', ['recursive']],
    ['{% for x in (a if b else c) %}{% endfor %}', ['a', 'b', 'c']],
    ['{% with a = b, c = d %}{{ a }}{{ c }}{% endwith %}{{ a }}', ['b', 'd', 'a']],
    [
      '{% macro m(a, b=d) %}{{ a }}{{ b }}{{ c }}{{ caller() }}{{ kwargs }}{% endmacro %}{{ m(e) }}',
      ['d', 'c', 'e'],
    ],
    ['{% macro m() %}{{ title }}{% endmacro %}{% set title = 1 %}{{ m() }}', []],
    ['{% call(x) m(a) %}{{ x }}{{ b }}{% endcall %}', ['m', 'a', 'b']],
    ['{% filter indent(w) %}{{ a }}{% endfilter %}', ['w', 'a']],
    [
      '{% import "f.md" as f %}{{ f.x() }}{% from "g.md" import a as b, c with context %}{{ b() }}{{ c }}{{ a }}',
      ['a'],
    ],
    ['{% include name ignore missing without context %}', ['name']],
    ['{% include [one, "two.md"] %}{% extends parent %}', ['one', 'parent']],
    ['{% block body scoped %}{{ super() }}{{ self.x() }}{{ a }}{% endblock body %}', ['a']],
    ['{{ range(3) }}{{ dict(a=1) }}{{ cycler("a", "b") }}', []],
    [
      '{{ context }}{{ missing }}{{ ignore }}{{ with }}{{ scoped }}',
      ['context', 'missing', 'ignore', 'with', 'scoped'],
    ],
    ['{{ true }}{{ None }}{{ 1e3 }}{{ 0xff }}{{ 1_000 }}', []],
    ['{{ größe }}', ['größe']],
    ['{% autoescape flag %}{{ a }}{% endautoescape %}{% do f(x) %}', ['flag', 'a', 'f', 'x']],
  ])('are found in %s', (template, names) => {
    expect(free(template).sort()).toEqual([...names].sort());
  });

  it('include their line and column', () => {
    expect(freeVariables('one\ntwo {{ a }}\n{% if\n  b.c %}{% endif %}')).toMatchObject([
      { name: 'a', line: 2, column: 8 },
      { name: 'b', line: 4, column: 3 },
    ]);
  });

  it('are marked as called or guarded', () => {
    const uses = freeVariables('{{ f() }}{{ a | default("x") }}{% if b is not defined %}{% endif %}{{ c }}');
    expect(uses.map(({ name, called, guarded }) => [name, called, guarded])).toEqual([
      ['f', true, false],
      ['a', false, true],
      ['b', false, true],
      ['c', false, false],
    ]);
  });

  it('include those of included templates, except names that are set where the include stands', () => {
    const library: Readonly<Record<string, string>> = {
      'page.md': '{{ title }}{% block body %}{% endblock %}',
      'part.md': 'one\n{{ item }} {{ tone }}',
      'loop.md': '{% include "loop.md" %}{{ deep }}',
    };
    const template =
      '{% extends "page.md" %}{% set title = 1 %}{% block body %}{% for item in items %}{% include "part.md" %}{% endfor %}{% include "loop.md" %}{% endblock %}';
    expect(
      freeVariables(template, (name) => library[name]).map(({ name, template: file, line }) => [
        name,
        file,
        line,
      ]),
    ).toEqual([
      ['items', undefined, 1],
      ['tone', 'part.md', 2],
      ['deep', 'loop.md', 1],
    ]);
  });

  it('are collected once per template, even if templates include each other many times', () => {
    const double = (next: number) => `{% include "${next}" %}{% include "${next}" %}{{ v${next} }}`;
    const load = (name: string) => (Number(name) < 60 ? double(Number(name) + 1) : undefined);
    expect(freeVariables(double(0), load)).toHaveLength(61);
  });

  it('are collected up to the first tag that is not closed', () => {
    expect(free('{{ a }} {{ b')).toEqual(['a']);
    expect(free('{{ a }}{# never closed {{ b }}')).toEqual(['a']);
    expect(free('{{ a }}{{ "open }}')).toEqual(['a']);
    expect(free('{{ a }}{% raw %}{{ b }}')).toEqual(['a']);
    expect(free('{{ a }}{{ b ? c }}{{ d }}')).toEqual(['a']);
  });

  it('are found despite closing tags without an opening tag', () => {
    expect(free('{% endfor %}{% endmacro %}{% else %}{% %}{{ a }}')).toEqual(['a']);
  });
});

describe('scanTemplate', () => {
  it('lists filters, tests, statements and referenced templates', () => {
    const scan = scanTemplate(
      '{% extends "base.md" %}{% include ["a.md", "b.md"] %}{% include "c" ~ x ignore missing %}{% import "m.md" as m %}{{ a|upper is odd }}{% filter trim %}{% endfilter %}',
    );
    expect(scan.filters.map(({ name }) => name)).toEqual(['upper', 'trim']);
    expect(scan.tests.map(({ name }) => name)).toEqual(['odd']);
    expect(scan.statements.map(({ name }) => name)).toEqual([
      'extends',
      'include',
      'include',
      'import',
      'filter',
      'endfilter',
    ]);
    expect(scan.references.map(({ kind, name, optional }) => [kind, name, optional])).toEqual([
      ['extends', 'base.md', false],
      ['include', 'a.md', true],
      ['include', 'b.md', true],
      ['include', undefined, true],
      ['import', 'm.md', false],
    ]);
  });
});
