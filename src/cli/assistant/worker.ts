import { createDelivery } from '../../app.ts';
import { log, surviveUnhandledRejections } from '../../log.ts';
import { warnOfOpenSecrets } from '../background/open-secrets.ts';
import { finish, single, stopped, toggle } from '../terminal/command.ts';

export const worker = single('worker', {
  summary: 'Sync calendars, plan reminders and send them when they are due',
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
      log('info', `delivering from ${delivery.place}`);
      await warnOfOpenSecrets(loaded, terminal);
      terminal.report({ delivering_from: delivery.place }, '');
      await stop;
      log('info', 'stopping');
      return finish(delivery.stop(), stop);
    }
    await delivery.stop();
    return 0;
  },
});
