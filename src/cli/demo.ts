import { openLocalClient } from './client/local-client.ts';
import { type Command, UsageError } from './terminal/command.ts';

export const demo: Command = {
  name: 'demo',
  summary: 'Put sample data for every feature in, or take it out again.',
  usage: 'demo [load|remove]',
  words: 1,
  settings: ['home', 'config'],
  async run(loaded, terminal) {
    const [action = 'load'] = loaded.positionals;
    if (action !== 'load' && action !== 'remove')
      throw new UsageError(`demo takes load or remove, not "${action}"`);
    await using door = await openLocalClient(loaded, terminal);
    const { value } = await door.call(`${action}_demo`, {});
    const kept = value.kept === undefined ? '' : ` ${value.kept}`;
    const counts = `${value.prompts} prompts, ${value.events} events, ${value.runs} runs.`;
    terminal.report(
      value,
      action === 'load'
        ? `In: ${counts} Look at them with adjutant serve --http; adjutant demo remove takes them out.`
        : `Out: ${counts}${kept}`,
    );
    return 0;
  },
};
