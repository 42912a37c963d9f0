import { Failure } from '../failure.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { ReplyAccount } from './call.ts';
import { metaKeys } from './envelope.ts';
import { classify, encode, type RequestId, type RequestMessage } from './message.ts';

/** A batch with more messages is refused as a whole. */
export const maxMessages = 1_000;
/** Requests of one batch that are in progress at the same time. */
const concurrency = 16;

export interface BatchOptions {
  /** Once the replies are this long, the remaining requests are refused: a reply can be much longer than its request. */
  readonly maxReplyBytes: number;
  /** The memory that this batch shares with others. If it is full, requests are refused as well. */
  readonly replies: ReplyAccount | undefined;
  answer(value: unknown): Promise<JsonObject | undefined>;
  refuse(failure: Failure, id?: RequestId): JsonObject;
}

/** Starts the messages of a batch in order. Resolves to their replies, if there are any. A request that was carried out always gets its reply. */
export async function answerBatch(
  values: readonly unknown[],
  { maxReplyBytes, replies: account, answer, refuse }: BatchOptions,
): Promise<JsonObject | readonly JsonObject[] | undefined> {
  if (values.length === 0 || values.length > maxMessages)
    return refuse(new Failure('invalid-request', `A batch must hold between 1 and ${maxMessages} messages.`));
  const replies: (JsonObject | undefined)[] = new Array(values.length);
  let next = 0;
  let bytes = 0;
  const work = async () => {
    for (let at = next++; at < values.length; at = next++) {
      const incoming = classify(values[at]);
      const problem = bytes >= maxReplyBytes ? tooMuch(maxReplyBytes) : account?.isFull ? busy() : undefined;
      const reply =
        problem !== undefined && incoming.kind === 'request'
          ? refuse(problem, incoming.request.id)
          : await answer(values[at]);
      replies[at] = reply;
      if (reply === undefined) continue;
      const { length } = encode(reply);
      bytes += length;
      account?.hold(length);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, work));
  } finally {
    account?.hold(-bytes);
  }
  const present = replies.filter((reply) => reply !== undefined);
  return present.length > 0 ? present : undefined;
}

function tooMuch(maxReplyBytes: number): Failure {
  return new Failure(
    'invalid-request',
    `The replies to this batch reached ${maxReplyBytes} bytes (setting max_batch_reply_bytes), so this request was not carried out. Send it again in a smaller batch.`,
  );
}

function busy(): Failure {
  return new Failure(
    'unavailable',
    'The server holds as many replies as it may, so this request was not carried out. Read the replies to other requests, then send it again.',
  );
}

/** Refuses names over the limit: statistics, histories and logs keep them. */
export function checkNames(request: RequestMessage, limit: number): Failure | undefined {
  const long = findLongName(request, limit);
  if (long === undefined) return undefined;
  return new Failure(
    'invalid-request',
    `${long} is longer than ${limit} characters (setting max_name_length).`,
  );
}

function findLongName({ method, params }: RequestMessage, limit: number): string | undefined {
  if (method.length > limit) return 'The method name';
  if (method === 'tools/call' && isTooLong(params['name'], limit)) return 'The tool name';
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  for (const client of [params['clientInfo'], meta[metaKeys.clientInfo]]) {
    if (!isObject(client)) continue;
    if (isTooLong(client['name'], limit)) return 'The client name';
    if (isTooLong(client['version'], limit)) return 'The client version';
  }
  return undefined;
}

function isTooLong(value: unknown, limit: number): boolean {
  return typeof value === 'string' && value.length > limit;
}
