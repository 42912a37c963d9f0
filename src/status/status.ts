import { type Feature, problemSchema } from '../feature.ts';
import { countUnhandledRejections } from '../log.ts';
import { shorten } from '../paging.ts';
import { defineTool, hints } from '../tool.ts';
import { version } from '../version.ts';
import { type ClientConnections, clientTools } from './client-tools.ts';
import { type HealthOptions, healthTool } from './health.ts';
import type { RequestLog } from './request-log.ts';
import { type TokenStore, tokenTools } from './token-tools.ts';

export interface StatusOptions extends HealthOptions {
  readonly log: RequestLog;
  clients(): readonly ConnectedClient[];
  settings(): readonly SettingInForce[];
  readonly tokens?: TokenStore;
  readonly connections?: ClientConnections;
}

export interface ConnectedClient {
  readonly name: string;
  readonly version: string;
  readonly protocol: string;
  readonly since: string;
}

export interface SettingInForce {
  readonly name: string;
  readonly value: unknown;
  /** Where the value came from: `default`, `file PATH`, `variable NAME` or `flag --NAME`. */
  readonly origin: string;
  readonly description: string;
}

const text = { type: 'string' } as const;
const number = { type: 'number' } as const;
function list<const Properties extends object, const Required extends readonly (keyof Properties)[]>(
  properties: Properties,
  required: Required,
) {
  return { type: 'array', items: { type: 'object', properties, required } } as const;
}

/** Reports the server's clients, requests, problems and settings. */
export function createStatus(options: StatusOptions): Feature {
  return { name: 'status', tools: statusTools(options) };
}

export function statusTools(options: StatusOptions) {
  const startedAt = new Date().toISOString();
  return [
    healthTool(options),
    ...tokenTools(options.tokens),
    ...clientTools(options.connections),
    defineTool({
      name: 'server_status',
      toolsets: ['admin'],
      scope: 'admin',
      title: 'Server status',
      description:
        'Reports problems, connected clients, changed settings and request times of the server. Use it when something does not work.',
      searchHint: 'health diagnostics settings problems errors',
      phrases:
        'status health broken problems errors settings in force origin connected clients version diagnostics server anything wrong does not work nothing works trouble faulty up and running fine okay alive slow down crashed healthy configuration setup overview condition doctor yourself itself state fix',
      inputSchema: {
        type: 'object',
        properties: {
          full: {
            type: 'boolean',
            default: false,
            description: 'Also tokens and default settings; do not shorten',
          },
        },
      },
      outputSchema: {
        type: 'object',
        properties: {
          name: text,
          version: text,
          started_at: text,
          unhandled_rejections: { type: 'integer', description: 'Bugs that the log describes' },
          clients: list({ name: text, version: text, protocol: text, since: text }, [
            'name',
            'version',
            'protocol',
            'since',
          ]),
          methods: list(
            {
              method: text,
              count: number,
              failed: number,
              median_ms: number,
              p95_ms: number,
              recent_ms: { type: 'array', items: number },
            },
            ['method', 'count', 'failed', 'median_ms', 'p95_ms', 'recent_ms'],
          ),
          problems: { type: 'array', items: problemSchema },
          tokens: list(
            { name: text, scopes: { type: 'array', items: text }, created_at: text, expires_at: text },
            ['name', 'scopes', 'created_at'],
          ),
          settings: list({ name: text, value: {}, origin: text, description: text }, [
            'name',
            'value',
            'origin',
            'description',
          ]),
        },
        required: [
          'name',
          'version',
          'started_at',
          'unhandled_rejections',
          'clients',
          'methods',
          'problems',
          'settings',
        ],
      },
      annotations: hints.reads,
      async call({ full = false }) {
        const settings = options.settings();
        const status = {
          name: 'adjutant',
          version,
          started_at: startedAt,
          unhandled_rejections: countUnhandledRejections(),
          clients: options.clients(),
          methods: options.log.summary(),
          problems: await options.problems(),
          ...(full && options.tokens && { tokens: options.tokens.list() }),
          settings: full ? settings : settings.filter(({ origin }) => origin !== 'default'),
        };
        return { structured: full ? status : shorten(status).value };
      },
    }),
  ];
}
