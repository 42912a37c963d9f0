import { join } from 'node:path';
import { defineSettings } from '../setting.ts';
import { mountable } from './formats/format-names.ts';
import { hexaiPromptsDir } from './sources/hexai-config.ts';

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
        : (hexaiPromptsDir(places) ?? join(places.data, 'hexai', 'prompts')),
    aliases: [{ flag: 'prompts-dir', contracts: ['jsonl'] }, { env: 'HEXAI_MCP_PROMPTS_DIR' }],
    description: 'The folder of JSONL prompts: user.jsonl, which can be edited over MCP, and default.jsonl.',
  },
  'twig.dir': {
    type: 'path',
    default: (places) =>
      places.home ? join(places.home, 'libraries') : join(places.data, 'twig', 'prompts'),
    aliases: [{ env: 'TWIG_DATA_DIR' }],
    description: 'The folder of Jinja prompt libraries, each with a twig.toml.',
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
