import { join } from 'node:path';
import { calendarSettings } from './assistant/calendar/settings.ts';
import { deliverySettings } from './assistant/delivery/settings.ts';
import { assistantSettings } from './assistant/settings.ts';
import { contractNames } from './contracts/contract.ts';
import { delegateSettings } from './delegate/settings/settings.ts';
import { promptSettings } from './prompts/settings.ts';
import { defineSettings } from './setting.ts';
import { skillSettings } from './skills/settings.ts';

/** The one schema of the configuration: the program's own settings, then each feature's. */
export const settings = defineSettings({
  contract: {
    type: 'choice',
    values: contractNames,
    default: 'standard',
    description:
      'How the connection looks on the wire: plain MCP, or the exact shape of one published server.',
  },
  home: {
    type: 'path',
    description:
      'One folder that holds everything: prompts, runs, the database, the outbox and adjutant.toml.',
  },
  config: { type: 'path', description: 'The configuration file to read instead of the usual one.' },
  log_level: {
    type: 'choice',
    values: ['debug', 'info', 'warning', 'error'],
    default: 'info',
    description: 'The least important message to write on stderr.',
  },
  max_message_bytes: {
    type: 'integer',
    minimum: 1024,
    default: 4 * 1024 * 1024,
    description: 'The longest message that is read; a longer one is answered with an error.',
  },
  'http.host': {
    type: 'string',
    default: '127.0.0.1',
    aliases: [{ flag: 'host' }],
    description: 'The address to listen on. One that other machines can reach needs http.token_file.',
  },
  'http.port': {
    type: 'integer',
    minimum: 0,
    maximum: 65535,
    default: 7323,
    aliases: [{ flag: 'port' }],
    description: 'The port to listen on; 0 takes any free one.',
  },
  'http.token_file': {
    type: 'path',
    aliases: [{ flag: 'token-file' }],
    description:
      'A file with the token that every HTTP call must carry. Without it one is made on first start.',
  },
  'http.state_dir': {
    type: 'path',
    default: (places) => places.home ?? join(places.state, 'adjutant'),
    description: 'Where the generated token is kept.',
  },
  'http.allowed_hosts': {
    type: 'list',
    default: [],
    description: 'Host names besides the local ones under which the server may be addressed.',
  },
  ...promptSettings,
  ...skillSettings,
  ...delegateSettings,
  ...assistantSettings,
  ...calendarSettings,
  ...deliverySettings,
});
