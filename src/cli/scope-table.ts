import { scopeNames, scopeTools } from '../toolsets/scopes.ts';
import { discoveryNames, toolNames } from '../toolsets/toolsets.ts';

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
export function withScopeTable(page: string): string {
  const [before, rest] = page.split(mark.start) as [string, string];
  const after = rest.split(mark.end)[1]!;
  return `${before}${mark.start}\n\n${scopeTable()}\n${mark.end}${after}`;
}

/** Tools with the same scopes share a row. */
function scopeTable(): string {
  const rows = new Map<string, string[]>();
  for (const tool of toolNames.filter((name) => !discoveryNames.some((one) => one === name))) {
    const cells = scopeNames.map((scope) => (hasTool(scope, tool) ? (limited[scope] ?? 'yes') : ''));
    const row = cells.join(' | ');
    rows.set(row, [...(rows.get(row) ?? []), `\`${tool}\``]);
  }
  const head = ['tools', ...scopeNames.map((scope) => `\`${scope}\``)];
  return [
    `| ${head.join(' | ')} |`,
    `|${' --- |'.repeat(head.length)}`,
    ...[...rows].map(([cells, tools]) => `| ${tools.join(', ')} | ${cells} |`),
    '',
  ].join('\n');
}

function hasTool(scope: string, tool: string): boolean {
  return scope === 'admin' || scopeTools[scope]!.includes(tool);
}
