import type { Tool } from '../tool.ts';
import { covers, scopeNames } from '../toolsets/scopes.ts';

const mark = {
  start: '<!-- Scopes, written by `npm run reference`. -->',
  end: '<!-- End of the scopes. -->',
};

/** What a scope gives where it does not give everything. */
const limited: Readonly<Record<string, string>> = {
  'calendar:USER': 'one person',
  'delegate:read-only': 'own runs',
  'delegate:workspace-write': 'own runs',
};

/** Replaces the table of tools and scopes in a page. */
export function withScopeTable(page: string, tools: readonly Tool[]): string {
  const [before, rest] = page.split(mark.start) as [string, string];
  const after = rest.split(mark.end)[1]!;
  return `${before}${mark.start}\n\n${scopeTable(tools)}\n${mark.end}${after}`;
}

/** Tools with the same scopes share a row. */
function scopeTable(tools: readonly Tool[]): string {
  const rows = new Map<string, string[]>();
  for (const { name, scope: needed = 'admin' } of tools) {
    const cells = scopeNames.map((scope) => (covers(scope, needed) ? (limited[scope] ?? 'yes') : ''));
    const row = cells.join(' | ');
    rows.set(row, [...(rows.get(row) ?? []), `\`${name}\``]);
  }
  const head = ['tools', ...scopeNames.map((scope) => `\`${scope}\``)];
  return [
    `| ${head.join(' | ')} |`,
    `|${' --- |'.repeat(head.length)}`,
    ...[...rows].map(([cells, tools]) => `| ${tools.join(', ')} | ${cells} |`),
    '',
  ].join('\n');
}
