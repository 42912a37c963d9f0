import { join } from 'node:path';
import { defineSettings } from '../setting.ts';

export const assistantSettings = defineSettings({
  'assistant.database_url': {
    type: 'string',
    default: (places) =>
      places.home ? join(places.home, 'adjutant.db') : join(places.data, 'adjutant', 'adjutant.db'),
    aliases: [{ env: 'DATABASE_URL' }],
    description: 'Where the diary is kept: a SQLite file, or postgres://USER:PASSWORD@HOST/DATABASE.',
  },
});
