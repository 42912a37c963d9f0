import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { log } from '../../log.ts';
import { xml } from '../../message-page.ts';
import { findServers } from '../../running-servers.ts';
import { readToken } from '../../transports/token.ts';
import { single, toggle } from '../terminal/command.ts';

export const open = single('open', {
  summary: 'Open the page of the running server, signed in',
  flags: { print: toggle('Only print the link; do not start a browser') },
  examples: ['open', 'open --print'],
  async run({ config, flags, terminal }) {
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
});

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Opens a link in the user's browser. Other users can see the arguments of a program, so the browser gets a private file that
 * forwards to the link. Returns false if there is no display or no browser.
 */
export async function openInBrowser(link: string, folder: string, env: Environment): Promise<boolean> {
  const launcher = launcherOf(env);
  if (launcher === undefined) return false;
  const [program, ...args] = launcher;
  const file = join(folder, 'open.html');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${xml(link)}">\n`, {
      mode: 0o600,
    });
  } catch (error) {
    log('warning', `could not open the browser, because ${file} could not be written`, error);
    return false;
  }
  return new Promise((resolve) => {
    const child = spawn(program, [...args, pathToFileURL(file).href], {
      detached: true,
      stdio: 'ignore',
      env,
    });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

function launcherOf(env: Environment): readonly [string, ...string[]] | undefined {
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open'] : undefined;
}
