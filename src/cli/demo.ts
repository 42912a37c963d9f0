import { openLocalClient } from './client/local-client.ts';
import { type Command, UsageError } from './terminal/command.ts';

export const demo: Command = {
  name: 'demo',
  summary: 'Load sample data for every feature, or remove it.',
  usage: 'demo [load|remove] [--tour]',
  maxWords: 1,
  flags: {
    tour: { type: 'boolean', description: 'Show every feature in a minute, in a temporary folder.' },
  },
  settings: ['home', 'config'],
  async run(loaded, terminal) {
    const [action = 'load'] = loaded.positionals;
    if (loaded.flags['tour'] === true) {
      if (loaded.positionals.length > 0) throw new UsageError(`demo --tour does not take "${action}"`);
      if (terminal.json) throw new UsageError('demo --tour prints text for people; leave out --json');
      const [{ runTour }, { runProgram }] = await Promise.all([import('./tour.ts'), import('./program.ts')]);
      return runTour(terminal, runProgram);
    }
    if (action !== 'load' && action !== 'remove')
      throw new UsageError(`demo takes load or remove, not "${action}"`);
    await using client = await openLocalClient(loaded, terminal);
    const { value } = await client.call(`${action}_demo`, {});
    const kept = value.kept === undefined ? '' : ` ${value.kept}`;
    const counts = `${value.prompts} prompts, ${value.events} events, ${value.runs} runs.`;
    terminal.report(
      value,
      action === 'load'
        ? `Loaded ${counts} Open the page with adjutant serve --http. Remove them with adjutant demo remove.`
        : `Removed ${counts}${kept}`,
    );
    return 0;
  },
};
