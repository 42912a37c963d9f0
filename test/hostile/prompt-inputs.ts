import { numberTo, repeatTo } from '../hostile-text.ts';
import type { HostileInput, Shape } from './corpus.ts';

/** Templates, front matter and manifests, as arguments of a tool and as files of the library. */
export function promptInputs(size: number): readonly HostileInput[] {
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
  ];
}
