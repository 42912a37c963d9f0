import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from '../app.ts';
import { loadConfig } from '../config.ts';
import { isObject } from '../json.ts';
import { flagOf, type Setting, variableOf } from '../setting.ts';
import { settings } from '../settings.ts';
import type { Tool } from '../tool.ts';

const generated = '<!-- Made by `npm run reference`; the program owns what it says. -->\n';

/** Every setting with its ways of being set. */
export function configurationReference(): string {
  const table: Readonly<Record<string, Setting>> = settings;
  const rows = Object.entries(table).map(([name, setting]) => {
    const aliases = (setting.aliases ?? []).flatMap(({ flag, env }) => [
      ...(flag === undefined ? [] : [`\`--${flag}\``]),
      ...(env === undefined ? [] : [`\`${env}\``]),
    ]);
    const ways = setting.type === 'structure' ? [] : [`\`--${flagOf(name)}\``, `\`${variableOf(name)}\``];
    return `| \`${name}\` | ${kindOf(setting)} | ${defaultOf(setting)} | ${[...ways, ...aliases].join('<br>')} | ${cell(setting.description)} |`;
  });
  return `# Configuration

${generated}
Defaults come first, then \`adjutant.toml\` (of \`--home\`, else \`adjutant/adjutant.toml\` where your system keeps settings), then the
environment, then flags. In the file a dot is a table: \`http.port\` is \`port\` in \`[http]\`. Relative paths count from the file, or
from the working folder. \`adjutant serve --http\` shows on its page which value is in force and where it came from.

| setting | value | default | flags and variables | meaning |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}

function kindOf(setting: Setting): string {
  switch (setting.type) {
    case 'choice':
      return setting.values.map((value) => `\`${value}\``).join(', ');
    case 'structure':
      return 'a structure (file only)';
    case 'address':
      return `an address (${setting.schemes.map((scheme) => `\`${scheme}://\``).join(', ')})`;
    case 'list':
      return 'a list';
    case 'integer':
      return 'a whole number';
    case 'boolean':
      return 'true or false';
    default:
      return `a ${setting.type}`;
  }
}

function defaultOf({ default: given }: Setting): string {
  if (given === undefined || (Array.isArray(given) && given.length === 0)) return '';
  return typeof given === 'function'
    ? 'by place'
    : `\`${typeof given === 'string' ? given : JSON.stringify(given)}\``;
}

/** Every tool of the contract `standard`, as a client sees it. */
export async function toolReference(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'adjutant-reference-'));
  const { config } = await loadConfig({ argv: ['--home', home], env: { HOME: home }, cwd: home });
  const server = createServer('standard', config);
  try {
    const sections = server.features
      .filter((feature) => (feature.tools?.length ?? 0) > 0)
      .map((feature) => `## ${feature.name}\n\n${feature.tools!.map(toolSection).join('\n')}`);
    return `# Tools\n\n${generated}\nWhat \`tools/list\` offers under the contract \`standard\`.\n\n${sections.join('\n')}`;
  } finally {
    await server.close();
    rmSync(home, { recursive: true, force: true });
  }
}

function toolSection(tool: Tool): string {
  const hints = Object.entries(tool.annotations ?? {}).flatMap(([hint, on]) =>
    on === true ? [hint.replace(/Hint$/, '')] : [],
  );
  const properties = isObject(tool.inputSchema['properties'])
    ? Object.entries(tool.inputSchema['properties'])
    : [];
  const required = Array.isArray(tool.inputSchema['required']) ? tool.inputSchema['required'] : [];
  const rows = properties.map(([name, schema]) => {
    const facts = schema as Readonly<Record<string, unknown>>;
    const fallback = 'default' in facts ? `\`${JSON.stringify(facts['default'])}\`` : '';
    return `| \`${name}\` | ${typeText(facts)} | ${required.includes(name) ? 'required' : fallback} | ${cell(String(facts['description'] ?? ''))} |`;
  });
  const table =
    rows.length === 0
      ? ''
      : `\n| argument | type | default | meaning |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`;
  return `### \`${tool.name}\`\n\n${tool.description}${hints.length > 0 ? ` *(${hints.join(', ')})*` : ''}\n${table}`;
}

function typeText(schema: Readonly<Record<string, unknown>>): string {
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => `\`${value}\``).join(', ');
  if (Array.isArray(schema['anyOf'])) return schema['anyOf'].map((one) => typeText(one)).join(' or ');
  if (schema['type'] === 'array')
    return `list of ${typeText((schema['items'] ?? {}) as Record<string, unknown>) || 'values'}`;
  return String(schema['type'] ?? '');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
