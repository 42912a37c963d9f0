import { modernVersion } from '../contracts/standard.ts';
import { Failure } from '../failure.ts';
import {
  type AskCapability,
  type AskRequest,
  type Client,
  type Context,
  type ProtocolLogLevel,
  protocolLogLevels,
} from '../feature.ts';
import { isObject, type JsonObject } from '../json.ts';
import { notification, type RequestMessage } from './message.ts';
import { metaKeys } from './modern.ts';
import type { Seal } from './seal.ts';
import type { Session } from './session.ts';

type Answers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const capabilityOf: Readonly<Record<AskRequest['method'], AskCapability>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

/** Methods whose result may be a question, in the revision that asks by results. */
const askable = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** The parameters of the method itself, without what every request may carry. */
export function ownParams({ method, params }: RequestMessage): RequestMessage['params'] {
  const { _meta, ...own } = params;
  if (!askable.has(method)) return own;
  const { inputResponses, requestState, ...asked } = own;
  return asked;
}

/** Thrown through the handler when the client has to be asked and tried again. */
export class InputRequired {
  readonly #requests: Readonly<Record<string, AskRequest>>;
  readonly #answers: Answers;
  readonly #binding: unknown;

  constructor(requests: Readonly<Record<string, AskRequest>>, answers: Answers, binding: unknown) {
    this.#requests = requests;
    this.#answers = answers;
    this.#binding = binding;
  }

  result(seal: Seal): JsonObject {
    return {
      resultType: 'input_required',
      inputRequests: this.#requests as unknown as JsonObject,
      requestState: seal.close(this.#answers, this.#binding),
    };
  }
}

/** What one handler may do while it works, on either side of the protocol's change of mind about asking. */
export class RequestContext implements Context {
  readonly signal: AbortSignal;
  readonly client: Client;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly #session: Session;
  readonly #request: RequestMessage;
  readonly #modern: boolean;
  #lastProgress = Number.NEGATIVE_INFINITY;
  #answers: Answers = {};

  constructor(session: Session, request: RequestMessage, client: Client, signal: AbortSignal) {
    this.#session = session;
    this.#request = request;
    this.client = client;
    this.signal = signal;
    this.meta = isObject(request.params['_meta']) ? request.params['_meta'] : {};
    this.#modern = client.protocolVersion === modernVersion;
  }

  progress(progress: number, total?: number, message?: string): void {
    const progressToken = this.meta['progressToken'];
    if (
      (typeof progressToken !== 'string' && typeof progressToken !== 'number') ||
      progress <= this.#lastProgress
    )
      return;
    this.#lastProgress = progress;
    this.#notify('notifications/progress', {
      progressToken,
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    });
  }

  log(level: ProtocolLogLevel, data: unknown, logger?: string): void {
    if (!('logging' in this.#session.server.capabilities)) return;
    const threshold = this.#modern ? this.meta[metaKeys.logLevel] : this.#session.logLevel;
    const least = protocolLogLevels.indexOf(threshold as ProtocolLogLevel);
    if (least < 0 || protocolLogLevels.indexOf(level) < least) return;
    this.#notify('notifications/message', {
      level,
      ...(logger !== undefined && { logger }),
      data: data as JsonObject,
    });
  }

  can(capability: AskCapability): boolean {
    const reachable = this.#modern ? askable.has(this.#request.method) : this.#session.canAsk;
    const declared = this.client.capabilities[capability];
    if (!reachable || !isObject(declared)) return false;
    // We ask with forms; a client may say that it only opens addresses.
    return capability !== 'elicitation' || 'form' in declared || !('url' in declared);
  }

  /** Takes in what the client brought back from earlier rounds, before any handler runs. */
  async resume(): Promise<void> {
    const { inputResponses, requestState } = this.#request.params;
    if (!askable.has(this.#request.method)) return;
    const carried =
      requestState === undefined ? {} : (await this.#session.server.seal).open(requestState, this.#binding);
    const brought = Object.entries(isObject(inputResponses) ? inputResponses : {});
    this.#answers = { ...carried, ...Object.fromEntries(brought.filter(isAnswer)) };
  }

  async ask(requests: Readonly<Record<string, AskRequest>>): Promise<Answers> {
    for (const { method } of Object.values(requests)) {
      const capability = capabilityOf[method];
      if (this.can(capability)) continue;
      throw new Failure('capability-missing', `This needs a client with the capability "${capability}".`, {
        data: { requiredCapabilities: { [capability]: {} } },
      });
    }
    return this.#modern ? this.#askByResult(requests) : this.#askByRequest(requests);
  }

  async #askByRequest(requests: Readonly<Record<string, AskRequest>>): Promise<Answers> {
    const entries = Object.entries(requests).map(async ([key, { method, params }]) => {
      const answer = await this.#session.request(method, params as JsonObject, this.#request.id, this.signal);
      return [key, isObject(answer) ? answer : {}] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  async #askByResult(requests: Readonly<Record<string, AskRequest>>): Promise<Answers> {
    const known = this.#answers;
    const missing = Object.fromEntries(
      Object.entries(requests).filter(([key]) => !Object.hasOwn(known, key)),
    );
    if (Object.keys(missing).length > 0) throw new InputRequired(missing, known, this.#binding);
    return known;
  }

  /** What a state given out for this request is good for: the same request, and no other. */
  get #binding(): JsonObject {
    const { inputResponses, requestState, _meta, ...params } = this.#request.params;
    return { method: this.#request.method, ...(params as JsonObject) };
  }

  #notify(method: string, params: JsonObject): void {
    this.#session.send(notification(method, params), this.#request.id);
  }
}

function isAnswer(entry: [string, unknown]): entry is [string, Record<string, unknown>] {
  return isObject(entry[1]);
}

/** The same context with some of it replaced; private state stays with the original. */
export function deriveContext<Extra extends object>(context: Context, extra: Extra): Context & Extra {
  return {
    signal: context.signal,
    client: context.client,
    meta: context.meta,
    progress: (...given) => context.progress(...given),
    log: (...given) => context.log(...given),
    can: (capability) => context.can(capability),
    ask: (requests) => context.ask(requests),
    ...extra,
  };
}
