import { isAbsolute, join } from 'node:path';
import { readRegularFileSync } from '../regular-file.ts';
import { defineSettings, type Places } from '../setting.ts';
import { mountable } from './formats/formats.ts';
import { ruleNames } from './lint/rules.ts';

/** Returns `prompts_dir` from the table `[mcp]` of hexai's settings, so that its prompts are read in place. */
export function hexaiPromptsDir({ settings, userHome }: Places): string | undefined {
  let text: string;
  try {
    text = readRegularFileSync(join(settings, 'hexai', 'config.toml'));
  } catch {
    return undefined;
  }
  const [, table = ''] = /^\s*\[mcp\][^\n]*\n((?:(?!\s*\[)[^\n]*(?:\n|$))*)/m.exec(text) ?? [];
  const [, basic, literal] = /^\s*prompts_dir\s*=\s*(?:"((?:\\.|[^"\\])*)"|'([^']*)')/m.exec(table) ?? [];
  const path = basic === undefined ? literal : unescapeBasic(basic);
  if (path === undefined || path === '') return undefined;
  if (path.startsWith('~/')) return join(userHome, path.slice(2));
  return isAbsolute(path) ? path : undefined;
}

function unescapeBasic(text: string): string {
  return text.replaceAll(/\\(.)/g, '$1');
}

function hexaiDir(places: Places): string {
  return hexaiPromptsDir(places) ?? join(places.data, 'hexai', 'prompts');
}

function twigDir({ data }: Places): string {
  return join(data, 'twig', 'prompts');
}

export const promptSettings = defineSettings({
  'commands.dir': {
    type: 'path',
    default: (places) =>
      places.home ? join(places.home, 'commands') : join(places.data, 'adjutant', 'commands'),
    aliases: [{ flag: 'prompts-dir', contracts: ['commands'] }],
    description: 'The folder of Markdown prompt commands.',
  },
  'jsonl.dir': {
    type: 'path',
    default: (places) =>
      places.home
        ? join(places.home, 'prompts')
        : places.contract === 'jsonl'
          ? hexaiDir(places)
          : join(places.data, 'adjutant', 'prompts'),
    aliases: [
      { flag: 'prompts-dir', contracts: ['jsonl'] },
      { env: 'HEXAI_MCP_PROMPTS_DIR', contracts: ['jsonl'] },
    ],
    description: 'The folder of JSONL prompts: user.jsonl, which can be edited over MCP, and default.jsonl.',
  },
  'twig.dir': {
    type: 'path',
    default: (places) =>
      places.home
        ? join(places.home, 'libraries')
        : places.contract === 'twig'
          ? twigDir(places)
          : join(places.data, 'adjutant', 'libraries'),
    aliases: [{ env: 'TWIG_DATA_DIR', contracts: ['twig'] }],
    description: 'The folder of Jinja prompt libraries, each with a twig.toml.',
  },
  'originals.read': {
    type: 'list',
    values: ['hexai', 'twig', 'delegator'],
    default: ['hexai', 'twig', 'delegator'],
    description:
      'Programs that Adjutant can replace, whose prompts and runs it also shows if their folders exist. Their prompts are edited in place. With --home, none.',
  },
  'originals.hexai_dir': {
    type: 'path',
    default: (places) => (places.home ? undefined : hexaiDir(places)),
    aliases: [{ env: 'HEXAI_MCP_PROMPTS_DIR', contracts: ['standard'] }],
    description: 'The prompts folder of hexai.',
  },
  'originals.twig_dir': {
    type: 'path',
    default: (places) => (places.home ? undefined : twigDir(places)),
    aliases: [{ env: 'TWIG_DATA_DIR', contracts: ['standard'] }],
    description: 'The prompts folder of twig.',
  },
  'prompts.mounts': {
    type: 'structure',
    schema: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          format: { type: 'string', enum: mountable },
          path: { type: 'string', minLength: 1 },
          prefix: { type: 'string', pattern: '^[^:/\\\\\\s]+$' },
          follow_links: { type: 'boolean' },
          version: { type: 'string', pattern: '^\\d+(\\.\\d+)*$' },
        },
        required: ['format', 'path'],
        additionalProperties: false,
      },
    },
    paths: ['path'],
    default: [],
    description:
      'Prompt files of other programs to serve in place: tables with format, path and optionally prefix (for the names), follow_links (follow symbolic links, also out of the folder) and version (of the client, if its older rules apply).',
  },
  'prompts.repositories': {
    type: 'structure',
    schema: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          address: { type: 'string', minLength: 1 },
          name: { type: 'string', pattern: '^[A-Za-z0-9_][A-Za-z0-9_-]*$' },
          branch: { type: 'string', pattern: '^[A-Za-z0-9_][A-Za-z0-9_./-]*$' },
          commit: { type: 'string', pattern: '^[0-9a-f]{40,64}$' },
          folder: { type: 'string', pattern: '^[^./][^\\\\:]*$' },
          format: { type: 'string', enum: ['libraries', ...mountable] },
          prefix: { type: 'string', pattern: '^[^:/\\\\\\s]+$' },
          interval_minutes: { type: 'integer', minimum: 0 },
          credentials: { type: 'string', enum: ['helper'] },
          token_file: { type: 'string', minLength: 1 },
        },
        required: ['address'],
        additionalProperties: false,
      },
    },
    paths: ['token_file'],
    default: [],
    description:
      'Git repositories of prompts to fetch and serve: tables with address (https, ssh or a path) and optionally branch, commit (to stay at it), folder (in the repository), format (libraries, or one of prompts.mounts), prefix, name, interval_minutes (default 60; 0 updates only with prompts pull) and, for a private repository, credentials (helper: your own git credential helper is asked for a password of that host) or token_file (a file with a token for that host).',
  },
  'prompts.repositories_dir': {
    type: 'path',
    default: (places) =>
      places.home ? join(places.home, 'repositories') : join(places.data, 'adjutant', 'repositories'),
    description: 'The folder for the files of prompts.repositories.',
  },
  'prompts.expose': {
    type: 'list',
    default: ['own', 'favourites', 'used', 'others'],
    description:
      'Which prompts clients list, preferred ones first: own (commands, libraries and edited prompts), favourites, used, tag:NAME, source:NAME, others (a part of every source), or all without a limit. Every prompt can be found and used by name.',
  },
  'prompts.expose_limit': {
    type: 'integer',
    minimum: 1,
    maximum: 10_000,
    default: 100,
    description: 'How many prompts clients list at most.',
  },
  'prompts.lint_ignore': {
    type: 'list',
    values: ruleNames,
    default: [],
    description: 'Rules of lint that are not reported.',
  },
  'prompts.protected_labels': {
    type: 'list',
    default: [],
    description: 'Labels of prompts, such as production, that only a person may move.',
  },
  'prompts.hold_label_on_failure': {
    type: 'boolean',
    default: false,
    description: 'Whether a label stays where it is if a test of the new revision fails.',
  },
  'prompts.usage': {
    type: 'boolean',
    default: true,
    description:
      'Whether uses of prompts are counted per client and day, on this machine only. Prompts that are used often rank a little higher.',
  },
  'prompts.user_home': {
    type: 'path',
    default: (places) => places.userHome,
    description: 'The folder that messages abbreviate to ~.',
  },
  'prompts.watch': {
    type: 'choice',
    values: ['auto', 'poll'],
    default: 'auto',
    description:
      'How changed prompt files are detected: auto uses file system events where they work, poll checks the files at intervals.',
  },
});
