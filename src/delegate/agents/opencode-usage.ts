import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Usage } from '../session/agent-event.ts';

/** The tokens of a session and of the sessions that it has started, from opencode's database. The protocol reports only the last call. */
export async function readOpencodeUsage(userHome: string, sessionId: string): Promise<Usage | undefined> {
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
