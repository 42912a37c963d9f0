import { expect, it } from 'vitest';
import { plantTree } from '../../../test/tree.ts';
import { hexaiPromptsDir } from '../settings.ts';

const readPromptsDir = (text: string) =>
  hexaiPromptsDir({
    home: undefined,
    userHome: '/home/ann',
    data: '',
    state: '',
    settings: plantTree({ 'hexai/config.toml': text }),
    env: {},
    contract: 'jsonl',
  });

it('reads prompts_dir only from the table [mcp]', () => {
  expect(
    readPromptsDir('[general]\nprompts_dir = "/no"\n[mcp]\nother = 1\nprompts_dir = "/srv/prompts"\n'),
  ).toBe('/srv/prompts');
  expect(readPromptsDir("[mcp] # prompts\n  prompts_dir='~/prompts' # mine\n[other]\n")).toBe(
    '/home/ann/prompts',
  );
  expect(readPromptsDir('[mcp]\n[other]\nprompts_dir = "/no"\n')).toBeUndefined();
  expect(readPromptsDir('[mcp]\nprompts_dir = ""\n')).toBeUndefined();
  expect(readPromptsDir('not [toml')).toBeUndefined();
});
