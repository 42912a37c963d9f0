import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { type AcpDefinition, providerKeys } from './acp-definition.ts';
import type { Usage } from './protocols/agent-event.ts';

const runFolder = '.local/share/opencode/adjutant';
const database = 'opencode.db';

const asksFor = JSON.stringify({ edit: 'ask', bash: 'ask', webfetch: 'ask' });

export const opencode: AcpDefinition = {
  name: 'opencode',
  label: 'opencode',
  testedVersion: '1.18.33',
  command: 'opencode',
  installHint: 'install it with "npm install -g opencode-ai".',
  args: () => ['acp'],
  env: ({ approvals }) => ({
    OPENCODE_DISABLE_PROJECT_CONFIG: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    ...(approvals === 'ask' && { OPENCODE_PERMISSION: asksFor }),
  }),
  takesModel: false,
  threadTotal: readUsage,
  canFork: true,
  canResume: true,
  repositorySettings: ['.opencode', 'opencode.json', 'opencode.jsonc'],
  // Programs, accounts and permissions that the next start of opencode would use are not kept.
  state: [
    { folder: '.local/share/opencode', sessions: [] },
    { folder: '.local/state/opencode', sessions: [] },
    { folder: '.config/opencode', sessions: [] },
    { folder: '.cache/opencode', sessions: [] },
  ],
  // Its database also has accounts, from whose addresses opencode takes settings, and permissions.
  ownState: { folder: runFolder, env: (place) => ({ OPENCODE_DB: join(place, database) }) },
  signIn: { file: '.local/share/opencode/auth.json', fields: ['access', 'refresh', 'expires'] },
  settings: '.config/opencode/opencode.json',
  credentials: {
    files: ['.local/share/opencode/auth.json'],
    variables: ['OPENCODE_API_KEY'],
    uses: [...providerKeys, 'OPENCODE_*'],
    isComplete: false,
    signIn: 'run "opencode auth login"',
  },
};

/** The tokens of a session and of the sessions that it has started. The protocol reports only the last call. */
async function readUsage(userHome: string, sessionId: string): Promise<Usage | undefined> {
  const runs = join(userHome, runFolder);
  for (const workspace of await disk.readdir(runs).catch(() => [])) {
    const usage = await usageIn(join(runs, workspace, database), sessionId);
    if (usage !== undefined) return usage;
  }
  return undefined;
}

async function usageIn(file: string, sessionId: string): Promise<Usage | undefined> {
  // An agent can put anything in the place of these files. SQLite would wait for a named pipe forever, and follow a link.
  for (const path of ['', '-wal', '-journal'].map((suffix) => file + suffix)) {
    const stat = await disk.lstat(path).catch(() => undefined);
    if (path === file ? !stat?.isFile() : stat?.isFile() === false) return undefined;
  }
  const { DatabaseSync } = await import('node:sqlite');
  const sessions = new DatabaseSync(file, { readOnly: true, timeout: 1_000 });
  try {
    const row = sessions
      .prepare(
        `SELECT count(*) AS sessions, sum(tokens_input) AS input, sum(tokens_cache_read) AS cached,
           sum(tokens_output) AS output, sum(tokens_reasoning) AS reasoning
         FROM session WHERE id = ? OR parent_id = ?`,
      )
      .get(sessionId, sessionId);
    if (!row || Number(row['sessions']) === 0) return undefined;
    return {
      // opencode counts cached tokens separately; `input_tokens` of a tool result includes them.
      input_tokens: Number(row['input']) + Number(row['cached']),
      cached_input_tokens: Number(row['cached']),
      output_tokens: Number(row['output']),
      reasoning_output_tokens: Number(row['reasoning']),
    };
  } catch {
    // Another version of opencode, or a file that is no database.
    return undefined;
  } finally {
    sessions.close();
  }
}
