import { type AppOptions, createDesktopDelivery, createServer } from '../app.ts';
import type { LoadedConfig } from '../config.ts';
import type { ContractName } from '../contracts/contract.ts';
import type { Server } from '../engine/server.ts';
import { log } from '../log.ts';
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

/** Other work of the start comes first: a worker has half a minute to send what is due. */
const desktopDelayMs = 10_000;

/** Shows due reminders on the desktop while a server on stdio runs. Returns a function that ends it. */
export function deliverToDesktop({ config }: LoadedConfig, { env }: Terminal): () => Promise<void> {
  if (config.contract !== 'standard') return async () => {};
  const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<typeof createDesktopDelivery>>>();
  const timer = setTimeout(() => {
    const created = createDesktopDelivery(config, env).catch((error: unknown) => {
      log('warning', 'reminders cannot be shown on the desktop', error);
      return undefined;
    });
    resolve(created);
    void created.then((delivery) => delivery?.start());
  }, desktopDelayMs);
  timer.unref();
  return async () => {
    clearTimeout(timer);
    resolve(undefined);
    await (await promise)?.stop();
  };
}

/** The checks of `doctor`, for the tool check_health. Who reads the remedies may have no `adjutant` on the PATH. */
function checksOf(loaded: LoadedConfig, terminal: Terminal): NonNullable<AppOptions['checks']> {
  return async (problems) => {
    const { runChecks } = await import('./doctor/checks.ts');
    const { commandHere } = await import('./install/install.ts');
    // Started with npx, the program has no path of its own that stays.
    const command = await commandHere(terminal.env).catch(() => 'npx adjutant');
    const findings = await runChecks(loaded, terminal, undefined, problems);
    return findings.map(({ remedy, ...finding }) => ({
      ...finding,
      ...(remedy !== undefined && {
        remedy: remedy.replaceAll(/\badjutant (?=[a-z])/g, () => `${command} `),
      }),
    }));
  };
}
