import { channels } from '../../assistant/entities/channels.ts';
import type { ChannelDefinition } from '../../assistant/sending/channel.ts';
import { ask, findingFor } from '../../assistant/sending/probe.ts';
import type { Config } from '../../config.ts';
import type { Finding } from '../../feature.ts';
import { isObject } from '../../json.ts';

/** Checks that each configured provider, and the model that plans notifications, answers and accepts the credentials. */
export async function checkProviders(config: Config): Promise<readonly Finding[]> {
  const found = await Promise.all([...channels.map((one) => checkChannel(one, config)), checkModel(config)]);
  return [...outbox(config), ...found.flat()];
}

function outbox(config: Config): readonly Finding[] {
  const names = channels.flatMap(({ label, connect }) =>
    connect(config, { privateHosts: [] }) === undefined ? [label] : [],
  );
  if (names.length === 0) return [];
  const detail = `no provider is configured for ${names.join(', ')}; these messages are written to ${config['delivery.outbox_dir']}`;
  return [{ title: 'Delivery', state: 'good', detail }];
}

async function checkChannel(channel: ChannelDefinition, config: Config): Promise<readonly Finding[]> {
  const inUse = async () => {
    const { usesChannel } = await import('../../assistant/problems.ts');
    return usesChannel(config['assistant.database_url'], channel.name);
  };
  const found = (await channel.check?.(config, { inUse })) ?? [];
  const works = found.length > 0 && found.every(({ state }) => state === 'good');
  if (!channel.buttonsNeedUrl || !works || config['delivery.public_url']) return found;
  const others = channels.flatMap(({ label, listen }) => (listen ? [label] : []));
  return [
    ...found,
    {
      title: `${channel.label} buttons`,
      state: 'warning',
      detail: 'push messages have no buttons, because delivery.public_url is not set',
      remedy: `set it to an address at which phones reach this server, or use ${others.join(' or ')}, which needs none`,
    },
  ];
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
    key ? { authorization: `Bearer ${key}` } : {},
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
