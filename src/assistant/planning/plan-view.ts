import { omittedItems } from '../../paging.ts';
import type { ValueOf } from '../../tool.ts';
import { timestamp } from '../entities/view.ts';
import type { Step } from './planner.ts';
import type { Planned, PlanReport } from './planning.ts';

const text = { type: 'string' } as const;
const count = { type: 'integer' } as const;

export const planShape = {
  type: 'object',
  required: ['notifications_planned', 'events_processed', 'plan_time', 'dry_run', 'policies', 'changes'],
  properties: {
    notifications_planned: count,
    events_processed: count,
    plan_time: { type: 'string', description: 'When this was planned' },
    dry_run: { type: 'boolean' },
    policies: {
      type: 'array',
      description: 'Who decided, why, and for how many events',
      items: {
        type: 'object',
        required: ['policy', 'reason', 'events'],
        properties: { policy: text, reason: text, events: count },
      },
    },
    changes: {
      type: 'array',
      description: 'The difference to what was planned before',
      items: {
        type: 'object',
        required: ['action', 'event_id', 'channel', 'plan_time', 'reason'],
        properties: {
          action: { enum: ['add', 'move', 'cancel', 'keep'] },
          notification_id: text,
          event_id: text,
          occurrence: text,
          channel: text,
          plan_time: text,
          previous_time: text,
          urgency: text,
          reason: text,
        },
      },
    },
    dropped: {
      type: 'array',
      description: 'What the policy wanted and the guards did not let pass',
      items: {
        type: 'object',
        required: ['event_id', 'offset_minutes', 'channel', 'reason'],
        properties: { event_id: text, occurrence: text, offset_minutes: count, channel: text, reason: text },
      },
    },
    truncated: { type: 'boolean', description: 'There are more events than one run plans' },
    errors: {
      type: 'array',
      items: { type: 'object', required: ['event_id', 'error'], properties: { event_id: text, error: text } },
    },
    ...omittedItems,
  },
} as const;

export type PlanView = ValueOf<typeof planShape>;

export function planView({ nowMs, planned, truncated }: PlanReport, dryRun: boolean): PlanView {
  const decided = planned.filter(({ decision }) => decision !== undefined);
  const dropped = planned.flatMap((one) =>
    one.dropped.map(({ proposal, reason }) => ({
      ...subject(one),
      offset_minutes: proposal.offsetMinutes,
      channel: proposal.channel,
      reason,
    })),
  );
  const errors = planned.flatMap((one) =>
    one.error === undefined ? [] : [{ event_id: one.listed.event.id, error: one.error }],
  );
  return {
    notifications_planned: planned.flatMap(({ steps }) => steps.filter(({ action }) => action === 'add'))
      .length,
    events_processed: decided.length,
    plan_time: timestamp(nowMs),
    dry_run: dryRun,
    policies: policiesOf(decided),
    changes: planned.flatMap((one) => one.steps.map((step) => ({ ...changeOf(step), ...subject(one) }))),
    ...(dropped.length > 0 && { dropped }),
    ...(truncated && { truncated }),
    ...(errors.length > 0 && { errors }),
  };
}

function subject({ listed: { event, occurrence } }: Planned) {
  return { event_id: event.id, ...(occurrence.key !== '' && { occurrence: occurrence.key }) };
}

function changeOf(step: Step) {
  const { action } = step;
  if (step.action === 'cancel') {
    const { id, channel, plan_ms } = step.row;
    return { action, notification_id: id, channel, plan_time: timestamp(plan_ms), reason: step.reason };
  }
  const { channel, planMs, urgency, reason } = step.desired;
  return {
    action,
    ...(step.action !== 'add' && { notification_id: step.row.id }),
    channel,
    plan_time: timestamp(planMs),
    ...(step.action === 'move' && { previous_time: timestamp(step.row.plan_ms) }),
    urgency,
    reason,
  };
}

function policiesOf(decided: readonly Planned[]): PlanView['policies'] {
  const groups = Map.groupBy(decided, ({ decision }) => JSON.stringify([decision!.policy, decision!.reason]));
  return [...groups.values()].map((group) => {
    const { policy, reason } = group[0]!.decision!;
    return { policy, reason, events: group.length };
  });
}
