import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '../../src/json.ts';
import { initialize } from '../program.ts';
import { StdioPeer } from '../stdio-peer.ts';
import { differences } from './differences.ts';
import { common, legacyOnly, modernOnly, type Request } from './requests.ts';

const prefix = 'io.modelcontextprotocol/';
const envelope = {
  [`${prefix}protocolVersion`]: '2026-07-28',
  [`${prefix}clientInfo`]: { name: 'test', version: '1' },
  [`${prefix}clientCapabilities`]: { elicitation: {} },
};

describe.for([
  ['2024-11-05', [...common, ...legacyOnly]],
  ['2025-11-25', [...common, ...legacyOnly]],
  ['2026-07-28', [...common, ...modernOnly]],
] as const)('in %s our engine and the official one agree when a client', ([version, requests]) => {
  const modern = version === '2026-07-28';
  let ours: StdioPeer;
  let theirs: StdioPeer;
  beforeAll(async () => {
    ours = new StdioPeer([join(import.meta.dirname, 'our-server.ts')]);
    theirs = new StdioPeer([join(import.meta.dirname, 'sdk-server.ts')]);
    for (const peer of [ours, theirs]) {
      if (modern) await peer.request('tools/list', { _meta: envelope });
      else await peer.request('initialize', initialize(version)['params'] as JsonObject);
    }
  });
  afterAll(async () => {
    await ours[Symbol.asyncDispose]();
    await theirs[Symbol.asyncDispose]();
  });

  async function ask(peer: StdioPeer, { method, params }: Request): Promise<unknown> {
    const before = peer.messages.length;
    const given = isObject(params?.['_meta']) ? params['_meta'] : {};
    const reply = await peer.request(
      method,
      modern ? { ...params, _meta: { ...envelope, ...given } } : params,
    );
    const sent = peer.messages.slice(before).filter((message) => 'method' in message);
    return { ...(sent.length > 0 && { sent }), ...specified(reply) };
  }

  it.for(requests)('$what', async (request) => {
    const both = { ours: await ask(ours, request), theirs: await ask(theirs, request) };
    const difference = differences.find(({ what }) => what.includes(request.what));
    if (difference === undefined) expect(both.ours).toEqual(both.theirs);
    else {
      expect(both, difference.why).toEqual({ ours: difference.ours, theirs: difference.theirs });
      expect(both.ours).not.toEqual(both.theirs);
    }
  });
});

describe('when a client connects', () => {
  it.for(['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '1999-01-01'])(
    'with %s both engines negotiate the same revision and capabilities',
    async (version) => {
      const answers = await Promise.all(
        ['our-server.ts', 'sdk-server.ts'].map(async (file) => {
          await using peer = new StdioPeer([join(import.meta.dirname, file)]);
          const reply = await peer.request('initialize', initialize(version)['params'] as JsonObject);
          return specified(reply);
        }),
      );
      expect(answers[0]).toEqual(answers[1]);
    },
  );

  it('with an unknown revision both engines return the same error', async () => {
    const answers = await Promise.all(
      ['our-server.ts', 'sdk-server.ts'].map(async (file) => {
        await using peer = new StdioPeer([join(import.meta.dirname, file)]);
        const _meta = { ...envelope, [`${prefix}protocolVersion`]: '1900-01-01' };
        const { error } = await peer.request('tools/list', { _meta });
        const { code, data } = error as JsonObject;
        return { code, requested: (data as JsonObject)['requested'] };
      }),
    );
    expect(answers[0]).toEqual({ code: -32022, requested: '1900-01-01' });
    expect(answers[1]).toEqual(answers[0]);
  });
});

/** The parts of a reply that the specification defines, without error messages and optional fields. */
function specified({ result, error }: JsonObject): JsonObject {
  if (isObject(error)) return { code: error['code'] as number };
  const { _meta, requestState, ...rest } = result as JsonObject;
  return { result: JSON.parse(JSON.stringify(rest, withoutExtras)) };
}

function withoutExtras(key: string, value: unknown): unknown {
  switch (key) {
    case 'prompts':
      return Array.isArray(value) ? value.map(({ inputSchema: _, ...prompt }) => prompt) : value;
    case 'contents':
      return (value as JsonObject[]).map(({ hash: _, _meta, ...one }) => one);
    // Only our engine sends an icon of the server.
    case 'icons':
      return undefined;
    // Only our engine supports subscriptions to single resources.
    case 'resources':
      return isObject(value) ? { ...value, subscribe: undefined } : value;
    // Each server chooses the cache lifetime and scope, but must send them.
    case 'ttlMs':
    case 'cacheScope':
      return typeof value;
    case 'isError':
      return value === true ? true : undefined;
    // Error messages of tools may differ.
    case 'content':
      return Array.isArray(value) ? value.map(({ type, text, ...more }) => ({ type, ...more })) : value;
    default:
      return value;
  }
}
