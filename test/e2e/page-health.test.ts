import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Finding } from '../../src/feature.ts';
import { PageServer, shows } from '../page/page-server.ts';
import { bundle } from '../program.ts';

const server = new PageServer();
const broken = 70;
// Found by sources, by a check of the text, and by a check of the arguments.
const total = broken + 2;
const record = {
  name: 'greet',
  title: 'Greet',
  arguments: [{ name: 'unused' }],
  messages: [{ role: 'user', content: { type: 'text', text: 'Hello {{somebody}}' } }],
};
beforeAll(async () => {
  mkdirSync(join(server.home, 'prompts'));
  const lines = `${JSON.stringify(record)}\n${'{"name": "broken"\n'.repeat(broken)}`;
  writeFileSync(join(server.home, 'prompts', 'user.jsonl'), lines);
  await server.start();
});
afterAll(() => server.stop());

/** What `doctor` reports besides the machine it runs on. */
function doctorFindings(): readonly Finding[] {
  const { stdout } = spawnSync(process.execPath, [bundle, 'doctor', '--json', '--home', server.home], {
    encoding: 'utf8',
    env: { ...process.env, HOME: server.home },
  });
  const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] };
  return findings.filter(({ detail }) => detail.includes('user.jsonl'));
}

it('reports the same problems in both views and with doctor, each with a remedy and a link', async () => {
  const page = await server.open();
  await shows(page, `${total} problems`);
  await page.getByRole('link', { name: 'Server' }).click();
  const lines = page.getByRole('list', { name: 'Problems' }).locator('li:has-text("user.jsonl")');
  // The problems of one source are one finding, which counts them.
  await lines.nth(0).waitFor();
  expect(await lines.count()).toBe(1);
  const findings = doctorFindings();
  expect(findings).toHaveLength(1);
  const [{ detail, remedy = '' }] = findings as [Finding];
  expect(detail).toContain(`${broken + 1} errors, 1 warning`);
  const text = await lines.nth(0).textContent();
  expect(text).toContain(detail);
  // The program is not on the PATH of this server, so the page names it as it can be started.
  expect(remedy).toMatch(/^adjutant prompts lint/);
  const [, lint = ''] = /To fix it: (.*? prompts lint) lists/.exec(text ?? '') ?? [];
  expect(lint).toMatch(/^\S+ \S+ prompts lint$/);
  const linted = spawnSync(`${lint} --home ${server.home}`, { shell: true, encoding: 'utf8' });
  expect(linted.stdout).toContain('user.jsonl');
  await lines.nth(0).getByRole('link', { name: 'greet' }).click();
  await page.getByRole('heading', { name: 'Greet' }).waitFor();
});

it('does not count its own requests, and counts those of clients', async () => {
  const page = await server.open();
  await page.evaluate("location.hash = '#/server'");
  const requests = page.getByRole('region', { name: 'Requests of clients' });
  await requests.getByText('None').waitFor();
  const response = await fetch(server.view('mcp'), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${/token=(.*)/.exec(server.address)![1]}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  expect(response.status).toBe(200);
  await requests.getByText('ping').waitFor();
  expect(await requests.getByText('tools/call').count()).toBe(0);
});
