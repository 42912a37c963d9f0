import { defineSettings } from '../setting.ts';

/** Settings for access tokens of an OAuth 2.1 authorization server. */
export const authSettings = defineSettings({
  'auth.issuer': {
    type: 'address',
    schemes: ['https', 'http'],
    description:
      'OAuth authorization server whose access tokens `serve --http` accepts, as its metadata names itself. Default: none.',
  },
  'auth.audience': {
    type: 'address',
    schemes: ['https', 'http'],
    description:
      'Audience that access tokens must have: the address of /mcp as clients use it. Default: the address that the server listens on.',
  },
  'auth.login_scopes': {
    type: 'list',
    default: ['read'],
    description: 'Scopes, as the authorization server calls them, that clients request when they log in.',
  },
  'auth.scopes': {
    type: 'structure',
    schema: {
      type: 'object',
      additionalProperties: { type: 'array', items: { type: 'string', minLength: 1 } },
    },
    description:
      'What each scope of the authorization server allows: a table of lists of our scopes. `{sub}` stands for the claim of that name. Default: our scopes by their own names, except admin.',
  },
  'auth.scope_claim': {
    type: 'string',
    default: 'scope',
    description: 'Claim of the access token that has its scopes, as text or as a list.',
  },
  'auth.client_id': {
    type: 'string',
    description: 'Client id for introspection, which checks access tokens that are not JWTs.',
  },
  'auth.client_secret': { type: 'string', description: 'Client secret for introspection.' },
});
