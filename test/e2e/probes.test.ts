import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NamedTokens } from '../../src/identity/named-tokens.ts';
import { httpClient } from '../identity/http-client.ts';
import { Program } from '../program.ts';

interface Readiness {
  readonly status: string;
  readonly checks?: readonly { readonly title: string; readonly state: string }[];
}

/** `fetch` does not send a Host of our choice. */
function get(url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') {
  return new Promise<{ readonly status: number | undefined; readonly body: string }>((resolve, reject) => {
    request(url, { headers, method }, async (response) => {
      let body = '';
      for await (const chunk of response) body += chunk;
      resolve({ status: response.statusCode, body });
    })
      .on('error', reject)
      .end();
  });
}

describe('probes', () => {
  let server: Program;
  let url: string;
  let authorization: string;

  beforeAll(async () => {
    server = new Program([
      ...['serve', '--http', '--port', '0', '--set', 'http.requests_per_second=1'],
      ...['--log-format', 'json', '--log-level', 'debug'],
    ]);
    const { url: address, token } = await server.listening();
    url = address;
    authorization = `Bearer ${token}`;
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('/livez and /readyz without a token › give only the status, to any host name', async () => {
    const headers = { host: '10.1.2.3:7323' };
    expect(await get(`${url}/livez`, headers)).toEqual({ status: 200, body: '{"status":"alive"}' });
    const { status, body } = await get(`${url}/readyz`, headers);
    expect([status, Object.keys(JSON.parse(body))]).toEqual([200, ['status']]);
  });

  it('/readyz with the token of the owner › lists the checks', async () => {
    const { body } = await get(`${url}/readyz`, { authorization });
    const { checks } = JSON.parse(body) as Readiness;
    expect(checks?.map(({ title }) => title)).toEqual(expect.arrayContaining(['Database', 'Disk']));
  });

  it('/readyz with a token › checks host and origin as elsewhere', async () => {
    expect(await get(`${url}/readyz`, { authorization, host: 'evil.example' })).toMatchObject({
      status: 403,
    });
    expect(await get(`${url}/readyz`, { authorization, origin: 'https://evil.example' })).toMatchObject({
      status: 403,
    });
  });

  it('/metrics › needs a token with the scope metrics, and has numbers of every part', async () => {
    const tokens = new NamedTokens(server.home);
    const as = (token: string) => get(`${url}/metrics`, { authorization: `Bearer ${token}` });
    expect(await get(`${url}/metrics`)).toMatchObject({ status: 401 });
    expect(await as(tokens.create('reader', ['read']))).toMatchObject({ status: 403 });
    const client = httpClient(url, authorization.slice(7));
    await client.modern()('tools/call', { name: 'list_prompts', arguments: {} });
    await client.modern()('tools/call', { name: 'get_user', arguments: { user_id: 'a"b\n' } });
    const reminder = { text: 'call mum', when: 'tomorrow 18:00' };
    await client.modern()('tools/call', { name: 'remind', arguments: reminder });
    const { status, body } = await as(tokens.create('prometheus', ['metrics']));
    expect(status).toBe(200);
    for (const line of [
      /^adjutant_requests_total\{method="tools\/call",outcome="done"\} [1-9]/m,
      /^adjutant_tool_calls_total\{tool="list_prompts",outcome="done"\} 1$/m,
      /^adjutant_tool_calls_total\{tool="get_user",outcome="failed"\} 1$/m,
      /^adjutant_tool_calls_seconds_total\{tool="list_prompts"\} 0\.\d+$/m,
      /^adjutant_runs_open\{state="waiting"\} 0$/m,
      /^adjutant_notifications_due 0$/m,
      /^adjutant_memory_bytes \d{7,}$/m,
      /^# TYPE adjutant_cpu_seconds_total counter$/m,
    ])
      expect(body).toMatch(line);
    // Every line is valid, and no metric is described twice.
    expect(body).toMatch(
      /^(?:(?:# (?:HELP|TYPE) .+|[a-z_]+(?:\{[a-z]+="[^"\n]*"(?:,[a-z]+="[^"\n]*")*\})? [\d.e+-]+)\n)+$/,
    );
    const described = [...body.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(new Set(described).size).toBe(described.length);
  });

  it('the log in JSON › has the id of the request and who sent it, as the reply does', async () => {
    const named = await fetch(`${url}/readyz`, {
      headers: { authorization, 'x-request-id': 'from-proxy.1' },
    });
    expect(named.headers.get('x-request-id')).toBe('from-proxy.1');
    const invented = await fetch(`${url}/livez`, { headers: { 'x-request-id': 'a b {"x"}' } });
    const id = invented.headers.get('x-request-id');
    expect(id).toMatch(/^[\da-f-]{36}$/);
    const lines = () =>
      server.stderr.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
    await expect
      .poll(lines)
      .toContainEqual(expect.objectContaining({ level: 'debug', request: 'from-proxy.1', actor: 'owner' }));
    await expect
      .poll(lines)
      .toContainEqual(
        expect.objectContaining({ request: id, message: expect.stringMatching(/^GET \/livez 200 \d+ ms$/) }),
      );
  });

  it('a method other than GET and HEAD › is refused', async () => {
    expect(await get(`${url}/readyz`, {}, 'POST')).toMatchObject({ status: 405 });
    expect(await get(`${url}/livez`, {}, 'HEAD')).toEqual({ status: 200, body: '' });
  });

  it('wrong tokens › are refused, recorded and limited as elsewhere; probes without one still get answers', async () => {
    const statuses: (number | undefined)[] = [];
    for (let count = 0; count < 200 && !statuses.includes(429); count++)
      statuses.push((await get(`${url}/readyz`, { authorization: 'Bearer wrong-wrong-wrong' })).status);
    expect(statuses[0]).toBe(401);
    expect(statuses).toContain(429);
    expect(await get(`${url}/readyz`)).toMatchObject({ status: 200 });
  });
});
