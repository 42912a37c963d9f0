import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { blocksOf } from './docs-block.ts';
import { Reader } from './docs-runner.ts';
import { plantTree } from './tree.ts';

let reader: Reader;
beforeEach(() => {
  reader = new Reader(mkdtempSync(join(tmpdir(), 'adjutant-docs-')), {});
});
afterEach(() => reader.close());

async function follow(markdown: string): Promise<void> {
  const page = join(plantTree({ 'page.md': markdown }), 'page.md');
  for (const block of blocksOf(page)) await reader.follow(block, new AbortController().signal);
}

describe('a page whose examples do not hold', () => {
  it.each([
    ['a block that nothing runs', '```text\nhello\n```\n', 'nothing says what to do'],
    ['a block that is indented', '- x\n\n  ```sh\n  false\n  ```\n', 'begins or ends no block'],
    ['a block that does not end', '```sh\nfalse\n', 'begins or ends no block'],
    [
      'a command that fails',
      '```sh\nadjutant prompts show nothing\ntrue\n```\n',
      'Prompt not found: nothing',
    ],
    ['output of nothing', '```console\nhello\n```\n', 'begins with a command'],
    ['other output', '```console\n$ echo a; echo b\na\n```\n', "expected 'a\\nb\\n' to be 'a'"],
    ['output that is cut off', '```console\n$ echo a\na\n…\nb\n```\n', "to be 'a\\n…\\nb'"],
    ['no time where one is shown', '```console\n$ echo soon\n2030-03-01 09:30\n```\n', 'soon'],
    ['a command that never gets there', '<!-- until: up -->\n```sh\necho down\n```\n', "to contain 'up'"],
    ['a setting that does not exist', '```toml adjutant.toml\n[delivery]\nsmtp = "x"\n```\n', 'unknown key'],
    ['JSON that is none', '<!-- not run: whatever -->\n```json\n{ "a": }\n```\n', 'JSON'],
    [
      'a configuration of nginx that is cut off',
      '<!-- not run: x -->\n```nginx\nlisten 443\n```\n',
      'listen 443',
    ],
    ['an answer to nothing', '```json\n{ "prompts": [] }\n```\n', 'this answers nothing'],
    [
      'a tool that fails',
      '```json\n{ "name": "getUser", "arguments": { "user_id": "x" } }\n```\n',
      'not found',
    ],
    [
      'another answer',
      '```json\n{ "method": "ping" }\n```\n```json\n{ "result": { "pong": true } }\n```\n',
      'to match object',
    ],
  ])('%s', async (_, markdown, message) => {
    await expect(follow(markdown)).rejects.toThrow(message);
  });
});

it('takes ids from what was printed, and hands on what was exported', async () => {
  const shown = '01a1ded9-881b-7c76-98a2-47c8f55072fd';
  await follow(
    [
      '```console\n$ adjutant users create --name Ada',
      `id    ${shown}\nname  Ada`,
      `$ adjutant users show ${shown}\nid    ${shown}\n…\n\`\`\``,
      `\`\`\`json\n{ "name": "getUser", "arguments": { "user_id": "${shown}" } }\n\`\`\``,
      '```json\n{ "name": "Ada" }\n```',
      '```sh\nexport GREETING="a b"\n```',
      '```console\n$ echo $GREETING\na b\n```',
    ].join('\n'),
  );
});
