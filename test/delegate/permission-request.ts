import { join } from 'node:path';
import type { JsonObject } from '../../src/json.ts';
import type { Turn } from '../model/turn.ts';
import type { Workbench } from './workbench.ts';

/** A file that Codex can create only with permission. */
export const outsideFile = ({ folder }: Workbench, name: string): string => join(folder, name);

/** Codex asks for permission to create that file. */
export const escalatedTurn = (bench: Workbench, name: string): Turn => ({
  tool: 'exec_command',
  arguments: {
    cmd: `touch ${outsideFile(bench, name)}`,
    sandbox_permissions: 'require_escalated',
    justification: 'test',
  },
});

/** The `_meta` of a client of revision 2026-07-28 that shows forms. */
export const formClientMeta = (extensions: JsonObject = {}): JsonObject => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} }, extensions },
});

/** The answer of a person who fills in the form. */
export const allowOnce = { action: 'accept', content: { decision: 'allow_once' } };
