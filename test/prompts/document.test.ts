import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { standard } from '../../src/contracts/standard.ts';
import { Server } from '../../src/engine/server.ts';
import { createPrompts } from '../../src/prompts/prompts.ts';
import { connectMemory } from '../../src/transports/memory.ts';
import { plantTree } from '../tree.ts';

interface Block {
  readonly info: string;
  readonly text: string;
}

/** The fenced blocks of a page with what stands behind their language. */
function blocksOf(page: string): readonly Block[] {
  return [...page.matchAll(/^(`{3,})\w+ (.+)\n([\s\S]*?)\n\1$/gm)].map(([, , info, text]) => ({
    info: info!,
    text: text!,
  }));
}

it('shows in docs/prompts.md what the files there really give', async () => {
  const blocks = blocksOf(readFileSync('docs/prompts.md', 'utf8'));
  const shown = blocks.filter(({ info }) => info.startsWith('render '));
  const files = blocks
    .filter((block) => !shown.includes(block))
    .map(({ info, text }) => [info, `${text}\n`] as const);
  expect(shown.length).toBeGreaterThan(1);
  const home = plantTree({
    ...Object.fromEntries(files),
    'libraries/design/drawing.svg': '<svg/>',
    'libraries/design/guide.md': '# Guide',
    'libraries/design/prompts/question.md': 'What of {{ focus }}?',
  });
  const server = new Server({
    contract: standard,
    features: [
      createPrompts({
        commandsDir: join(home, 'commands'),
        jsonlDir: join(home, 'prompts'),
        twigDir: join(home, 'libraries'),
        mounts: [],
        userHome: home,
      }),
    ],
  });
  onTestFinished(() => server.close());
  const client = connectMemory(server);
  const messagesOf = async (name: string, args: Record<string, string>) =>
    (await client.request('prompts/get', { name, arguments: args }))['messages'] as {
      content: { type: string; text?: string };
    }[];
  for (const { info, text } of shown) {
    const [, name, given] = /^render (\S+) (.*)$/.exec(info)!;
    const args = Object.fromEntries(
      [...given!.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key!, value!]),
    );
    expect((await messagesOf(name!, args))[0]!.content.text).toBe(text);
  }
  const critique = await messagesOf('design:critique', { focus: 'colours' });
  expect(critique.map(({ content }) => content.type)).toEqual(['image', 'resource', 'text', 'text']);
  expect(await server.features[0]!.problems!()).toEqual([]);
});
