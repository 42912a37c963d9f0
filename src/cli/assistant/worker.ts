import { createDelivery, createServer } from '../../app.ts';
import { log, surviveUnhandledRejections } from '../../log.ts';
import { backUpDaily } from '../background/daily-backup.ts';
import { warnOfOpenSecrets } from '../background/open-secrets.ts';
import { finish, single, stopped, toggle } from '../terminal/command.ts';

export const worker = single('worker', {
  summary: 'Sync calendars, plan reminders, send them when they are due, and fire routines',
  flags: { once: toggle('Sync, plan and send once, then exit') },
  examples: ['worker', 'worker --once'],
  async run({ loaded, config, flags, terminal }) {
    const delivery = await createDelivery(config, terminal.env);
    if (flags['once'] === true) {
      const count = await terminal.progress.during('syncing, planning and delivering', () => delivery.once());
      terminal.report({ handled: count }, `${count} notification${count === 1 ? '' : 's'} handled`);
    } else {
      surviveUnhandledRejections();
      const stop = stopped();
      delivery.start();
      const { origins } = loaded;
      // Routines start runs, and use prompts and people, so they need all features.
      const server = createServer('standard', config, {
        ...{ env: terminal.env, origins, recoversRuns: true, firesRoutines: true },
      });
      log('info', `delivering from ${delivery.place}`);
      const endBackups = backUpDaily(loaded, terminal);
      await warnOfOpenSecrets(loaded, terminal);
      terminal.report({ delivering_from: delivery.place }, '');
      await stop;
      log('info', 'stopping');
      return finish(Promise.all([server.close(), delivery.stop(), endBackups()]), stop);
    }
    await delivery.stop();
    return 0;
  },
});
