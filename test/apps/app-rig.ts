import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../src/json.ts';
import type { Frame, Page } from '../page/browser.ts';
import { violationsIn } from '../page/page-server.ts';
import { bundle, initialize } from '../program.ts';
import { StdioPeer } from '../stdio-peer.ts';
import { ChatHost, type Shown } from './chat-host.ts';

export interface ShownApp {
  /** The chat, and the view inside it. */
  readonly page: Page;
  readonly view: Frame;
}

/** A home folder, the servers that use it, and a chat that shows their views. */
export class AppRig implements AsyncDisposable {
  readonly home = mkdtempSync(join(tmpdir(), 'adjutant-apps-'));
  readonly #host: ChatHost;
  readonly #env: Readonly<Record<string, string>>;
  readonly #servers: StdioPeer[] = [];

  private constructor(host: ChatHost, env: Readonly<Record<string, string>>) {
    this.#host = host;
    // Codex runs no commands in a sandbox if its home is below the temporary folder.
    const temporary = join(this.home, 'tmp');
    mkdirSync(temporary);
    this.#env = { TMPDIR: temporary, ...env };
  }

  static async open(env: Readonly<Record<string, string>> = {}): Promise<AppRig> {
    return new AppRig(await ChatHost.open(), env);
  }

  start(...flags: readonly string[]): StdioPeer {
    const server = new StdioPeer([bundle, 'serve', '--home', this.home, ...flags], {
      env: { ...process.env, HOME: this.home, ...this.#env },
    });
    this.#servers.push(server);
    return server;
  }

  /** Starts a server for another client, which shares the data, and returns a function that calls its tools. */
  async otherClient() {
    const server = this.start('--toolsets', 'all');
    await server.request('initialize', initialize()['params'] as JsonObject);
    return async <Result = JsonObject>(name: string, args: object): Promise<Result> => {
      const { result } = await server.request('tools/call', { name, arguments: args });
      return (result as { structuredContent: Result }).structuredContent;
    };
  }

  /** Starts a server, calls a tool and shows its view. Without flags, the server lists the default tools only. */
  async show(shown: Shown, ...flags: readonly string[]): Promise<ShownApp> {
    const page = await this.#host.show(this.start(...flags), shown);
    return { page, view: page.frameLocator('iframe').frameLocator('iframe') };
  }

  addCommand(name: string, text: string): void {
    mkdirSync(join(this.home, 'commands'), { recursive: true });
    writeFileSync(join(this.home, 'commands', `${name}.md`), text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#host[Symbol.asyncDispose]();
    await Promise.all(this.#servers.map((server) => server[Symbol.asyncDispose]()));
    rmSync(this.home, { recursive: true, force: true, maxRetries: 20 });
  }
}

/** What is wrong with the look of a view: content wider or higher than its frame, and accessibility problems. */
export async function findings({ view }: ShownApp): Promise<readonly string[]> {
  const root = view.locator('html');
  const wide = await root.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
  return [...(wide ? ['wider than the frame'] : []), ...(await violationsIn(root))];
}

/** The heights of the content of a view and of its frame. */
export function heights({ view }: ShownApp): Promise<readonly number[]> {
  return view
    .locator('html')
    .evaluate('[Math.ceil(document.documentElement.getBoundingClientRect().height), innerHeight]');
}

/** Opens the whole view, of which the chat shows a card first. */
export const expand = ({ view }: ShownApp) => view.getByRole('button', { name: 'Show more' }).click();

/** Whether the card of a view is fully visible at once: no wider and no higher than the frame of a chat at first. */
export async function fitsAtOnce(app: ShownApp): Promise<boolean> {
  const [content] = await heights(app);
  return content! <= 600 && (await findings(app)).length === 0;
}
