import { basicAuth } from '../../assistant/network/fetch.ts';
import type { Config } from '../../config.ts';
import { isObject, messageOf } from '../../json.ts';
import type { Finding } from '../../status/health.ts';
import { checkMail } from './checks-mail.ts';

const timeoutMs = 5000;

/** Checks that each configured provider, and the model that plans notifications, answers and accepts the credentials. */
export async function checkProviders(config: Config): Promise<readonly Finding[]> {
  const found = await Promise.all([
    checkMail(config),
    checkCalls(config),
    checkNtfy(config),
    checkTelegram(config),
    checkApprise(config),
    checkModel(config),
  ]);
  return [...outbox(config), ...found.flat()];
}

function outbox(config: Config): readonly Finding[] {
  const missing = {
    mail: config['delivery.smtp_url'],
    calls: config['delivery.call_account'],
    webhooks: config['delivery.webhook_secret'],
    ntfy: config['delivery.ntfy_url'],
  };
  const names = Object.entries(missing).flatMap(([name, setting]) => (setting ? [] : [name]));
  if (names.length === 0) return [];
  const detail = `no provider is configured for ${names.join(', ')}; these messages are written to ${config['delivery.outbox_dir']}`;
  return [{ title: 'Delivery', state: 'good', detail }];
}

async function checkTelegram(config: Config): Promise<readonly Finding[]> {
  const token = config['delivery.telegram_token'];
  if (!token) return [];
  const answer = await ask(config['delivery.telegram_url'], `/bot${token}/getMe`, {});
  return [
    findingFor('Telegram', answer, {
      unreachable: { state: 'bad', remedy: 'check delivery.telegram_url and the network' },
      refused: 'correct delivery.telegram_token',
    }),
  ];
}

/** Only if a user has an address that needs the program. */
async function checkApprise(config: Config): Promise<readonly Finding[]> {
  const { usesApprise } = await import('../../assistant/problems.ts');
  if (!(await usesApprise(config['assistant.database_url']))) return [];
  const { promisify } = await import('node:util');
  const { execFile } = await import('node:child_process');
  try {
    const { stdout } = await promisify(execFile)('apprise', ['--version'], { timeout: timeoutMs });
    return [{ title: 'apprise', state: 'good', detail: stdout.split('\n')[0] ?? 'installed' }];
  } catch {
    const detail = 'a user has a channel for apprise, but the program does not run';
    return [
      {
        title: 'apprise',
        state: 'bad',
        detail,
        remedy: 'install it: apt install apprise, or pipx install apprise',
      },
    ];
  }
}

async function checkCalls(config: Config): Promise<readonly Finding[]> {
  const title = 'Calls';
  const parts = ['delivery.call_account', 'delivery.call_token', 'delivery.call_from'] as const;
  const missing = parts.filter((name) => !config[name]);
  if (missing.length === parts.length) return [];
  if (missing.length > 0) {
    const detail = `calls are written to the outbox, because ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set`;
    return [{ title, state: 'warning', detail, remedy: `set ${missing.join(' and ')}` }];
  }
  const [account, token] = [config['delivery.call_account']!, config['delivery.call_token']!];
  const answer = await ask(
    config['delivery.call_url'],
    `/2010-04-01/Accounts/${encodeURIComponent(account)}.json`,
    {
      authorization: `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`,
    },
  );
  return [
    findingFor(title, answer, {
      unreachable: { state: 'bad', remedy: 'check delivery.call_url and the network' },
      refused: 'correct delivery.call_account and delivery.call_token',
    }),
  ];
}

async function checkNtfy(config: Config): Promise<readonly Finding[]> {
  const title = 'ntfy';
  const [server, token] = [config['delivery.ntfy_url'], config['delivery.ntfy_token']];
  if (!server) return [];
  const toFinding = (answer: Answer) =>
    findingFor(title, answer, {
      unreachable: { state: 'bad', remedy: 'check delivery.ntfy_url and the network' },
      refused: 'correct delivery.ntfy_token',
    });
  const health = await ask(server, '/v1/health');
  const healthy = isObject(health.body) && health.body['healthy'] === true;
  if (health.problem === undefined && !healthy)
    return [
      {
        title,
        state: 'warning',
        detail: `${health.host} answers, but it is not an ntfy server (${health.status})`,
        remedy: 'check delivery.ntfy_url',
      },
    ];
  const finding = toFinding(healthy && token ? await ask(server, '/v1/account', bearer(token)) : health);
  if (config['delivery.public_url'] || finding.state !== 'good') return [finding];
  const detail = 'push messages have no buttons, because delivery.public_url is not set';
  const remedy = 'set it to an address at which phones reach this server, or use Telegram, which needs none';
  return [finding, { title: 'ntfy buttons', state: 'warning', detail, remedy }];
}

async function checkModel(config: Config): Promise<readonly Finding[]> {
  const title = 'Model';
  if (config['assistant.policy'] !== 'endpoint') return [];
  const [url, model] = [config['assistant.model_url'], config['assistant.model']];
  if (!url || !model) {
    const missing = url ? 'assistant.model' : 'assistant.model_url';
    const detail = `${missing} is not set, so the built-in rules plan notifications`;
    return [{ title, state: 'warning', detail, remedy: `set ${missing}` }];
  }
  const key = config['assistant.model_api_key'];
  const answer = await ask(
    url,
    `${URL.parse(url)?.pathname.replace(/\/+$/, '') ?? ''}/models`,
    key ? bearer(key) : {},
  );
  const listed = modelNames(answer.body);
  if (listed.length > 0 && !listed.some((one) => isSameModel(one, model)))
    return [
      {
        title,
        state: 'warning',
        detail: `${answer.host} has no model ${model}; it has ${listed.slice(0, 5).join(', ')}${listed.length > 5 ? ' …' : ''}`,
        remedy: 'set assistant.model to one of them',
      },
    ];
  return [
    findingFor(title, answer, {
      // Only a warning: without a model, the built-in rules plan notifications.
      unreachable: {
        state: 'warning',
        remedy: 'start it or check assistant.model_url; until then the built-in rules plan notifications',
      },
      refused: 'correct assistant.model_api_key',
    }),
  ];
}

function modelNames(body: unknown): readonly string[] {
  const data = isObject(body) ? body['data'] : undefined;
  return Array.isArray(data)
    ? data.flatMap((one) => (isObject(one) && typeof one['id'] === 'string' ? [one['id']] : []))
    : [];
}

/** Some servers list models as `name:tag` or `vendor/name`, but accept the plain name. */
function isSameModel(listed: string, name: string): boolean {
  return listed === name || listed.startsWith(`${name}:`) || listed.endsWith(`/${name}`);
}

// ── Requests ─────────────────────────────────────────────────────────────────────────────────────────────────

interface Answer {
  readonly host: string;
  readonly status?: number;
  readonly body?: unknown;
  /** Why there is no answer, as the end of a sentence about the host. */
  readonly problem?: string;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function ask(
  server: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const base = new URL(server);
  const { host } = base;
  try {
    const response = await fetch(new URL(path, base.origin), {
      headers: { ...basicAuth(base), ...headers },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const body: unknown = await response.json().catch(() => undefined);
    return { host, status: response.status, body };
  } catch (error) {
    return { host, problem: describeError(error) };
  }
}

function describeError(error: unknown): string {
  if ((error as Error).name === 'TimeoutError') return 'does not answer';
  const cause = (error as { cause?: NodeJS.ErrnoException }).cause;
  switch (cause?.code) {
    case 'ECONNREFUSED':
      return 'refuses the connection';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'is an unknown host';
    default:
      return `cannot be reached: ${messageOf(cause ?? error)}`;
  }
}

interface Remedies {
  readonly unreachable: { readonly state: 'bad' | 'warning'; readonly remedy: string };
  readonly refused: string;
}

function findingFor(title: string, { host, status, problem }: Answer, remedies: Remedies): Finding {
  if (problem !== undefined) return { title, detail: `${host} ${problem}`, ...remedies.unreachable };
  if (status === 401 || status === 403)
    return {
      title,
      state: 'bad',
      detail: `${host} rejects the credentials (${status})`,
      remedy: remedies.refused,
    };
  return { title, state: 'good', detail: `${host} answers` };
}
