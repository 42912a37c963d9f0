import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { number, numberFlag, single, toggle, UsageError } from '../terminal/command.ts';
import { findManager } from './background.ts';
import { serviceNames } from './service-manager.ts';

export const logs = single('logs', {
  summary: 'Show the log of the server or the worker that runs as a service',
  args: '[SERVICE]',
  notes: { SERVICE: 'server or worker' },
  flags: {
    follow: toggle('Go on with new lines', { short: 'f' }),
    limit: number('COUNT', 'Number of lines; 100, unless given', { short: 'n' }),
  },
  examples: ['logs', 'logs worker --follow'],
  async run({ loaded, flags, words: [named = 'server'], terminal }) {
    const service = serviceNames.find((name) => name === named);
    if (service === undefined)
      throw new UsageError(
        `there is no service "${named}"; there are ${serviceNames.join(' and ')}\n  The events of a run: adjutant runs tail last`,
      );
    const manager = await findManager(loaded, terminal);
    if (!existsSync(manager.file(service)))
      throw new Error(
        `the ${service} does not run as a service, so its log is where it was started\n  Keep it running: adjutant service install ${service}`,
      );
    const limit = numberFlag(flags, 'limit') ?? 100;
    const [program, ...args] = manager.log(service, { follow: flags['follow'] === true, limit });
    const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => resolve(code ?? 130));
    });
  },
});
