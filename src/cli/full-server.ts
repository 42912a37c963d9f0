import { type AppOptions, createServer } from '../app.ts';
import type { LoadedConfig } from '../config.ts';
import type { ContractName } from '../contracts/contract.ts';
import type { Server } from '../engine/server.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Creates a server for `adjutant serve`, with everything that a long-lived process does besides answering requests. */
export function createFullServer(
  loaded: LoadedConfig,
  terminal: Terminal,
  contract: ContractName = loaded.config.contract,
  options: AppOptions = {},
): Server {
  return createServer(contract, loaded.config, {
    origins: loaded.origins,
    env: terminal.env,
    logsProblems: true,
    recoversRuns: true,
    updatesClients: true,
    checks: checksOf(loaded, terminal),
    ...options,
  });
}

/** The checks of `doctor`, for the tool check_health. */
function checksOf(loaded: LoadedConfig, terminal: Terminal): NonNullable<AppOptions['checks']> {
  return async (problems) => {
    const { runChecks } = await import('./doctor/checks.ts');
    return runChecks(loaded, terminal, undefined, problems);
  };
}
