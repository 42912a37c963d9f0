import { isOwner } from '../context.ts';
import { Denied, Failure } from '../failure.ts';
import { defineTool, hints } from '../tool.ts';

/** A client program that is installed on the machine of the server. */
interface FoundClient {
  readonly id: string;
  readonly title: string;
  readonly connected: boolean;
  /** The command that connects it, as it works on this machine. */
  readonly command: string;
}

/** Connects the clients of this machine, for a server that only this machine can reach. */
export interface ClientConnections {
  find(): Promise<readonly FoundClient[]>;
  /** Shows the change of the client's configuration file, and makes it unless `isDryRun` is set. */
  connect(
    id: string,
    isDryRun: boolean,
  ): Promise<{ readonly file: string; readonly changed: boolean; readonly difference: string }>;
}

const text = { type: 'string' } as const;

/** Tools with which the page connects clients. */
export function clientTools(connections: ClientConnections | undefined) {
  const available = () => {
    if (connections !== undefined) return connections;
    throw new Failure(
      'unavailable',
      'Clients can be connected on the page of a server that only this machine can reach. In a terminal, use: adjutant install',
    );
  };
  return [
    defineTool({
      name: 'find_clients',
      toolsets: ['admin'],
      scope: 'admin',
      audience: 'page',
      title: 'Find Clients',
      description: 'Lists the client programs that are installed on the machine of this server.',
      phrases: 'which clients programs are installed found connect Claude Code Codex Cursor here',
      inputSchema: { type: 'object', properties: {}, additionalProperties: false },
      outputSchema: {
        type: 'object',
        properties: {
          clients: {
            type: 'array',
            items: {
              type: 'object',
              properties: { id: text, title: text, connected: { type: 'boolean' }, command: text },
              required: ['id', 'title', 'connected', 'command'],
            },
          },
        },
        required: ['clients'],
      },
      annotations: hints.reads,
      async call() {
        return { structured: { clients: [...(await available().find())] } };
      },
    }),
    defineTool({
      name: 'connect_client',
      toolsets: ['admin'],
      scope: 'admin',
      audience: 'page',
      title: 'Connect Client',
      description:
        'Adds this server to the configuration of a client program on its machine. Returns the changed lines. For the owner only.',
      phrases: 'connect install add set up client Claude Code Codex Cursor configure this server in',
      inputSchema: {
        type: 'object',
        properties: {
          client: { type: 'string', maxLength: 40, description: 'The id from find_clients' },
          dry_run: { type: 'boolean', default: false, description: 'Only show the change' },
        },
        required: ['client'],
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        properties: { file: text, changed: { type: 'boolean' }, difference: text },
        required: ['file', 'changed', 'difference'],
      },
      annotations: { ...hints.sets, openWorldHint: true },
      async call({ client, dry_run = false }, { actor }) {
        if (!isOwner(actor))
          throw new Denied('refused', 'Only the owner of this server can connect clients.');
        return { structured: await available().connect(client, dry_run) };
      },
    }),
  ];
}
