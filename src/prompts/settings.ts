import { join } from 'node:path';
import { defineSettings } from '../setting.ts';

export const promptSettings = defineSettings({
  'commands.dir': {
    type: 'path',
    default: (places) =>
      places.home ? join(places.home, 'commands') : join(places.data, 'adjutant', 'commands'),
    aliases: [{ flag: 'prompts-dir', contracts: ['commands'] }],
    description: 'The folder of Markdown prompt commands.',
  },
});
