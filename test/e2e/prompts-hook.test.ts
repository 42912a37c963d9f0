import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { bundle } from '../program.ts';
import { plantTree } from '../tree.ts';

const command = (body: string, fields = '') => `---\ndescription: d\n${fields}---\n${body}\n`;
const library = {
  'commands/greet.md': command('Greet {{input}}.'),
  'commands/pair.md': command(
    '{{one}} and {{two}}',
    'template: braces\narguments: [{ name: one, required: true }, { name: two, required: true }]\n',
  ),
  'libraries/a/twig.toml': '[prompts.rate]\ndescription = "d"\n',
  'libraries/a/prompts/rate.md': 'Rate it.',
  'libraries/b/twig.toml': '[prompts.rate]\ndescription = "d"\n',
  'libraries/b/prompts/rate.md': 'Rate it.',
};

function hook(input: string | Buffer, files: Readonly<Record<string, string>> = library) {
  const home = plantTree(files);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [bundle, 'prompts', 'hook', '--home', home],
    { env: { HOME: home, PATH: process.env['PATH'] ?? '' }, cwd: home, encoding: 'utf8', input },
  );
  return { code: status, stdout, stderr };
}

const message = (prompt: unknown) => JSON.stringify({ hook_event_name: 'UserPromptSubmit', prompt });

function contextOf(stdout: string): string {
  const { hookSpecificOutput: output } = JSON.parse(stdout) as {
    hookSpecificOutput: { hookEventName: string; additionalContext: string };
  };
  expect(output.hookEventName).toBe('UserPromptSubmit');
  return output.additionalContext;
}

it.each([
  [':greet Ann "and" Ben', 'This is what :greet stands for. It is expanded already:\n\nGreet Ann "and" Ben.'],
  [' :greet Ann\nand Ben ', 'This is what :greet stands for. It is expanded already:\n\nGreet Ann\nand Ben.'],
  [':rate it', 'The prompt :rate could not be expanded: Several prompts are called rate: a:rate, b:rate.'],
  [':pair one', 'The prompt :pair could not be expanded: Missing required argument: two'],
])('the hook adds what is known of the prompt to the message %j', (text, context) => {
  const { code, stdout } = hook(message(text));
  expect(code).toBe(0);
  expect(contextOf(stdout)).toContain(context);
});

it.each([
  ['an unknown name', message(':unheard of')],
  ['a name in the middle', message('Please :greet Ann')],
  ['a smiley', message(':) thanks')],
  ['no prompt', message(undefined)],
  ['a prompt that is no text', message(7)],
  ['JSON that is no object', '[]'],
])('the hook says nothing about a message with %s', (_, input) => {
  expect(hook(input)).toEqual({ code: 0, stdout: '', stderr: '' });
});

it.each([
  ['no JSON', '{"prompt":'],
  ['nothing', ''],
  ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
])('the hook lets a message pass if it gets %s', (_, input) => {
  const { code, stdout, stderr } = hook(input);
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toMatch(/^adjutant: ./);
});

it.each([
  ['an unknown setting', 'nonsense = 1\n'],
  ['no TOML', '[['],
])('the hook lets a message pass if the settings have %s', (_, text) => {
  const { code, stdout, stderr } = hook(message(':greet Ann'), { ...library, 'adjutant.toml': text });
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toContain('adjutant.toml');
});
