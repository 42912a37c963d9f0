import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contender } from './contenders.ts';
import { cpuMicroseconds, startNode } from './process.ts';

const connections = 10;
const accepts = 'application/json, text/event-stream';

/** A running server on HTTP. */
export class HttpServer {
  readonly #child;
  readonly #requests: Contender['requests'];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: connections });
  #address = '';
  #headers: Record<string, string> = { 'content-type': 'application/json', accept: accepts };
  #ids = 0;

  private constructor({ http, requests }: Contender) {
    this.#requests = requests;
    this.#child = startNode(http!.args, http!.env);
    this.#child.stdout!.resume();
  }

  static async start(contender: Contender, tokenFile: string): Promise<HttpServer> {
    const server = new HttpServer(contender);
    await server.#connect(contender.http!.address, tokenFile);
    return server;
  }

  /** CPU time per `tools/call` in microseconds, on ten open connections: in a session, or as requests of 2026-07-28. */
  async measure(calls: number, isModern: boolean): Promise<number> {
    const before = cpuMicroseconds(this.#child.pid!);
    let started = 0;
    const worker = async () => {
      while (started++ < calls) {
        const { text } = await this.#post('tools/call', this.#requests['tools/call'], isModern);
        if (!text.includes('tides')) throw new Error(`unexpected answer: ${text.slice(0, 300)}`);
      }
    };
    await Promise.all(Array.from({ length: connections }, worker));
    return (cpuMicroseconds(this.#child.pid!) - before) / calls;
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }

  async #connect(address: string | undefined, tokenFile: string): Promise<void> {
    let output = '';
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const initialize = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    };
    for (let attempt = 0; ; attempt++) {
      try {
        this.#address = address ?? /http:\S+/.exec(output)![0];
        if (existsSync(tokenFile))
          this.#headers['authorization'] = `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`;
        const { headers } = await this.#post('initialize', initialize);
        const session = headers['mcp-session-id'];
        if (session !== undefined) this.#headers['mcp-session-id'] = String(session);
        this.#headers['mcp-protocol-version'] = '2025-11-25';
        await this.#post('notifications/initialized');
        return;
      } catch (error) {
        if (attempt === 100) throw new Error(`no answer from the server: ${output}`, { cause: error });
        await sleep(100);
      }
    }
  }

  #post(
    method: string,
    params?: object,
    isModern = false,
  ): Promise<{ text: string; headers: Record<string, unknown> }> {
    const isNotification = method.startsWith('notifications/');
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const body = JSON.stringify({
      jsonrpc: '2.0',
      ...(!isNotification && { id: this.#ids++ }),
      method,
      ...(params !== undefined && { params: isModern ? { ...params, _meta: meta } : params }),
    });
    const name = (params as { name?: string } | undefined)?.name;
    const { 'mcp-session-id': session, ...own } = this.#headers;
    const headers = {
      ...own,
      'content-length': Buffer.byteLength(body),
      ...(session !== undefined && !isModern && { 'mcp-session-id': session }),
      ...(isModern && {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(name !== undefined && { 'mcp-name': name }),
      }),
    };
    return new Promise((resolve, reject) => {
      const sent = request(this.#address, { method: 'POST', agent: this.#agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () =>
          response.statusCode! < 300
            ? resolve({ text, headers: response.headers })
            : reject(new Error(`${method}: ${response.statusCode} ${text}`)),
        );
        response.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}
