import { readFileSync } from 'node:fs';
import { componentFile } from '../components.ts';
import type { Page } from './browser.ts';
import type { PageServer } from './page-server.ts';

/** Calls a tool as another client would, and returns its structured result. */
export async function callTool<Result>(server: PageServer, name: string, args: object): Promise<Result> {
  const token = /token=(.*)/.exec(server.address)![1];
  const response = await fetch(`${server.view('')}mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  const text = await response.text();
  // Messages about the progress come before the result.
  const { result } = JSON.parse([...text.matchAll(/^data: (.*)$/gm)].at(-1)?.[1] ?? text);
  if (result?.structuredContent === undefined) throw new Error(text);
  return result.structuredContent;
}

/** A day from today on, in UTC. */
export function dayFromNow(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

/** Accessibility findings of the page that are at least moderate. */
export async function findings(page: Page): Promise<readonly string[]> {
  await page.evaluate(readFileSync(componentFile('axe-core/axe.min.js'), 'utf8'));
  const { violations } = await page.evaluate<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  }>('axe.run()');
  return violations
    .filter(({ impact }) => impact !== 'minor')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
