import { numberTo, repeatTo } from '../hostile-text.ts';

/** A tool call that works on a hostile input. */
export interface HostileInput {
  readonly name: string;
  readonly tool: string;
  readonly args: object;
  /** Files to write into the server's home folder first, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Folder of a mount in the home folder, by format. */
export const mounted = { 'claude-code': 'claude', vscode: 'vscode', gemini: 'gemini' } as const;

type Shape = readonly [name: string, text: string];

/** Inputs of about this many characters that once took far longer than harmless text of the same length. */
export function hostileInputs(size: number): readonly HostileInput[] {
  const repeated = (text: string, length = size) => repeatTo(length, text);
  const numbered = (text: (number: number) => string, length = size) => numberTo(length, text);
  const templates: readonly Shape[] = [
    ['open comments', repeated('{#')],
    ['open raw blocks', repeated('{% raw %}')],
    ['open includes', repeated('{% include "')],
    ['nested loops', repeated('{% for a in b %}')],
    ['chained comparisons', `{{ a ${repeated('< a ')} }}`],
    ['nested brackets', `{{ ${repeated('[', size / 2)}${repeated(']', size / 2)} }}`],
    ['a chain of slices', `{{ x${repeated('[a:b]')} }}`],
    ['nested filters', `{{ x${repeated('|join(a')} }}`],
    ['macro parameters', `{% macro m(a, ${numbered((number) => `b${number}=a, `)}z) %}{% endmacro %}`],
    ['values of "with"', `{% with a = 1, ${numbered((number) => `b${number} = a, `)}z = 1 %}{% endwith %}`],
    ['unknown filters', numbered((number) => `{{ x|unknown${number} }}`)],
    ['undefined variables', numbered((number) => `{{ name${number} }}`)],
  ];
  const matters: readonly Shape[] = [
    ['keys', numbered((number) => `key${number}: 'v'\n`)],
    ['brackets', `key: ${repeated('[')}`],
    ['nested keys', `key:\n ${repeated('? ')}`],
  ];
  const manifests: readonly Shape[] = [
    ['invalid tables', numbered((number) => `[prompts."a/${number}"]\n`)],
    ['tables without a description', numbered((number) => `[prompts.a${number}]\n`)],
    [
      'arguments',
      `[prompts.a]\ndescription = "A"\n${numbered((number) => `[[prompts.a.arguments]]\nname = "a${number}"\n`)}`,
    ],
    ['nested arrays', `x = ${repeated('[')}`],
  ];
  const event = (number: number, lines: string) =>
    `BEGIN:VEVENT\nUID:u${number}\nDTSTART:20260601T080000Z\n${lines}END:VEVENT\n`;
  const calendars: readonly Shape[] = [
    ['invalid lines', event(0, repeated('EXDATE\n'))],
    ['invalid dates', event(0, repeated('EXDATE:x\n'))],
    [
      'unknown time zones',
      numbered(
        (number) =>
          `BEGIN:VEVENT\nUID:u${number}\nDTSTART;TZID=No/Zone${number}:20260601T080000\nEND:VEVENT\n`,
      ),
    ],
    ['parameters', event(0, `SUMMARY;${numbered((number) => `X-A${number}=b;`)}X-Z=c:x\n`)],
    ['a quoted parameter without end', event(0, `SUMMARY;X-A="${repeated('a;b=')}\n`)],
    ['components without end', repeated('BEGIN:VALARM\n')],
    [
      'slow rules',
      numbered((number) => event(number, `RRULE:FREQ=DAILY;COUNT=${number + 40_000};BYHOUR=1\n`)),
    ],
    ['events', numbered((number) => event(number, 'SUMMARY:x\n'))],
  ];
  const lint = (
    name: string,
    files: readonly (readonly [string, string])[],
    format?: string,
  ): HostileInput => ({
    name,
    tool: 'lint_prompts',
    args: { files: files.map(([path, text]) => ({ path, text })), ...(format !== undefined && { format }) },
  });
  const manifest = '[prompts.a]\ndescription = "A"\n';
  const matter = (text: string) => `---\n${text}\n---\nText.`;
  const inputs = repeated('${input:a:');
  return [
    ...templates.flatMap(([name, text], at): HostileInput[] => [
      lint(`a template of ${name}`, [
        ['lib/twig.toml', manifest],
        ['lib/prompts/a.md', text],
      ]),
      {
        name: `a library file of ${name}`,
        tool: 'expand_prompt',
        args: { command: `library${at}:a` },
        files: {
          [`libraries/library${at}/twig.toml`]: manifest,
          [`libraries/library${at}/prompts/a.md`]: text,
        },
      },
    ]),
    ...matters.flatMap(([name, text], at): HostileInput[] => [
      lint(`front matter of ${name}`, [['a.md', matter(text)]], 'claude-code'),
      {
        name: `a command with front matter of ${name}`,
        tool: 'list_prompts',
        args: {},
        files: {
          [`commands/matter${at}.md`]: matter(text),
          [`claude/matter${at}.md`]: matter(text),
        },
      },
    ]),
    ...manifests.flatMap(([name, text], at): HostileInput[] => [
      lint(`a manifest of ${name}`, [['lib/twig.toml', text]]),
      {
        name: `a library with a manifest of ${name}`,
        tool: 'list_prompts',
        args: {},
        files: { [`libraries/manifest${at}/twig.toml`]: text },
      },
    ]),
    {
      name: 'a VS Code prompt of open inputs',
      tool: 'import_prompts',
      args: { format: 'vscode', files: [{ path: 'a.prompt.md', text: inputs }], dry_run: true },
    },
    {
      name: 'a mounted VS Code prompt of open inputs',
      tool: 'list_prompts',
      args: {},
      files: { 'vscode/a.prompt.md': inputs },
    },
    {
      name: 'a mounted TOML command of unknown fields',
      tool: 'list_prompts',
      args: {},
      files: { 'gemini/a.toml': `prompt = "x"\n${numbered((number) => `key${number} = 1\n`)}` },
    },
    lint('a JSONL file of invalid lines', [['a.jsonl', repeated('x\n')]]),
    {
      name: 'a JSONL import of invalid lines',
      tool: 'import_prompts',
      args: { format: 'jsonl', files: [{ path: 'a.jsonl', text: repeated('x\n') }], dry_run: true },
    },
    {
      name: 'a new prompt of placeholders',
      tool: 'create_prompt',
      args: { name: 'placeholders', title: 'P', text: numbered((number) => `{{name${number}}}`) },
    },
    {
      name: 'rendering loops in loops',
      tool: 'expand_prompt',
      args: { command: 'loops:a' },
      files: {
        'libraries/loops/twig.toml': manifest,
        'libraries/loops/prompts/a.md':
          '{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}',
      },
    },
    {
      name: 'rendering a few very slow steps',
      tool: 'expand_prompt',
      args: { command: 'steps:a' },
      files: {
        'libraries/steps/twig.toml': manifest,
        'libraries/steps/prompts/a.md':
          "{% set n = namespace(a='aaaaaaaa') %}{% for i in range(19) %}{% set n.a = n.a ~ n.a %}{% endfor %}{% for i in range(9999) %}{% set q = n.a ~ 'x' %}{% endfor %}",
      },
    },
    ...calendars.map(([name, text]) => ({
      name: `a calendar of ${name}`,
      tool: 'import_calendar',
      args: { user_id: 'ann', content: `BEGIN:VCALENDAR\n${text}\nEND:VCALENDAR\n` },
    })),
  ];
}
