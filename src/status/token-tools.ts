import type { Actor } from '../context.ts';
import { Failure } from '../failure.ts';
import { defineTool, hints } from '../tool.ts';

/** A named token without its secret. */
export interface TokenFacts {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly expires_at?: string;
}

/** The named tokens of a server that accepts them. */
export interface TokenStore {
  list(): readonly TokenFacts[];
  /** Throws if the creator may not give one of the scopes. */
  create(
    creator: Actor,
    request: {
      readonly name: string;
      readonly scopes: readonly string[];
      readonly days?: number | undefined;
    },
  ): { readonly token: string; readonly expires_at?: string };
  revoke(name: string): void;
}

const text = { type: 'string' } as const;

/** Tools that create and revoke tokens for other people and programs. */
export function tokenTools(tokens: TokenStore | undefined) {
  const store = () => {
    if (tokens !== undefined) return tokens;
    throw new Failure(
      'unavailable',
      'Only a server over HTTP accepts tokens. On the command line, use: adjutant tokens create NAME --scope SCOPE',
    );
  };
  return [
    defineTool({
      name: 'create_token',
      toolsets: ['admin'],
      scope: 'admin',
      audience: 'page',
      title: 'Create Token',
      description:
        'Creates a token for another person or program, limited by scopes. Returns the secret, which is shown only now.',
      searchHint: 'access key password share',
      phrases:
        'create make new token access key credential secret password share give grant allow another person program client login scopes permission',
      inputSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'Small letters, digits and hyphens' },
          scopes: {
            type: 'array',
            minItems: 1,
            maxItems: 100,
            items: { type: 'string', maxLength: 200 },
            description:
              'read, prompts:write, calendar:USER, calendar:*, delegate:read-only, delegate:workspace-write, approvals, routines, metrics, admin',
          },
          days: {
            type: 'integer',
            minimum: 1,
            maximum: 3650,
            description: 'Until it expires. Default: never',
          },
        },
        required: ['name', 'scopes'],
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        properties: { name: text, scopes: { type: 'array', items: text }, token: text, expires_at: text },
        required: ['name', 'scopes', 'token'],
      },
      annotations: { ...hints.adds, openWorldHint: true },
      async call({ name, scopes, days }, { actor }) {
        return { structured: { name, scopes, ...store().create(actor, { name, scopes, days }) } };
      },
    }),
    defineTool({
      name: 'revoke_token',
      toolsets: ['admin'],
      scope: 'admin',
      audience: 'page',
      title: 'Revoke Token',
      description: 'Revokes a token at once and ends its connections.',
      searchHint: 'access remove delete',
      phrases:
        'revoke remove delete withdraw end block token access key credential lost stolen person program client lock out',
      inputSchema: {
        type: 'object',
        properties: { name: { type: 'string', description: 'Name of the token' } },
        required: ['name'],
        additionalProperties: false,
      },
      outputSchema: { type: 'object', properties: { revoked: text }, required: ['revoked'] },
      annotations: hints.replaces,
      async call({ name }) {
        store().revoke(name);
        return { structured: { revoked: name } };
      },
    }),
  ];
}
