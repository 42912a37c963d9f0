import { expect, it } from 'vitest';
import { modernVersion, standard } from '../contracts/standard.ts';
import type { Feature } from '../feature.ts';
import type { JsonObject } from '../json.ts';
import { defineBareTool } from '../tool.ts';
import { Access } from '../toolsets/access.ts';
import { connectMemory } from '../transports/memory.ts';
import { Server } from './server.ts';

const ask = (message: string) => ({
  method: 'elicitation/create' as const,
  params: { message, requestedSchema: { type: 'object', properties: { text: { type: 'string' } } } },
});
let calls = 0;
const feature: Feature = {
  name: 'interview',
  tools: [
    defineBareTool({
      name: 'interview',
      description: 'Asks two questions.',
      inputSchema: { type: 'object', properties: { subject: { type: 'string' } } },
      async call({ subject }, context) {
        calls++;
        const { first } = await context.ask({ first: ask(`First, ${subject}?`) });
        const { second } = await context.ask({ second: ask('Then?') });
        return { structured: { first, second } };
      },
    }),
  ],
};
const _meta = {
  'io.modelcontextprotocol/protocolVersion': modernVersion,
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};
const answer = (text: string) => ({ action: 'accept', content: { text } });
const params = (more: JsonObject = {}): JsonObject => ({
  name: 'interview',
  arguments: { subject: 'who' },
  _meta,
  ...more,
});
const connect = () => connectMemory(new Server({ contract: standard, features: [feature] }));

it('asks in several rounds and keeps the answers in signed state', async () => {
  const client = connect();
  const first = await client.request('tools/call', params());
  expect(first).toMatchObject({ resultType: 'input_required', inputRequests: { first: {} } });
  const second = await client.request(
    'tools/call',
    params({ inputResponses: { first: answer('me') }, requestState: first['requestState']! }),
  );
  expect(Object.keys(second['inputRequests'] as JsonObject)).toEqual(['second']);
  const last = await client.request(
    'tools/call',
    params({ inputResponses: { second: answer('you') }, requestState: second['requestState']! }),
  );
  expect(last['structuredContent']).toEqual({ first: answer('me'), second: answer('you') });
});

it('rejects forged state before the tool runs', async () => {
  const client = connect();
  const { requestState } = await client.request('tools/call', params());
  const before = calls;
  for (const state of [`${requestState}x`, `x${requestState}`, 'x', '', 7, null]) {
    await expect(client.request('tools/call', params({ requestState: state }))).rejects.toMatchObject({
      code: -32602,
    });
  }
  expect(calls).toBe(before);
});

it('rejects the state of another request', async () => {
  const client = connect();
  const { requestState } = await client.request('tools/call', params());
  await expect(
    client.request('tools/call', params({ requestState: requestState!, arguments: { subject: 'else' } })),
  ).rejects.toMatchObject({ code: -32602 });
});

it('rejects the state of a revoked token with the same name', async () => {
  const server = new Server({ contract: standard, features: [feature] });
  const connectAs = (id: string) => {
    const actor = { name: 'token sam', token: { kind: 'named', id, createdAt: 0 } } as const;
    return connectMemory(server, { access: Access.full.heldBy(actor) });
  };
  const { requestState } = await connectAs('1').request('tools/call', params());
  const answered = params({ inputResponses: { first: answer('me') }, requestState: requestState! });
  await expect(connectAs('2').request('tools/call', answered)).rejects.toMatchObject({ code: -32602 });
  expect(await connectAs('1').request('tools/call', answered)).toHaveProperty('inputRequests.second');
});

it('asks again if an answer is not an object', async () => {
  const client = connect();
  const result = await client.request('tools/call', params({ inputResponses: { first: 7 } }));
  expect(Object.keys(result['inputRequests'] as JsonObject)).toEqual(['first']);
});

it.for([{}, { elicitation: { url: {} } }, { elicitation: true }, { sampling: {} }])(
  'names the capability that a client with %j lacks',
  async (capabilities) => {
    const meta = { ..._meta, 'io.modelcontextprotocol/clientCapabilities': capabilities };
    await expect(connect().request('tools/call', params({ _meta: meta }))).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: {} } },
    });
  },
);

it.for([{}, { form: {} }, { form: {}, url: {} }])(
  'asks a client that declares elicitation as %j',
  async (mode) => {
    const meta = { ..._meta, 'io.modelcontextprotocol/clientCapabilities': { elicitation: mode } };
    const result = await connect().request('tools/call', params({ _meta: meta }));
    expect(result['resultType']).toBe('input_required');
  },
);
