import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PageServer, shows } from '../page/page-server.ts';
import { bundle } from '../program.ts';

const server = new PageServer();
const count = 70;
beforeAll(async () => {
  mkdirSync(join(server.home, 'prompts'));
  writeFileSync(join(server.home, 'prompts', 'user.jsonl'), '{"name": "broken"\n'.repeat(count));
  await server.start();
});
afterAll(() => server.stop());

it('reports the same number of problems on the page and with doctor', async () => {
  const page = await server.open();
  await shows(page, `${count} problems`);
  await page.getByRole('link', { name: 'Server' }).click();
  await page.locator('.problems li').first().waitFor();
  expect(await page.locator('.problems li').count()).toBe(count);
  const { stdout } = spawnSync(process.execPath, [bundle, 'doctor', '--json', '--home', server.home], {
    encoding: 'utf8',
    env: { ...process.env, HOME: server.home },
  });
  const { findings } = JSON.parse(stdout) as { findings: { title: string; detail: string }[] };
  expect(findings.filter(({ detail }) => detail.includes('user.jsonl')).length).toBe(count);
});
