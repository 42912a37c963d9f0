import { afterAll, describe, expect, it } from 'vitest';
import { Jinja } from './jinja.ts';

const jinja = new Jinja();
afterAll(() => jinja.close());

function render(source: string, args: Record<string, unknown> = {}): string {
  jinja.set('t.md', source);
  return jinja.render('t.md', args);
}

describe('a built-in filter', () => {
  it.each([
    ["{{ 'x'|center(900000000) }}", 'filter center: width is too large'],
    ["{{ 'x\\ny'|indent(900000000) }}", 'filter indent: width is too large'],
    ["{{ 'x'|indent(1.5) }}", 'filter indent: width must be a whole number'],
    ["{{ 'x'|indent(1, 2, 3, 4) }}", 'filter indent: too many arguments'],
    ["{{ 'x'|indent(depth=2) }}", 'filter indent: unknown keyword argument'],
    ["{{ 'x'|indent(2, width=3) }}", 'filter indent: width is given twice'],
    ['{{ [1]|indent }}', 'filter indent: expected text, not a list or map'],
    ["{{ '%999999999d'|format(1) }}", 'filter format: the width is too large'],
    ["{{ '%.999f'|format(1) }}", 'filter format: the width is too large'],
    ["{{ '%d'|format('x') }}", 'filter format: %d needs a number'],
    ["{{ '%d %d'|format(1) }}", 'filter format: not enough arguments'],
    ["{{ '%d'|format(1, 2) }}", 'filter format: not all arguments are used'],
    ["{{ '%(a)s'|format(b=1) }}", 'filter format: a named argument is missing'],
    ["{{ '%q'|format(1) }}", 'filter format: unknown % directive'],
    ["{{ '%'|format(1) }}", 'filter format: unknown % directive'],
    ["{{ '%c'|format(-1) }}", 'filter format: the result cannot be computed'],
    ["{{ 'x'|truncate(2) }}", 'filter truncate: length must not be less than the length of end'],
    ["{{ '1'|int(0, 7) }}", 'filter int: base must be 2, 8, 10 or 16'],
    ['{{ [1, 2]|urlencode }}', 'filter urlencode: a list must contain pairs'],
    ['{{ 42|length }}', 'filter length: this value has no length'],
  ])('fails with the line number and leaves the engine usable: %s', (source, message) => {
    expect(() => render(`one\n${source}`)).toThrowError(expect.objectContaining({ line: 2, message }));
    expect(render('{{ x }}', { x: 'usable' })).toBe('usable');
  });

  it('fails if the result is too long', () => {
    const lines = '\n'.repeat(100_000);
    expect(() => render('{{ x|indent(1000, blank=true) }}', { x: lines })).toThrowError(
      /filter indent: the result (is too long|cannot be computed)/,
    );
  });

  it('counts and truncates by code points, not by UTF-16 units', () => {
    expect(render("{{ x|length }}|{{ x|truncate(4, true, '', 0) }}", { x: '👍👍👍👍👍' })).toBe('5|👍👍👍👍');
  });

  it('formats numbers as C does', () => {
    const cases: readonly (readonly [string, string])[] = [
      ["'%.0f %.0f %.0f'|format(0.5, 1.5, 2.5)", '0 2 2'],
      ["'%.1f %.2f'|format(0.25, 1.005)", '0.2 1.00'],
      ["'%g %g %g %g'|format(100000, 1000000, 1e-5, 0.1)", '100000 1e+06 1e-05 0.1'],
      ["'%#x %#o %X'|format(255, 8, 255)", '0xff 0o10 FF'],
      ["'%+05d|%-5d|% d'|format(42, 42, 42)", '+0042|42   | 42'],
      ["'%.3d'|format(7)", '007'],
      ["'%s'|format('%s')", '%s'],
      ["'100%%'|format", '100%'],
    ];
    for (const [expression, text] of cases) expect(render(`{{ ${expression} }}`)).toBe(text);
  });
});
