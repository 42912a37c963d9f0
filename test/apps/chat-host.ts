import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type Browser, openBrowser, type Page } from '../page/browser.ts';
import type { StdioPeer } from '../stdio-peer.ts';

/** The policy of a view whose server asks for no other, inherited by the inner frame. */
const strictPolicy =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; frame-src 'self'";

/** The functions of host-page.js. */
interface ChatPage {
  receiveFromServer(text: string): void;
  show(call: object): Promise<void>;
}

export interface Shown {
  readonly tool: string;
  readonly args: object;
  readonly theme?: 'light' | 'dark';
  /** What else the chat tells the view about itself. */
  readonly host?: object;
  /** Width of the view in pixels. */
  readonly width?: number;
  /** False to return while the call is still in progress. */
  readonly waitsForResult?: boolean;
}

/** A chat in a real browser that shows the views of a server on stdio. */
export class ChatHost implements AsyncDisposable {
  readonly #browser: Browser;
  readonly #servers: readonly Server[];
  readonly #addresses: readonly string[];

  private constructor(browser: Browser, servers: readonly Server[]) {
    this.#browser = browser;
    this.#servers = servers;
    const port = (server: Server) => (server.address() as AddressInfo).port;
    // Two host names are two origins, as hosts require for views.
    this.#addresses = [`http://127.0.0.1:${port(servers[0]!)}/`, `http://localhost:${port(servers[1]!)}/`];
  }

  static async open(): Promise<ChatHost> {
    const { outputFiles } = await build({
      entryPoints: [join(import.meta.dirname, 'host-page.js')],
      bundle: true,
      format: 'iife',
      write: false,
      nodePaths: [join(import.meta.dirname, '../components/node_modules')],
      logLevel: 'error',
    });
    const page = `<!doctype html><body><script>${outputFiles[0]!.text.replaceAll('</script', '<\\/script')}</script></body>`;
    const proxy = readFileSync(join(import.meta.dirname, 'proxy.html'), 'utf8');
    return new ChatHost(
      await openBrowser(),
      await Promise.all([serve(page), serve(proxy, { 'content-security-policy': strictPolicy })]),
    );
  }

  /** Calls a tool of the server and shows its view. Resolves to the chat, once the view has the call. */
  async show(server: StdioPeer, shown: Shown): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: { width: 800, height: 700 } });
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    await page.exposeFunction('sendToServer', (text: string) => server.write(`${text}\n`));
    await page.goto(this.#addresses[0]!);
    let next = server.messages.length;
    const forward = async () => {
      while (!page.isClosed()) {
        const message = await server.until((one) => server.messages.indexOf(one) >= next);
        next = server.messages.indexOf(message) + 1;
        await page.evaluate(
          (text: string) => (globalThis as unknown as ChatPage).receiveFromServer(text),
          JSON.stringify(message),
        );
      }
    };
    void forward().catch(() => {});
    await page.evaluate((call: object) => (globalThis as unknown as ChatPage).show(call), {
      waitsForResult: true,
      ...shown,
      proxy: this.#addresses[1],
    });
    return page;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    for (const server of this.#servers) server.close();
  }
}

function serve(html: string, headers: Readonly<Record<string, string>> = {}): Promise<Server> {
  const server = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(html),
  );
  return new Promise((resolve) => server.listen(0, () => resolve(server)));
}
