import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { blocksOf } from './docs-block.ts';
import { PageRunner } from './docs-runner.ts';
import { plantTree } from './tree.ts';

let runner: PageRunner;
beforeEach(() => {
  runner = new PageRunner(mkdtempSync(join(tmpdir(), 'adjutant-docs-')), {});
});
afterEach(() => runner.close());

async function runPage(markdown: string): Promise<void> {
  const page = join(plantTree({ 'page.md': markdown }), 'page.md');
  for (const block of blocksOf(page)) await runner.run(block, new AbortController().signal);
}

describe('a page with an invalid example fails', () => {
  it.each([
    ['an unknown kind of block', '```text\nhello\n```\n', 'cannot run this block'],
    ['an indented block', '- x\n\n  ```sh\n  false\n  ```\n', 'does not start or end a code block'],
    ['an unterminated block', '```sh\nfalse\n', 'does not start or end a code block'],
    [
      'a command that fails',
      '```sh\nadjutant prompts show nothing\ntrue\n```\n',
      'Prompt not found: nothing',
    ],
    ['output without a command', '```console\nhello\n```\n', 'must start with a command'],
    ['different output', '```console\n$ echo a; echo b\na\n```\n', "expected 'a\\nb\\n' to be 'a'"],
    ['missing output', '```console\n$ echo a\na\n…\nb\n```\n', "to be 'a\\n…\\nb'"],
    ['text in place of a time', '```console\n$ echo soon\n2030-03-01 09:30\n```\n', 'soon'],
    [
      'a command that never prints the expected text',
      '<!-- until: up -->\n```sh\necho down\n```\n',
      "to contain 'up'",
    ],
    ['an unknown setting', '```toml adjutant.toml\n[delivery]\nsmtp = "x"\n```\n', 'unknown key'],
    ['invalid JSON', '<!-- not run: whatever -->\n```json\n{ "a": }\n```\n', 'JSON'],
    ['a truncated nginx configuration', '<!-- not run: x -->\n```nginx\nlisten 443\n```\n', 'listen 443'],
    ['a reply without a call', '```json\n{ "prompts": [] }\n```\n', 'there is no call before this reply'],
    [
      'a tool that fails',
      '```json\n{ "name": "get_user", "arguments": { "user_id": "x" } }\n```\n',
      'not found',
    ],
    [
      'a different reply',
      '```json\n{ "method": "ping" }\n```\n```json\n{ "result": { "pong": true } }\n```\n',
      'to match object',
    ],
  ])('%s', async (_, markdown, message) => {
    await expect(runPage(markdown)).rejects.toThrow(message);
  });
});

it('uses printed ids and exported variables in later blocks', async () => {
  const shown = '01a1ded9-881b-7c76-98a2-47c8f55072fd';
  await runPage(
    [
      '```console\n$ adjutant users create --name Ada --timezone UTC',
      `id        ${shown}\nname      Ada\ntimezone  UTC`,
      `$ adjutant users show ${shown}\nid        ${shown}\n…\n\`\`\``,
      `\`\`\`json\n{ "name": "get_user", "arguments": { "user_id": "${shown}" } }\n\`\`\``,
      '```json\n{ "name": "Ada" }\n```',
      '```sh\nexport GREETING="a b"\n```',
      '```console\n$ echo $GREETING\na b\n```',
    ].join('\n'),
  );
});
