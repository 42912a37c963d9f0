import { useState } from 'preact/hooks';
import { McpClient } from './mcp-client.ts';
import { asError } from './server-connection.tsx';

const wrong = 'That is not the token of this server.';

/** The way in for somebody who came without the token, or with a wrong one. */
export function SignIn({ enter }: { enter(token: string): void }) {
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState('');
  const submit = async (event: Event) => {
    event.preventDefault();
    // People paste the whole printed address as often as the token alone.
    const given = token.trim().replace(/^.*#token=/, '');
    // A header can carry no other signs; the browser would say that nobody answers.
    if (!/^[\x21-\x7e]*$/.test(given)) return setProblem(wrong);
    try {
      await new McpClient(given).request('server/discover');
      enter(given);
    } catch (error) {
      setProblem(asError(error).status === 401 ? wrong : asError(error).message);
    }
  };
  return (
    <main class="sign-in">
      <h1>Adjutant</h1>
      <p>
        This page needs the token of the server it came from. The server printed it when it started, at the
        end of the address:
      </p>
      <pre>{location.origin}/#token=…</pre>
      <form onSubmit={submit}>
        <label>
          Token or whole address
          <input
            type="password"
            autocomplete="off"
            required
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary">
          Enter
        </button>
      </form>
      {problem && (
        <p role="alert" class="problem">
          {problem}
        </p>
      )}
      <p class="quiet">
        Lost it? Stop the server and start it again; the token is also in the file <code>token</code> of its
        folder.
      </p>
    </main>
  );
}
