import { expect, it } from 'vitest';
import { plantTree } from '../../../test/tree.ts';
import { hexaiPromptsDir } from './hexai-config.ts';

const dirOf = (text: string) =>
  hexaiPromptsDir({
    home: undefined,
    userHome: '/home/ann',
    data: '',
    state: '',
    settings: plantTree({ 'hexai/config.toml': text }),
    env: {},
  });

it('reads the folder of prompts from the table mcp alone', () => {
  expect(dirOf('[general]\nprompts_dir = "/no"\n[mcp]\nother = 1\nprompts_dir = "/srv/prompts"\n')).toBe(
    '/srv/prompts',
  );
  expect(dirOf("[mcp] # prompts\n  prompts_dir='~/prompts' # mine\n[other]\n")).toBe('/home/ann/prompts');
  expect(dirOf('[mcp]\n[other]\nprompts_dir = "/no"\n')).toBeUndefined();
  expect(dirOf('[mcp]\nprompts_dir = ""\n')).toBeUndefined();
  expect(dirOf('not [toml')).toBeUndefined();
});
