import { createDelivery } from '../../app.ts';
import { log, surviveUnhandledRejections } from '../../log.ts';
import { type Command, deliverySettings, finish, stopped } from '../terminal/command.ts';

export const worker: Command = {
  name: 'worker',
  summary: 'Sync calendars, plan notifications and deliver them when they are due.',
  usage: 'worker [--once] [FLAGS]',
  flags: {
    once: { type: 'boolean', description: 'Sync, plan and deliver once, then exit.' },
  },
  settings: ['home', 'config', 'assistant.database_url', ...deliverySettings, 'log_level'],
  async run({ config, flags }, terminal) {
    const delivery = await createDelivery(config, terminal.env);
    if (flags['once'] === true) {
      const count = await terminal.progress.during('syncing, planning and delivering', () => delivery.once());
      terminal.report({ handled: count }, `${count} notification${count === 1 ? '' : 's'} handled`);
    } else {
      surviveUnhandledRejections();
      const stop = stopped();
      delivery.start();
      log('info', `delivering from ${delivery.place}`);
      terminal.report({ delivering_from: delivery.place }, '');
      await stop;
      log('info', 'stopping');
      return finish(delivery.stop(), stop);
    }
    await delivery.stop();
    return 0;
  },
};
