import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { greeting, Program } from '../program.ts';
import { type AuthorizationServer, introspector, startAuthorizationServer } from './authorization-server.ts';

export interface OAuthProgram extends AsyncDisposable {
  readonly server: AuthorizationServer;
  readonly program: Program;
  /** Without a path. */
  readonly url: string;
}

/** Starts an authorization server, and the built program that accepts its tokens. */
export async function startOAuthProgram(
  loginScopes = ['read'],
  redirectUrl?: string,
  nodeFlags: readonly string[] = [],
  /** Further lines of the table `[auth]`. */
  settingsText = '',
  proxy?: Parameters<typeof startAuthorizationServer>[1],
): Promise<OAuthProgram> {
  const server = await startAuthorizationServer(redirectUrl, proxy);
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-oauth-'));
  const settings = join(folder, 'adjutant.toml');
  writeFileSync(
    settings,
    `[auth]
issuer = "${server.issuer}"
login_scopes = ${JSON.stringify(loginScopes)}
client_id = "${introspector.id}"
client_secret = "${introspector.secret}"
${settingsText}
`,
  );
  const args = ['serve', '--http', '--port', '0', '--config', settings];
  const program = new Program(args, { commands: greeting, nodeFlags });
  const url = (await program.untilStderr(/MCP: +(\S+)\/mcp/))[1]!;
  server.audience = `${url}/mcp`;
  return {
    server,
    program,
    url,
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
