import { join } from 'node:path';
import { readToken } from '../../transports/token.ts';
import { openInBrowser } from '../terminal/browser.ts';
import type { Command } from '../terminal/command.ts';
import { findServers } from './running-servers.ts';

export const open: Command = {
  name: 'open',
  summary: 'Open the page of the running server, signed in.',
  usage: 'open [--print]',
  flags: { print: { type: 'boolean', description: 'Only print the link; do not start a browser.' } },
  settings: ['home', 'config', 'http.state_dir', 'http.token_file'],
  async run({ config, flags }, terminal) {
    const stateDir = config['http.state_dir'];
    const [server] = await findServers(stateDir);
    if (server === undefined)
      throw new Error(
        'the server is not running; start it with "adjutant serve --http", or keep it running with "adjutant service install"',
      );
    const tokenFile = server.token_file ?? config['http.token_file'] ?? join(stateDir, 'token');
    const page = `${server.url}/#token=${readToken(tokenFile)}`;
    const opened = flags['print'] !== true && (await openInBrowser(page, stateDir, terminal.env));
    terminal.answer({ page, mcp: `${server.url}/mcp`, opened }, page);
    if (opened)
      terminal.hint('The page opens in your browser. The link contains your token: do not share it.\n');
    return 0;
  },
};
