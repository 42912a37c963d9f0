import { findServers } from '../running-servers.ts';
import { version } from '../version.ts';
import { findClients } from './install/install.ts';
import { single } from './terminal/command.ts';

export const status = single('status', {
  summary: 'Show what is running, and what is wrong',
  examples: ['status', 'status --json'],
  async run({ connect, config, terminal }) {
    const servers = await findServers(config['http.state_dir']);
    const connected = (await findClients(terminal.env)).flatMap((one) => (one.connected ? [one.title] : []));
    const client = await connect();
    const { problems } = (await client.call('server_status', { full: true })).value;
    const { agents } = (await client.call('list_agents', {})).value;
    const { channels } = (await client.call('list_channels', {})).value;
    const sending = channels.filter(({ running }) => running);
    const working = agents.flatMap(({ name, program, hint }) => (program && !hint ? [name] : []));
    const reminders = sending.map(({ name }) => name);
    terminal.answer({ version, servers, reminders, clients: connected, agents: working, problems }, () =>
      [
        `Adjutant ${version}`,
        servers.length === 0
          ? '! Server: not running\n    → adjutant service install keeps it running, adjutant serve --http starts it once'
          : `✓ Server: ${servers.map(({ url }) => url).join(', ')}`,
        sending.length === 0
          ? '! Reminders: nothing is running that sends them\n    → adjutant service install worker keeps it running, adjutant worker starts it once'
          : `✓ Reminders: are sent${sending.length < channels.length ? `, but only by ${sending.map(({ label }) => label).join(', ')}` : ''}`,
        connected.length === 0
          ? '! Clients: none is connected\n    → adjutant install lists those found here'
          : `✓ Clients: ${connected.join(', ')}`,
        working.length === 0
          ? '! Agents: none can work\n    → adjutant agents says why'
          : `✓ Agents: ${working.join(', ')}`,
        problems.length === 0
          ? '✓ Prompts and data: no problems'
          : `! Prompts and data: ${problems.length} problem${problems.length === 1 ? '' : 's'}\n    → adjutant doctor lists them`,
      ].join('\n'),
    );
    return 0;
  },
});

export const versionCommand = single('version', {
  summary: 'Print the version',
  examples: ['version', '--version'],
  async run({ terminal }) {
    terminal.answer({ version }, version);
    return 0;
  },
});
