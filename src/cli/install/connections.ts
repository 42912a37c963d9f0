import { findPlaces, type LoadedConfig } from '../../config.ts';
import { Failure } from '../../failure.ts';
import type { ClientConnections } from '../../status/client-tools.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { clients } from './clients.ts';
import { commandHere, findClients, plannedConnection, stdioEntry, textDifference } from './install.ts';
import { ManagedFile } from './managed-file.ts';

/** What `adjutant install` does, for the page. */
export function clientConnections(loaded: LoadedConfig, terminal: Terminal): ClientConnections {
  return {
    async find() {
      const command = await commandHere(terminal.env);
      return (await findClients(terminal.env))
        .filter(({ installed }) => installed)
        .map(({ id, title, connected }) => ({ id, title, connected, command: `${command} install ${id}` }));
    },
    async connect(id, isDryRun) {
      const client = clients.find((one) => one.id === id);
      if (client === undefined) throw new Failure('invalid-params', `There is no client "${id}".`);
      try {
        const file = new ManagedFile(client.file(findPlaces(terminal.env), process.platform));
        const { after, write } = await plannedConnection(
          client,
          file,
          await stdioEntry(loaded, terminal, client),
        );
        const before = file.text ?? '';
        const changed = after !== before;
        if (changed) file.assertWritable();
        if (changed && !isDryRun) write();
        return { file: file.path, changed, difference: await textDifference(before, after) };
      } catch (error) {
        throw new Failure(
          'unavailable',
          `${client.title} could not be connected: ${(error as Error).message}`,
          {
            cause: error,
          },
        );
      }
    },
  };
}
