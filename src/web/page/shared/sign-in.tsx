import { useState } from 'preact/hooks';
import { HttpClient } from './mcp-client.ts';
import { asError } from './server-connection.tsx';

const invalidToken = 'This token is not valid for this server.';

/** Asks for the token when it is missing or invalid. */
export function SignIn({ signIn }: { signIn(token: string): void }) {
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState('');
  const submit = async (event: Event) => {
    event.preventDefault();
    // Accept the full address that the server prints as well as the token alone.
    const cleaned = token.trim().replace(/^.*#token=/, '');
    // Other characters cannot be sent in a header: fetch would fail as if the server were not responding.
    if (!/^[\x21-\x7e]*$/.test(cleaned)) return setProblem(invalidToken);
    try {
      await new HttpClient(cleaned).request('server/discover');
      signIn(cleaned);
    } catch (error) {
      setProblem(asError(error).status === 401 ? invalidToken : asError(error).message);
    }
  };
  return (
    <main class="sign-in">
      <h1>Adjutant</h1>
      <p>
        This page needs the token of its server. Run <code>adjutant open</code> on the machine of the server.
        It opens the page with the token at the end of the address:
      </p>
      <pre>{location.origin}/#token=…</pre>
      <form onSubmit={submit}>
        <label>
          Token or full address
          <input
            type="password"
            autocomplete="off"
            required
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary">
          Sign in
        </button>
      </form>
      {problem && (
        <p role="alert" class="problem">
          {problem}
        </p>
      )}
      <p class="quiet">
        The token is also in the file <code>token</code> of the server's state folder.
      </p>
    </main>
  );
}
