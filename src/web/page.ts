import type { ServerResponse } from 'node:http';

/** Serves the page. It holds no data: what it shows it asks for at /mcp, with the token from its address. */
export function servePage(path: string, response: ServerResponse): void {
  if (path !== '/') {
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('Not found\n');
    return;
  }
  response
    .writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    })
    .end(landing);
}

const landing = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Adjutant</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
  code, pre { font-family: ui-monospace, monospace; }
  li { margin: .3rem 0; }
  #state { font-weight: 600; }
</style>
<h1>Adjutant</h1>
<p id="state">Asking the server…</p>
<ul id="prompts"></ul>
<p>Add this server to a client with the address <code id="address"></code> and the header <code>Authorization: Bearer …</code>.</p>
<script>
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given) { sessionStorage.setItem('token', given); history.replaceState(null, '', '/'); }
  const token = sessionStorage.getItem('token');
  const show = (id, text) => { document.getElementById(id).textContent = text; };
  show('address', location.origin + '/mcp');
  const ask = async (method) => {
    const response = await fetch('/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: 'Bearer ' + token },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }),
    });
    const reply = await response.json();
    if (reply.error) throw new Error(reply.error.message);
    return reply.result;
  };
  const begin = async () => {
    if (!token) throw new Error('Open the address that the server printed at its start: it carries the token.');
    const { prompts } = await ask('prompts/list');
    show('state', prompts.length === 0 ? 'The server is running. There are no prompts yet.' : 'The server is running. Its prompts:');
    for (const prompt of prompts) {
      const item = document.createElement('li');
      item.textContent = prompt.name + (prompt.description ? ': ' + prompt.description : '');
      document.getElementById('prompts').append(item);
    }
  };
  begin().catch((error) => show('state', error.message));
</script>
</html>
`;
