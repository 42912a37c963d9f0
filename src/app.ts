import type { Config } from './config.ts';
import type { ContractName } from './contracts/contract.ts';
import { contracts } from './contracts/contracts.ts';
import { type RequestEvent, Server } from './engine/server.ts';
import type { Feature } from './feature.ts';
import { createPrompts } from './prompts/prompts.ts';

/** A contract whose feature is not part of this version. */
export class MissingFeature extends Error {}

export interface AppOptions {
  readonly stateKey?: Buffer;
  readonly observe?: (event: RequestEvent) => void;
}

/** The composition root: the only place that knows every feature. */
export function createServer(name: ContractName, config: Config, options: AppOptions = {}): Server {
  return new Server({ contract: contracts[name], features: featuresOf(name, config), ...options });
}

function featuresOf(name: ContractName, config: Config): readonly Feature[] {
  switch (name) {
    case 'standard':
    case 'commands':
      return [createPrompts({ commandsDir: config['commands.dir'] })];
    case 'jsonl':
    case 'twig':
    case 'delegate':
    case 'assistant':
      throw new MissingFeature(`the contract "${name}" needs a feature that this version does not have yet`);
  }
}
