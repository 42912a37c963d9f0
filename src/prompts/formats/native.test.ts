import { describe, expect, it } from 'vitest';
import type { PromptDefinition } from '../definition/definition.ts';
import { nativeClients } from '../native/native-prompts.ts';

const prompt = (text: string, more: Partial<PromptDefinition> = {}): PromptDefinition => ({
  name: 'greet',
  description: 'Greets.',
  arguments: [{ name: 'who', required: true }],
  messages: [{ role: 'user', content: { type: 'text', text } }],
  tags: [],
  template: 'braces',
  file: 'greet.md',
  line: 1,
  ...more,
});

async function print(id: string, definition: PromptDefinition) {
  const escaped: string[] = [];
  const client = (await nativeClients()).find((known) => known.id === id)!;
  const files = await client.print(definition, (found) => escaped.push(found));
  return { files, escaped, text: files[0]!.text, typed: client.typed(definition.name) };
}

describe('a prompt with one argument', () => {
  it.each([
    [
      'claude',
      '/adjutant:greet',
      'greet.md',
      '---\ndescription: Greets.\nargument-hint: <who>\ndisable-model-invocation: true\n---\nHello $ARGUMENTS!\n',
    ],
    [
      'codex',
      '$adjutant-greet',
      'greet/SKILL.md',
      "---\nname: adjutant-greet\ndescription: Greets.\n---\nHello <who>!\n\nIn this text, <who> stands for the words after $adjutant-greet in the user's message.\n",
    ],
    [
      'gemini',
      '/adjutant:greet',
      'greet.toml',
      "description = \"Greets.\"\nprompt = '''\nHello {{args}}!\n'''\n",
    ],
    [
      'qwen',
      '/adjutant:greet',
      'greet.md',
      '---\ndescription: Greets.\ndisable-model-invocation: true\n---\nHello {{args}}!\n',
    ],
    ['opencode', '/adjutant/greet', 'greet.md', '---\ndescription: Greets.\n---\nHello $ARGUMENTS!\n'],
  ])('takes everything that is typed in %s', async (id, typed, path, text) => {
    const printed = await print(id, prompt('Hello {{who}}!'));
    expect(printed.files[0]).toEqual({ path, text });
    expect(printed).toMatchObject({ typed, escaped: [] });
  });

  it('is hidden from the model of Codex', async () => {
    const { files } = await print('codex', prompt('Hello'));
    expect(files[1]).toEqual({
      path: 'greet/agents/openai.yaml',
      text: 'policy:\n  allow_implicit_invocation: false\n',
    });
  });
});

it.each([
  ['The tide turns at noon. Then boats leave.', 'The tide turns at noon.'],
  ['---', 'The prompt greet'],
])('a prompt without a description is described by its text %j', async (text, description) => {
  const { description: _, ...undescribed } = prompt(text, { arguments: [] });
  for (const { id } of await nativeClients())
    expect((await print(id, undescribed)).text).toMatch(
      new RegExp(`^(?:---\n(?:name: adjutant-greet\n)?description: |description = ")${description}"?\n`),
    );
});

describe('a prompt with several arguments or a default', () => {
  it.each(['claude', 'opencode', 'gemini', 'qwen'])(
    'gets the typed text whole at its end in %s',
    async (id) => {
      const { text } = await print(
        id,
        prompt('Tell {{who}} about {{what}}.', {
          arguments: [{ name: 'who' }, { name: 'what', default: 'tides' }],
        }),
      );
      const whole = ['gemini', 'qwen'].includes(id) ? '{{args}}' : '$ARGUMENTS';
      expect(text).toContain(
        `Tell <who> about <what>.\n\nIn this text, <who> and <what> stand for the input below, in this order. If <what> is not given, it is "tides".\n\nInput: ${whole}\n`,
      );
    },
  );
});

describe('text that a client would interpret', () => {
  const folder = '$'.concat('{CLAUDE_PROJECT_DIR}');
  const text = 'A !`date` B $1 C $ARGUMENTS D @f.txt E !{ls} F @{f} G {{args}} H FOLDER I a@b.c J \\$2';
  it.each([
    [
      'claude',
      'A ! `date` B \\$1 C \\$ARGUMENTS D @ f.txt E !{ls} F @ {f} G {{args}} H $ {CLAUDE_PROJECT_DIR} I a@b.c J \\$ 2',
    ],
    ['codex', text],
    ['gemini', text.replace('!{', '! {').replace('@{', '@ {').replace('{{args', '{ {args')],
    ['qwen', text.replace('!{', '! {').replace('@{', '@ {').replace('{{args', '{ {args')],
    [
      'opencode',
      'A ! `date` B $ 1 C $ ARGUMENTS D @ f.txt E !{ls} F @ {f} G {{args}} H FOLDER I a@b.c J \\$ 2',
    ],
  ])('is escaped for %s', async (id, expected) => {
    const printed = await print(
      id,
      prompt(
        text.replace('FOLDER', () => folder),
        { arguments: [], template: 'none' },
      ),
    );
    expect(printed.text).toContain(expected.replace('FOLDER', () => folder));
    expect(printed.escaped.length > 0).toBe(id !== 'codex');
  });

  it('is escaped where an argument joins it', async () => {
    expect((await print('claude', prompt('!{{who}}`ls` @{{who}} {{who}}[0]'))).text).toContain(
      '! $ARGUMENTS`ls` @ $ARGUMENTS $ARGUMENTS [0]',
    );
    expect((await print('gemini', prompt('!{{who}}'))).text).toContain('! {{args}}');
    expect((await print('claude', prompt('```!\nls\n```'))).text).toContain('``` !\nls');
  });
});

describe('a prompt that a client cannot express', () => {
  it.each([
    [
      'several messages',
      { messages: [...prompt('a').messages, ...prompt('b').messages] },
      /single user message/,
    ],
    [
      'Jinja logic',
      { template: 'jinja' as const, messages: prompt('{% if who %}x{% endif %}').messages },
      /Jinja/,
    ],
    ['a name with a space', { name: 'say hello' }, /cannot be typed/],
    ['a name that leaves the folder', { name: '../x' }, /not a valid file name/],
    ['a name that hides other commands', { name: 'git:skill' }, /special meaning/],
  ])('is refused: %s', async (_, more, reason) => {
    await expect(print('claude', prompt('a', more))).rejects.toThrow(reason);
  });
});
