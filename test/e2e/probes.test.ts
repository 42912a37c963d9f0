import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
    server = new Program(['serve', '--http', '--port', '0', '--set', 'http.requests_per_second=1']);
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
