import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createDecisions, createDelivery, createServerGroup } from '../app.ts';
import { isAnswerPath, serveAcknowledge } from '../assistant/delivery/acknowledge.ts';
import { type Config, ConfigError, type LoadedConfig } from '../config.ts';
import { contractNames } from '../contracts/contract.ts';
import type { Server } from '../engine/server.ts';
import { openAudit } from '../feature-options.ts';
import { createAuthenticator } from '../identity/authenticator.ts';
import { issueToken } from '../identity/issue-token.ts';
import { NamedTokens } from '../identity/named-tokens.ts';
import type { MappingOptions } from '../identity/scope-mapping.ts';
import { log } from '../log.ts';
import { recordServer } from '../running-servers.ts';
import { storageReason } from '../storage-error.ts';
import { isScope, unknownScope } from '../toolsets/scopes.ts';
import { serveHttp } from '../transports/http.ts';
import { ensureToken, newToken, OwnerToken, readToken } from '../transports/token.ts';
import { servePage } from '../web/page.ts';
import { backUpDaily } from './background/daily-backup.ts';
import { warnOfOpenSecrets } from './background/open-secrets.ts';
import { createFullServer } from './full-server.ts';
import { clientConnections } from './install/connections.ts';
import { createReadiness } from './readiness.ts';
import { finish, stopped } from './terminal/command.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Serves MCP and the page over HTTP until the process is stopped. */
export async function serveOverHttp(loaded: LoadedConfig, terminal: Terminal): Promise<number> {
  const { config, origins } = loaded;
  const { env } = terminal;
  const host = config['http.host'];
  if (config['http.token_file'] === undefined && !isLoopback(host)) {
    throw new ConfigError(`other machines can reach ${host}; set a token with --token-file FILE`);
  }
  const { token, file } = loadToken(config);
  const stateKey = createHash('sha256').update(`request state ${token}`).digest();

  const tokens = new NamedTokens(config['http.state_dir']);
  let address = '';
  const oauth = await createResourceServer(config, () => address);
  const authenticator = createAuthenticator({
    token: new OwnerToken(token, file),
    tokens,
    ...(oauth && { oauth }),
  });
  const audit = openAudit(config);
  const group = createServerGroup();
  const servers = new Map<string, Server>();
  const serverFor = (name: string = config.contract): Server | undefined => {
    const contract = contractNames.find((known) => known === name);
    if (contract === undefined) return undefined;
    const known =
      servers.get(contract) ??
      createFullServer(loaded, terminal, contract, {
        stateKey,
        group,
        audit,
        outlivesClients: true,
        firesRoutines: true,
        tokens: {
          list: () => tokens.list(),
          create: (creator, request) => issueToken(tokens, creator, request),
          revoke: (name) => tokens.revoke(name),
        },
        ...(isLoopback(host) && { connections: clientConnections(loaded, terminal) }),
      });
    servers.set(contract, known);
    return known;
  };
  const server = serverFor();

  const hasCalendar = config.contract === 'standard' || config.contract === 'assistant';
  const decisions =
    server !== undefined && config.contract === 'standard' ? createDecisions(server, config) : undefined;
  const delivery = hasCalendar ? await createDelivery(config, env, undefined, decisions) : undefined;
  /** What a feature answers outside MCP, such as webhooks. */
  const routesOf = (path: string) =>
    servers.get('standard')?.features.find(({ http }) => http?.accepts(path))?.http;
  const publicHost = URL.parse(config['delivery.public_url'] ?? '')?.hostname;
  const start = (port: number) =>
    serveHttp({
      host,
      port,
      authenticator,
      audit,
      allowedHosts: [
        ...(isLoopback(host) ? [] : [host]),
        ...(publicHost === undefined ? [] : [publicHost]),
        ...config['http.allowed_hosts'],
      ],
      trustedProxies: config['http.trusted_proxies'],
      maxMessageBytes: config.max_message_bytes,
      limits: {
        requestsPerSecond: config['http.requests_per_second'],
        connections: config['http.max_connections'],
        sessions: config['http.max_sessions'],
      },
      serverFor,
      readiness: createReadiness(config, delivery),
      metrics: async () => {
        const { metricsText, processMetrics } = await import('../status/metrics.ts');
        const { backupMetrics } = await import('./doctor/checks-backup.ts');
        const connections = [...group.servers].reduce((sum, { sessions }) => sum + sessions.size, 0);
        const failed: string[] = [];
        const ofFeatures = await Promise.all(
          (serverFor()?.features ?? []).map(async (feature) => {
            try {
              return (await feature.metrics?.()) ?? [];
            } catch (error) {
              // The other metrics matter most while the database does not answer.
              log('debug', `no metrics of ${feature.name}`, error);
              failed.push(feature.name);
              return [];
            }
          }),
        );
        return metricsText([
          ...processMetrics(),
          { name: 'sessions', help: 'Open sessions', type: 'gauge', value: connections },
          {
            name: 'features_failed',
            help: 'Features without metrics now',
            type: 'gauge',
            value: failed.length,
          },
          ...group.log.metrics(),
          ...(await backupMetrics(config)),
          ...ofFeatures.flat(),
        ]);
      },
      permitsItself: (path) => (delivery !== undefined && isAnswerPath(path)) || routesOf(path) !== undefined,
      async page(path, response, request, from) {
        const routes = routesOf(path);
        if (routes !== undefined) return routes.serve(path, request, response, from);
        if (delivery && (await serveAcknowledge(delivery.responses, path, request, response))) return;
        await servePage(path, response, request);
      },
    });
  const endpoint = await start(config['http.port']).catch((error: NodeJS.ErrnoException) => {
    // Only the default port may be replaced by a free one.
    if (error.code === 'EADDRINUSE' && origins['http.port'] === 'default') return start(0);
    throw error.code === 'EADDRINUSE'
      ? new ConfigError(`port ${config['http.port']} is in use; choose another with --port`)
      : error;
  });
  address = `${endpoint.url}/mcp`;
  const stop = stopped();
  if (config['delivery.with_server']) delivery?.start();
  const forget = recordServer(config['http.state_dir'], {
    url: endpoint.url,
    ...(file !== undefined && { token_file: file }),
  });
  announce(terminal, endpoint.url, token, file);
  await warnOfOpenSecrets(loaded, terminal);
  const endBackups = backUpDaily(loaded, terminal);

  await stop;
  log('info', 'stopping');
  forget();
  const close = async () => {
    await endpoint.close();
    await delivery?.stop();
    await endBackups();
    for (const server of servers.values()) await server.close();
  };
  return finish(close(), stop);
}

/** Accepts access tokens if an authorization server is configured. */
async function createResourceServer(config: LoadedConfig['config'], address: () => string) {
  const issuer = config['auth.issuer'];
  if (issuer === undefined) return undefined;
  const { ResourceServer } = await import('../identity/resource-server.ts');
  const [id, secret] = [config['auth.client_id'], config['auth.client_secret']];
  if ((id === undefined) !== (secret === undefined))
    throw new ConfigError('auth.client_id and auth.client_secret belong together; set both or none');
  const scopes = config['auth.scopes'] as MappingOptions['scopes'];
  for (const target of Object.values(scopes ?? {}).flat())
    if (!isScope(target.replaceAll(/\{\w+\}/g, 'x')))
      throw new ConfigError(`auth.scopes: ${unknownScope(target)}`);
  return new ResourceServer({
    issuer,
    audience: () => config['auth.audience'] ?? address(),
    loginScopes: config['auth.login_scopes'],
    scopes,
    scopeClaim: config['auth.scope_claim'],
    introspection: id !== undefined && secret !== undefined ? { id, secret } : undefined,
  });
}

/** The token is printed only on a terminal. Elsewhere the output may end up in a log that others can read. */
function announce(terminal: Terminal, url: string, token: string, file: string | undefined): void {
  const isShown = terminal.output.isTTY === true && terminal.errors.isTTY === true;
  const page = `${url}/${isShown ? `#token=${token}` : ''}`;
  const mcp = `${url}/mcp`;
  terminal.report(
    { page, mcp, ...(isShown && { token }), ...(file !== undefined && { token_file: file }) },
    '',
  );
  const authorization = isShown
    ? `Authorization: Bearer ${token}`
    : `its token is in ${file ?? 'memory only'}`;
  terminal.hint(
    `Adjutant is ready.\n  Page: ${page}${isShown ? '' : '  (for a signed-in link, run adjutant open)'}\n  MCP:  ${mcp}  (${authorization})\n`,
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** The token of the server and its file. If a new token cannot be stored, it is valid until the server stops. */
function loadToken(config: Config): { readonly token: string; readonly file: string | undefined } {
  const named = config['http.token_file'];
  if (named !== undefined) return { token: readToken(named), file: named };
  const folder = config['http.state_dir'];
  const file = join(folder, 'token');
  try {
    return { token: ensureToken(folder), file };
  } catch (error) {
    const reason = storageReason(error, folder);
    if (reason === undefined || existsSync(file)) throw error;
    log(
      'warning',
      `the token cannot be stored in ${file}, so it is valid only until the server stops: ${reason}, then restart the server`,
    );
    return { token: newToken(), file: undefined };
  }
}
