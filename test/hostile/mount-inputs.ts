import { numberTo, repeatTo } from '../hostile-text.ts';
import type { HostileInput, Shape } from './corpus.ts';

/** Prompt files of other programs and JSONL files, sent by a client, mounted, and in the user's own folder. */
export function mountInputs(size: number): readonly HostileInput[] {
  const repeated = (text: string, length = size) => repeatTo(length, text);
  const numbered = (text: (number: number) => string, length = size) => numberTo(length, text);
  const matter = (text: string, body: string) => `---\n${text}\n---\n${body}`;
  const record = (args: string, content: string) =>
    `{"name":"a","arguments":[${args}{"name":"z"}],"messages":[{"role":"user","content":"${content}"}]}\n`;
  /** By format: the path of a file, and hostile contents. */
  const files: Readonly<Record<string, readonly [path: string, ...Shape[]]>> = {
    'claude-code': [
      'a.md',
      ['shell commands', repeated('!`a')],
      ['mentions', repeated('@a/b ')],
      ['open code blocks', repeated('```\n')],
    ],
    'claude-skills': [
      'a/SKILL.md',
      ['arguments', matter('name: a\ndescription: A', repeated('$ARGUMENTS[0] $'))],
    ],
    codex: ['a.md', ['named arguments', numbered((number) => `$NAME${number} `)]],
    'codex-skills': ['a/SKILL.md', ['fences', matter('name: a\ndescription: A', repeated('~~~'))]],
    vscode: ['a.prompt.md', ['open inputs', repeated('${input:a:')], ['links', repeated('[a](')]],
    gemini: [
      'a.toml',
      ['unknown fields', `prompt = "x"\n${numbered((number) => `key${number} = 1\n`)}`],
      ['open shell commands', `prompt = '''${repeated('!{')}'''\n`],
      ['nested arrays', `x = ${repeated('[')}`],
      ['open text', `prompt = """${repeated('\\u00')}`],
    ],
    qwen: ['a.toml', ['open arguments', `prompt = '''${repeated('{{args')}'''\n`]],
    opencode: ['a.md', ['positions', numbered((number) => `$${number} !\`a\` `)]],
    cursor: ['a.md', ['headings', repeated('# ')]],
    'prompts-chat': [
      'prompts.csv',
      ['quotes', `act,prompt\n${repeated('"')}`],
      ['rows', `act,prompt\n${repeated('a,"b"\n')}`],
    ],
    fabric: ['a/system.md', ['variables', numbered((number) => `{{name${number}}}`)]],
    dotprompt: [
      'a.prompt',
      ['open blocks', repeated('{{#if a}}')],
      [
        'a schema',
        matter(
          `input:\n  schema:\n${numbered((number) => `    a${number}?: string, text\n`, Math.min(size, 16_000))}`,
          'x',
        ),
      ],
    ],
    commands: ['a.md', ['placeholders', matter('description: A', repeated('{{input}} {{'))]],
    jsonl: [
      'a.jsonl',
      ['invalid lines', repeated('x\n')],
      ['silenced lines', repeated('{"name":1,"lint_ignore":["a"]}\n')],
      ['a nested line', repeated('[')],
      [
        'a line of arguments',
        record(
          numbered((number) => `{"name":"a${number}"},`),
          'x',
        ),
      ],
      [
        'a line of placeholders',
        record(
          '',
          numbered((number) => `{{a${number}}}`),
        ),
      ],
    ],
  };
  const ofFormats = Object.entries(files).flatMap(([format, [path, ...shapes]]) =>
    shapes.flatMap(([name, text]): HostileInput[] => [
      {
        name: `${format} import of ${name}`,
        tool: 'import_prompts',
        args: { format, files: [{ path, text }], dry_run: true },
      },
      { name: `lint of ${format} ${name}`, tool: 'lint_prompts', args: { format, files: [{ path, text }] } },
      {
        name: `a mounted ${format} file of ${name}`,
        tool: 'list_prompts',
        args: {},
        files: { [`${format}/${path}`]: text },
      },
    ]),
  );
  const own = (name: string, text: string): HostileInput => ({
    name: `the user's own prompts with ${name}`,
    tool: 'list_prompts',
    args: {},
    files: { 'prompts/user.jsonl': text },
  });
  return [
    ...ofFormats,
    own('invalid lines', repeated('x\n')),
    own('silenced lines', repeated('{"name":1,"lint_ignore":["a"]}\n')),
    own(
      'a line of arguments',
      record(
        numbered((number) => `{"name":"a${number}"},`),
        'x',
      ),
    ),
    own(
      'small prompts',
      numbered(
        (number) =>
          `{"name":"a${number}","messages":[{"role":"user","content":{"type":"text","text":"x"}}]}\n`,
      ),
    ),
    {
      name: 'a skill of front matter',
      tool: '',
      method: 'skills/list',
      args: {},
      files: {
        'skills/keys/SKILL.md': matter(
          numbered((number) => `key${number}: 'v'\n`),
          'x',
        ),
      },
    },
    {
      name: 'a skill of nested keys',
      tool: '',
      method: 'skills/list',
      args: {},
      files: { 'skills/nested/SKILL.md': matter(`name: a\ndescription: ${repeated('[')}`, 'x') },
    },
    { name: 'the check of all these prompts', tool: 'lint_prompts', args: {} },
    { name: 'the status with all these prompts', tool: 'server_status', args: {} },
    { name: 'a search in all these prompts', tool: 'search_prompts', args: { query: 'review' } },
  ];
}
