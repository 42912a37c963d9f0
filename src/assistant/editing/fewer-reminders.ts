import type { Notification } from '../../store/schema.ts';
import { type AssistantData, findEvent } from '../entities/entity-access.ts';
import { configOf, listRules, setRule, titleKey } from '../entities/rules.ts';
import { cancelNotification, findNotification } from './notifications.ts';

/**
 * "Less like this": a rule limits events with this title to one reminder; said again, to none. The rule is listed with the
 * other rules of the user and can be deleted. A planned reminder is cancelled as well.
 */
export async function preferFewer(data: AssistantData, id: string): Promise<Notification> {
  const row = await data.store.read((db) => findNotification(db, id));
  const { title } = await data.store.read((db) => findEvent(db, row.event_id));
  const known = (await listRules(data, row.user_id)).find(
    (rule) =>
      rule.rule_type === 'fewer_reminders' && titleKey(configOf(rule).title ?? '') === titleKey(title),
  );
  const max = known === undefined ? 1 : Math.max(0, (configOf(known).max ?? 1) - 1);
  await setRule(data, row.user_id, known?.id, {
    type: 'fewer_reminders',
    config: { title, max },
    priority: known?.priority ?? 0,
    enabled: true,
  });
  return row.status === 'planned' ? cancelNotification(data, id) : row;
}
