import type { JsonObject } from '../../json.ts';

/** What the run host needs to open a session. Sent as JSON. */
export interface AcpOptions extends JsonObject {
  /** Name used in messages to the user. */
  readonly label: string;
  readonly cwd: string;
  /** The session to continue. */
  readonly threadId?: string;
  readonly isFork: boolean;
  readonly canFork: boolean;
  readonly mcpServers: readonly JsonObject[];
  /** The file into which the tool `finish` writes the answer. */
  readonly answerFile: string;
  /** A part of the name of that tool, by which a request for permission to call it is recognized. */
  readonly finishTool: string;
  /** Tells the model how to answer. */
  readonly finishHint: string;
  readonly approvals: 'never' | 'ask';
  /** False if the tokens in the replies of the agent are incomplete. */
  readonly countsTokens: boolean;
  /** The mode in which the agent asks for permission. */
  readonly mode?: string;
  /** The request with which the agent fetches messages in the middle of a turn. Absent if it has none. */
  readonly steering?: string;
  /** Values for the options of the session, by category: `model`, `thought_level`. */
  readonly settings: Readonly<Record<string, string>>;
}
