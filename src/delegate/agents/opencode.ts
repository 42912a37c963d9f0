import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type AcpDefinition, providerKeys } from './acp-definition.ts';
import type { Usage } from './protocols/agent-event.ts';

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
  state: [
    { folder: '.local/share/opencode', sessions: 'all' },
    // Programs and git repositories that the next start of opencode would run are not kept.
    ...['bin', 'snapshot', 'worktree', 'repos'].map((name) => ({
      folder: `.local/share/opencode/${name}`,
      sessions: [],
    })),
    { folder: '.local/state/opencode', sessions: [] },
    { folder: '.config/opencode', sessions: [] },
    { folder: '.cache/opencode', sessions: [] },
  ],
  settings: '.config/opencode/opencode.json',
  credentials: {
    files: ['.local/share/opencode/auth.json'],
    variables: ['OPENCODE_API_KEY'],
    uses: [...providerKeys, 'OPENCODE_*'],
    isComplete: false,
    signIn: 'run "opencode auth login"',
  },
};

/** The tokens of a session and of the sessions that it has started, from opencode's database. The protocol reports only the last call. */
async function readUsage(userHome: string, sessionId: string): Promise<Usage | undefined> {
  const file = join(userHome, '.local', 'share', 'opencode', 'opencode.db');
  if (!existsSync(file)) return undefined;
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(file, { readOnly: true, timeout: 1_000 });
  try {
    const row = database
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
  } finally {
    database.close();
  }
}
