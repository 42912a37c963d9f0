import { defineSettings } from '../setting.ts';

export const backupSettings = defineSettings({
  'backup.daily_dir': {
    type: 'path',
    description:
      'Folder in which `worker` and `serve --http` write a backup every day, without secrets. Default: none is written.',
  },
  'backup.keep': {
    type: 'integer',
    minimum: 1,
    default: 7,
    description: 'How many of these backups are kept.',
  },
});
