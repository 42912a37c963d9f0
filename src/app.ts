import { type Config, settingsInForce } from './config.ts';
import type { ContractName } from './contracts/contract.ts';
import { contracts } from './contracts/contracts.ts';
import { Server } from './engine/server.ts';
import type { Feature } from './feature.ts';
import { createCommands, createPrompts, createTwig, type PromptsOptions } from './prompts/prompts.ts';
import { RequestLog } from './status/request-log.ts';
import { createStatus } from './status/status.ts';

/** A contract whose feature is not part of this version. */
export class MissingFeature extends Error {}

export interface AppOptions {
  readonly stateKey?: Buffer;
  /** Where each setting came from. */
  readonly origins?: Readonly<Record<string, string>>;
  /** What the servers of one process know of each other. */
  readonly neighbours?: Neighbours;
}

export interface Neighbours {
  readonly servers: Set<Server>;
  readonly log: RequestLog;
}

export function createNeighbours(): Neighbours {
  return { servers: new Set(), log: new RequestLog() };
}

/** The composition root: the only place that knows every feature. */
export function createServer(name: ContractName, config: Config, options: AppOptions = {}): Server {
  const { stateKey, origins = {}, neighbours = createNeighbours() } = options;
  const features = [...featuresOf(name, config)];
  if (name === 'standard') features.push(statusOf(features, config, origins, neighbours));
  const server = new Server({
    contract: contracts[name],
    features,
    observe: (event) => neighbours.log.add(event),
    ...(stateKey && { stateKey }),
  });
  neighbours.servers.add(server);
  return server;
}

function statusOf(
  features: readonly Feature[],
  config: Config,
  origins: AppOptions['origins'] & {},
  neighbours: Neighbours,
): Feature {
  return createStatus({
    log: neighbours.log,
    clients: () =>
      [...neighbours.servers].flatMap(({ sessions }) =>
        [...sessions].map(({ client, connectedAt }) => ({
          name: client.name,
          version: client.version,
          protocol: client.protocolVersion,
          since: new Date(connectedAt).toISOString(),
        })),
      ),
    problems: async () => (await Promise.all(features.map((feature) => feature.problems?.() ?? []))).flat(),
    settings: () => settingsInForce(config, origins),
  });
}

function featuresOf(name: ContractName, config: Config): readonly Feature[] {
  switch (name) {
    case 'standard':
      return [createPrompts(promptOptions(config))];
    case 'commands':
      return [createCommands(promptOptions(config))];
    case 'twig':
      return [createTwig(promptOptions(config))];
    case 'jsonl':
    case 'delegate':
    case 'assistant':
      throw new MissingFeature(`the contract "${name}" needs a feature that this version does not have yet`);
  }
}

function promptOptions(config: Config): PromptsOptions {
  return {
    commandsDir: config['commands.dir'],
    twigDir: config['twig.dir'],
    userHome: config['prompts.user_home'],
    poll: config['prompts.watch'] === 'poll',
  };
}
