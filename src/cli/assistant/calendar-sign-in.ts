import { resolve } from 'node:path';
import { signInWithBrowser } from '../../assistant/calendar/browser-sign-in.ts';
import { openInBrowser } from '../background/open.ts';
import { numberFlag, textFlag, type Use } from '../terminal/command.ts';

/** A person needs some minutes to sign in. */
const maxMs = 15 * 60_000;

/** Lets the person sign in with a browser. Resolves to the address of the calendar server. */
export async function signIn({ config, flags, words, terminal }: Use): Promise<string> {
  const client = textFlag(flags, 'client');
  return signInWithBrowser({
    databaseUrl: config['assistant.database_url'],
    privateHosts: config['calendars.private_hosts'],
    account: words[0]!,
    clientFile: client && resolve(client),
    server: textFlag(flags, 'server'),
    scope: textFlag(flags, 'scope'),
    port: numberFlag(flags, 'port'),
    signal: AbortSignal.timeout(maxMs),
    async show(url) {
      const opened = await openInBrowser(url, config['http.state_dir'], terminal.env);
      terminal.note(
        `${opened ? 'Your browser opens. Otherwise open' : 'Open'} this address:\n\n  ${url}\n\n`,
      );
      if (!opened)
        terminal.hint(
          'The browser must run on this machine. From another one, forward a port first (ssh -L 8085:127.0.0.1:8085) and add --port 8085.\n',
        );
    },
  });
}
