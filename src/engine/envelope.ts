import { Failure, type Issue } from '../failure.ts';
import { isObject } from '../json.ts';

const prefix = 'io.modelcontextprotocol/';
export const metaKeys = {
  protocolVersion: `${prefix}protocolVersion`,
  clientInfo: `${prefix}clientInfo`,
  clientCapabilities: `${prefix}clientCapabilities`,
  serverInfo: `${prefix}serverInfo`,
  subscriptionId: `${prefix}subscriptionId`,
  logLevel: `${prefix}logLevel`,
} as const;

type Params = Readonly<Record<string, unknown>>;

/** The parameter that says what a request is about. Scopes, limits and logs read it before the parameters are validated. */
const subjects: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'resources/subscribe': 'uri',
  'resources/unsubscribe': 'uri',
};

/**
 * Finds a value of the wrong type in the parts of a request that are read before its parameters are validated. Whoever reads
 * these parts relies on this check: text made from a value of any other type could be endless, or throw.
 */
export function wrongType(method: string, params: Params): Issue | undefined {
  const subject = Object.hasOwn(subjects, method) ? subjects[method]! : undefined;
  if (subject !== undefined && params[subject] !== undefined && typeof params[subject] !== 'string')
    return mustBeText([subject]);
  if (method === 'initialize') {
    const { protocolVersion } = params;
    if (protocolVersion !== undefined && typeof protocolVersion !== 'string')
      return mustBeText(['protocolVersion']);
    const issue = wrongClient(params['clientInfo'], ['clientInfo']);
    if (issue !== undefined) return issue;
  }
  const meta = params['_meta'];
  if (!isObject(meta)) return undefined;
  const claimed = meta[metaKeys.protocolVersion];
  if (claimed !== undefined && typeof claimed !== 'string')
    return mustBeText(['_meta', metaKeys.protocolVersion]);
  return wrongClient(meta[metaKeys.clientInfo], ['_meta', metaKeys.clientInfo]);
}

/** The failure that the validation of the parameters would report. */
export function invalidEnvelope(issue: Issue): Failure {
  return new Failure('invalid-params', `Invalid params: ${issue.path.join('.')} ${issue.message}`, {
    issues: [issue],
  });
}

/** The name and version of a client whose types were checked. Either may be absent. */
export function clientNames(clientInfo: unknown): { readonly name: string; readonly version: string } {
  const { name, version } = isObject(clientInfo) ? clientInfo : {};
  return { name: text(name), version: text(version) };
}

function wrongClient(clientInfo: unknown, path: readonly string[]): Issue | undefined {
  if (!isObject(clientInfo)) return undefined;
  const wrong = ['name', 'version'].find((field) => typeof (clientInfo[field] ?? '') !== 'string');
  return wrong === undefined ? undefined : mustBeText([...path, wrong]);
}

function mustBeText(path: readonly string[]): Issue {
  return { path, keyword: 'type', expected: 'string', message: 'must be string' };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
