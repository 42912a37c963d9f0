import { type AppOptions, createDelivery, createServer, createServerGroup } from '../app.ts';
import { ConfigError, type LoadedConfig } from '../config.ts';
import { contractNames } from '../contracts/contract.ts';
import type { Server } from '../engine/server.ts';
import { openAudit } from '../feature-options.ts';
import type { MappingOptions } from '../identity/scope-mapping.ts';
import { log } from '../log.ts';
import { followPrompts } from '../prompts/native/native-sync.ts';
import type { PromptsFeature } from '../prompts/prompts.ts';
import { isScope, unknownScope } from '../toolsets/scopes.ts';
import { serveStdio } from '../transports/stdio.ts';
import { keepHeapSmall } from './small-heap.ts';
import { type Command, finish, stopped, type Terminal } from './terminal/command.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'Serve MCP on stdio, or on HTTP with --http.',
  usage: 'serve [--http [--host HOST] [--port PORT]] [--contract NAME] [FLAGS]',
  flags: {
    http: {
      type: 'boolean',
      description: 'Serve MCP over HTTP at /mcp and the page at /, instead of stdio.',
    },
  },
  settings: [
    'contract',
    'home',
    'config',
    'toolsets',
    'tools',
    'exclude_tools',
    'read_only',
    'http.host',
    'http.port',
    'http.token_file',
    'http.allowed_hosts',
    'commands.dir',
    'jsonl.dir',
    'twig.dir',
    'prompts.watch',
    'max_message_bytes',
    'log_level',
  ],
  run: (loaded, terminal) =>
    loaded.flags['http'] === true ? overHttp(loaded, terminal) : overStdio(loaded, terminal),
};

async function overStdio(loaded: LoadedConfig, terminal: Terminal): Promise<number> {
  const { config, origins } = loaded;
  const server = createServer(config.contract, config, {
    origins,
    env: terminal.env,
    logsProblems: true,
    onPrompts: updatesClients(config),
    checks: checksOf(loaded, terminal),
  });
  const outputClosed = new Promise((resolve) => terminal.output.on('error', resolve));
  const served = serveStdio(server, terminal.input, terminal.output, config.max_message_bytes);
  terminal.input.once('data', () => setImmediate(keepHeapSmall));
  const stop = stopped();
  await Promise.race([served, outputClosed, stop]);
  return finish(server.close(), stop);
}

/** The checks of `doctor`, for the tool check_health. */
function checksOf(loaded: LoadedConfig, terminal: Terminal): NonNullable<AppOptions['checks']> {
  return async (problems) => {
    const { runChecks } = await import('./doctor/checks.ts');
    return runChecks(loaded, terminal, undefined, problems);
  };
}

async function overHttp(loaded: LoadedConfig, terminal: Terminal): Promise<number> {
  const { config, origins } = loaded;
  const { env } = terminal;
  const { createHash } = await import('node:crypto');
  const { serveHttp } = await import('../transports/http.ts');
  const { createAuthenticator } = await import('../identity/authenticator.ts');
  const { NamedTokens } = await import('../identity/named-tokens.ts');
  const { loadToken } = await import('./background/server-token.ts');
  const { recordServer } = await import('./background/running-servers.ts');
  const { servePage } = await import('../web/page.ts');
  const { serveAcknowledge } = await import('../assistant/channels/acknowledge.ts');
  const host = config['http.host'];
  if (config['http.token_file'] === undefined && !isLoopback(host)) {
    throw new ConfigError(`other machines can reach ${host}; set a token with --token-file FILE`);
  }
  const { token, file } = loadToken(config);
  const stateKey = createHash('sha256').update(`request state ${token}`).digest();

  const tokens = new NamedTokens(config['http.state_dir']);
  let address = '';
  const oauth = await createResourceServer(config, () => address);
  const authenticator = createAuthenticator({ token, tokens, ...(oauth && { oauth }) });
  const audit = openAudit(config);
  const group = createServerGroup();
  const servers = new Map<string, Server>();
  const serverFor = (name: string = config.contract): Server | undefined => {
    const contract = contractNames.find((known) => known === name);
    if (contract === undefined) return undefined;
    const known =
      servers.get(contract) ??
      createServer(contract, config, {
        stateKey,
        env,
        origins,
        group,
        audit,
        logsProblems: true,
        onPrompts: updatesClients(config),
        checks: checksOf(loaded, terminal),
        tokens: () => tokens.list(),
      });
    servers.set(contract, known);
    return known;
  };
  serverFor();
  keepHeapSmall();

  const hasCalendar = config.contract === 'standard' || config.contract === 'assistant';
  const delivery = hasCalendar ? await createDelivery(config, env) : undefined;
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
      maxMessageBytes: config.max_message_bytes,
      limits: {
        requestsPerSecond: config['http.requests_per_second'],
        connections: config['http.max_connections'],
        sessions: config['http.max_sessions'],
      },
      serverFor,
      async page(path, response, request) {
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

  await stop;
  log('info', 'stopping');
  forget();
  const close = async () => {
    await endpoint.close();
    await delivery?.stop();
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

/** Keeps the prompts up to date that `adjutant install --with-prompts` wrote into the folders of clients. */
function updatesClients(config: LoadedConfig['config']): (prompts: PromptsFeature) => void {
  return (prompts) => followPrompts(prompts, config['http.state_dir']);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
