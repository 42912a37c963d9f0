import { join } from 'node:path';
import { assistantSettings, calendarSettings, deliverySettings } from './assistant/settings.ts';
import { auditSettings } from './audit/settings.ts';
import { backupSettings } from './backup/settings.ts';
import { contractNames } from './contracts/contract.ts';
import { delegateSettings } from './delegate/run/settings.ts';
import { authSettings } from './identity/settings.ts';
import { promptSettings } from './prompts/settings.ts';
import { routineSettings } from './routines/settings.ts';
import { defineSettings, type RemovedSetting } from './setting.ts';
import { skillSettings } from './skills/settings.ts';
import { successors, toolNames, toolsetNames } from './toolsets/toolsets.ts';

/** Settings of earlier versions, and flags of the servers that Adjutant replaces, by name. */
export const removedSettings: Readonly<Record<string, RemovedSetting>> = {
  'autopilot.planner': {
    type: 'choice',
    reason: 'A model plans every task; callers can pass jobs to delegate_autopilot instead.',
  },
  'autopilot.worktrees': { type: 'choice', reason: 'Every writing job is isolated.' },
  log: { type: 'path', reason: 'The log is written to stderr, which can be redirected to a file.' },
  transport: { type: 'string', reason: 'The server uses stdio, or HTTP with --http.' },
};

/** Every setting: the program's own, then those of each feature. */
export const settings = defineSettings({
  contract: {
    type: 'choice',
    values: contractNames,
    default: 'standard',
    description:
      'Wire format of the connection: plain MCP (standard), or that of a published server to replace.',
  },
  home: {
    type: 'path',
    description: 'A folder for everything: prompts, runs, the database, the outbox and adjutant.toml.',
  },
  config: { type: 'path', description: 'Path of the configuration file.' },
  toolsets: {
    type: 'list',
    values: toolsetNames,
    default: [],
    description:
      'Groups of tools that clients may use. `default` lists a few tools and reaches the others through `search_tools`; `all` lists every tool. Without toolsets and tools, it is `default`.',
  },
  tools: {
    type: 'list',
    values: toolNames,
    successors,
    default: [],
    description: 'Single tools that clients may use, besides those of the toolsets.',
  },
  exclude_tools: {
    type: 'list',
    values: toolNames,
    successors,
    default: [],
    description: 'Tools that clients may not use, whatever the toolsets are.',
  },
  read_only: {
    type: 'boolean',
    default: false,
    description: 'Allows only tools that change nothing. This also applies to the page and the command line.',
  },
  log_level: {
    type: 'choice',
    values: ['debug', 'info', 'warning', 'error'],
    default: 'info',
    description: 'Lowest level of the messages written to stderr.',
  },
  log_format: {
    type: 'choice',
    values: ['text', 'json'],
    default: 'text',
    description:
      'Format of these messages. `json` writes one object per line, which also has the id of the HTTP request and the program that sent it.',
  },
  max_message_bytes: {
    type: 'integer',
    minimum: 1024,
    default: 4 * 1024 * 1024,
    description: 'Maximum length of a message. A longer one is answered with an error.',
  },
  max_batch_reply_bytes: {
    type: 'integer',
    minimum: 1024,
    default: 8 * 1024 * 1024,
    description:
      'Length of the replies to one batch. Once it is reached, the remaining requests of the batch are refused.',
  },
  max_name_length: {
    type: 'integer',
    minimum: 32,
    default: 256,
    description:
      'Maximum length of the names that statistics and logs keep: method, tool, client. A longer one is answered with an error.',
  },
  'http.host': {
    type: 'string',
    default: '127.0.0.1',
    aliases: [{ flag: 'host' }],
    description: 'Address to listen on. If other machines can reach it, http.token_file is required.',
  },
  'http.port': {
    type: 'integer',
    minimum: 0,
    maximum: 65535,
    default: 7323,
    aliases: [{ flag: 'port' }],
    description: 'Port to listen on. 0 chooses a free one.',
  },
  'http.token_file': {
    type: 'path',
    aliases: [{ flag: 'token-file' }],
    description:
      'File with the token that every HTTP call must send. By default a token is generated at the first start.',
  },
  'http.state_dir': {
    type: 'path',
    default: (places) => places.home ?? join(places.state, 'adjutant'),
    description:
      'Folder for what this machine keeps for itself: tokens, a local database, the search index, and which servers run.',
  },
  'http.allowed_hosts': {
    type: 'list',
    default: [],
    description: 'Host names, besides the local ones, that clients may use to reach the server.',
  },
  'http.trusted_proxies': {
    type: 'list',
    default: [],
    description:
      'Addresses of reverse proxies, or ranges such as 10.0.0.0/8. The header X-Forwarded-For of their requests says from where a request came, for limits and the security log.',
  },
  'http.requests_per_second': {
    type: 'integer',
    minimum: 0,
    default: 500,
    description:
      'Requests per second of each token, and refused requests of each address. Ten times as many may come at once. Further ones are answered with status 429. 0 for no limit.',
  },
  'http.max_connections': {
    type: 'integer',
    minimum: 8,
    default: 1000,
    description:
      'Maximum number of connections. Unused ones are closed to make room; if all are in use, new ones are answered with status 503. Fewer if the process may not open enough files.',
  },
  'http.max_sessions': {
    type: 'integer',
    minimum: 1,
    default: 1000,
    description:
      'Maximum number of sessions. Unused ones end to make room; if all are in use, new ones are answered with status 503.',
  },
  ...authSettings,
  ...auditSettings,
  ...backupSettings,
  ...promptSettings,
  ...skillSettings,
  ...delegateSettings,
  ...routineSettings,
  ...assistantSettings,
  ...calendarSettings,
  ...deliverySettings,
});
