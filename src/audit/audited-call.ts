import type { Actor } from '../context.ts';
import type { ToolResult } from '../tool.ts';

/** A call that changed something, or that was denied. */
export interface AuditedCall {
  readonly actor: Actor;
  /** Name of the MCP client. */
  readonly client?: string;
  /** Address of a caller without a valid token. */
  readonly address?: string | undefined;
  /** Name of the tool or method. */
  readonly action: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly outcome: 'done' | 'failed' | 'denied';
  readonly reason?: string;
  readonly result?: ToolResult;
}

export interface Audit {
  record(call: AuditedCall): void;
  /** Waits until everything is written. */
  close(): Promise<void>;
}
