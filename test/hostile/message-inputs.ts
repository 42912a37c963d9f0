import { numberTo, repeatTo } from '../hostile-text.ts';
import type { HostileInput } from './corpus.ts';

/** Messages themselves, and arguments that are not files: names, queries, values, rules and regular expressions. */
export function messageInputs(size: number): readonly HostileInput[] {
  const repeated = (text: string, length = size) => repeatTo(length, text);
  const numbered = (text: (number: number) => string, length = size) => numberTo(length, text);
  const nested = (open: string, inner: string, close: string) => {
    const depth = Math.floor(size / (open.length + close.length));
    return open.repeat(depth) + inner + close.repeat(depth);
  };
  const call = (name: string, tool: string, args: object | string): HostileInput => ({ name, tool, args });
  const words = numbered((number) => `word${number} `);
  const command = (name: string, matter: string, text: string) => ({
    [`commands/${name}.md`]: `---\ndescription: A\n${matter}---\n${text}`,
  });
  const startsAt = { user_id: 'ann', title: 'A', start_ts: '2026-06-01T08:00' };
  return [
    call('a message of nested lists', 'list_prompts', `{"tag":${nested('[', '', ']')}}`),
    call('a message of nested objects', 'list_prompts', `{"tag":${nested('{"a":', '1', '}')}}`),
    call(
      'nested lists in an allowed argument',
      'expand_prompt',
      `{"command":"code_review","arguments":{"code":${nested('[', '', ']')}}}`,
    ),
    call(
      'nested objects in an allowed argument',
      'expand_prompt',
      `{"command":"code_review","arguments":{"code":${nested('{"a":', '1', '}')}}}`,
    ),
    call('a message of keys', 'list_prompts', `{${numbered((number) => `"key${number}":1,`)}"z":1}`),
    call('a message of numbers', 'lint_prompts', `{"names":[${repeated('1,')}1]}`),
    call('a message of names', 'lint_prompts', `{"names":[${numbered((number) => `"a${number}",`)}"z"]}`),
    call('a message of invalid files', 'lint_prompts', `{"files":[${repeated('{},')}{}]}`),
    call('a message of small files', 'lint_prompts', {
      files: Array.from({ length: size / 40 }, (_, number) => ({ path: `a${number}.md`, text: '' })),
    }),
    call('a long name of a prompt', 'show_prompt', { name: repeated('code_revie') }),
    call('a long name of a command', 'expand_prompt', { command: repeated('a:') }),
    call('a long name of a tool', repeated('list_prompt'), {}),
    { name: 'a long method', tool: '', method: repeated('prompts/'), args: {} },
    { name: 'a long address', tool: '', method: 'resources/read', args: { uri: repeated('skill://a/') } },
    {
      name: 'a long value to complete',
      tool: '',
      method: 'completion/complete',
      args: {
        ref: { type: 'ref/prompt', name: 'code_review' },
        argument: { name: 'code', value: repeated('a') },
      },
    },
    call('a query of words', 'search_prompts', { query: words }),
    call('a query of one word', 'search_prompts', { query: repeated('abc') }),
    call('a query of signs', 'search_prompts', { query: repeated('*(\\"') }),
    {
      ...call('a long value in a loop', 'expand_prompt', {
        command: 'looped',
        arguments: { a: repeated('ab') },
      }),
      files: command(
        'looped',
        'template: jinja\narguments: [{ name: a }]\n',
        '{% for x in range(500) %}{{ a|replace("a", "bb")|length }}{% for c in a %}{% if loop.index > 3 %}{{ c }}{% endif %}{% endfor %}{% endfor %}',
      ),
    },
    {
      ...call('a long value for placeholders', 'expand_prompt', {
        command: 'braced',
        input: repeated('"a\\ '),
      }),
      files: command('braced', '', '{{input}} {{input}} {{input}}'),
    },
    {
      ...call('typed text of quotes', 'expand_prompt', { command: 'typed', input: repeated('"a\\ \'') }),
      files: { 'claude-code/typed.md': 'Say $1 and $2 and $ARGUMENTS' },
    },
    {
      ...call('typed text of references', 'expand_prompt', {
        command: 'referred',
        input: repeated('$ARGUMENTS'),
      }),
      files: { 'opencode/referred.md': 'Say $1' },
    },
    {
      ...call('tests with slow regular expressions', 'test_prompts', { names: ['tested'] }),
      files: command(
        'tested',
        `tests:\n${['a', 'b', 'c'].map((name) => `  - name: ${name}\n    arguments: { input: x }\n    matches: ["^(\\\\w+\\\\s?)+$#"]\n`).join('')}`,
        `{{input}} ${repeated('word ', Math.min(size, 1000))}`,
      ),
    },
    call('an event with a slow rule', 'create_event', {
      ...startsAt,
      rrule: `FREQ=YEARLY;BYDAY=MO;BYMONTHDAY=30;BYMONTH=2;BYYEARDAY=${Array.from({ length: 366 }, (_, day) => day + 1).join()}`,
    }),
    call('an event with a rule of hours', 'create_event', {
      ...startsAt,
      rrule: 'FREQ=HOURLY;COUNT=1000000000;BYDAY=WE;BYMINUTE=59,33',
    }),
    call('an event with a long rule', 'create_event', {
      ...startsAt,
      rrule: `FREQ=DAILY;${repeated('X-A=1;')}`,
    }),
    call('an event with a long text', 'create_event', { ...startsAt, description: repeated('a\\n<b>"') }),
    call('an event with many attendees', 'create_event', {
      ...startsAt,
      attendees: numbered((number) => `a${number}@example.com `)
        .trim()
        .split(' '),
    }),
    call('a meeting of unknown people', 'find_time', {
      people: numbered((number) => `a${number}@example.com `)
        .trim()
        .split(' '),
      duration_minutes: 30,
    }),
  ];
}
