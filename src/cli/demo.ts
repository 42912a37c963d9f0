import { createServer } from '../app.ts';
import { isObject } from '../json.ts';
import { connectMemory } from '../transports/memory.ts';
import { type Command, UsageError } from './command.ts';

export const demo: Command = {
  name: 'demo',
  summary: 'Put sample data for every feature in, or take it out again.',
  usage: 'demo [load|remove] [--json]',
  flags: { json: { type: 'boolean', description: 'Print the counts as JSON.' } },
  settings: ['home', 'config'],
  async run({ config, origins, positionals: [action = 'load'], flags }, terminal) {
    if (action !== 'load' && action !== 'remove')
      throw new UsageError(`demo takes load or remove, not "${action}"`);
    const server = createServer('standard', config, { origins });
    try {
      const result = await connectMemory(server).request('tools/call', {
        name: `${action}_demo`,
        arguments: {},
      });
      const counts = isObject(result['structuredContent']) ? result['structuredContent'] : {};
      if (result['isError'] === true) throw new UsageError(JSON.stringify(result['content']));
      const { prompts, events, runs } = counts;
      terminal.print(
        flags['json'] === true
          ? `${JSON.stringify(counts)}\n`
          : action === 'load'
            ? `In: ${prompts} prompts, ${events} events, ${runs} runs. Look at them with adjutant serve --http; adjutant demo remove takes them out.\n`
            : `Out: ${prompts} prompts, ${events} events, ${runs} runs.\n`,
      );
      return 0;
    } finally {
      await server.close();
    }
  },
};
