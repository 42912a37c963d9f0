import { channelsOf, rings } from '../entities/preferences.ts';
import { isImportant, isInternal, travelMinutes } from '../entities/rules.ts';
import type { Channel } from '../store/schema.ts';
import type { Proposal } from './guards.ts';
import type { Decision, PolicyInput } from './policy.ts';

const minuteMs = 60_000;

/** The policy that needs no model: an hour ahead, a call shortly before for who wants one, and the user's rules. */
export function decideByRules(input: PolicyInput, because?: string): Decision {
  const { event, occurrence, preferences, rules } = input;
  const left = (occurrence.startMs - input.nowMs) / minuteMs;
  const important = isImportant(event, rules);
  const internal = !important && isInternal(event, rules);
  const travel = travelMinutes(event, occurrence.location, rules);
  const [loud, quiet] = [rings(preferences.channelPref), quietChannel(input)];

  const proposals: Proposal[] = [];
  const propose = (before: number, channel: Channel, urgency: Proposal['urgency']) => {
    if (before < left) proposals.push({ offsetMinutes: -before, channel, urgency });
  };
  if (event.all_day === 1) propose(360, quiet, 'normal');
  else if (internal) propose(10 + travel, quiet, 'low');
  else {
    if (important) propose(1440 + travel, quiet, 'normal');
    if (preferences.channelPref !== 'call') propose(60 + travel, quiet, important ? 'high' : 'normal');
    if (loud) propose(15 + travel, 'call', 'high');
  }
  // Little time is left: better shortly before than not at all.
  const told = input.history.some(
    ({ status, event_start_ms }) => status !== 'cancelled' && event_start_ms === occurrence.startMs,
  );
  if (proposals.length === 0 && !told)
    propose(left > 16 ? 15 : 5, loud ? 'call' : quiet, loud ? 'high' : 'normal');

  const reasons = [
    ...(because === undefined ? [] : [because]),
    'built-in rules',
    ...(important ? ['a VIP organises it'] : []),
    ...(internal ? ['an internal meeting'] : []),
    ...(travel > 0 ? [`${travel} minutes of travel`] : []),
  ];
  return { policy: 'rules', reason: reasons.join('; '), proposals, provisional: because !== undefined };
}

/** The user's first choice that does not ring; a guard has the last word on it. */
function quietChannel({ preferences, reachable }: PolicyInput): Channel {
  const wanted = channelsOf(preferences.channelPref).find((channel) => channel !== 'call') ?? 'email';
  return reachable.includes(wanted) ? wanted : (reachable.find((channel) => channel !== 'call') ?? wanted);
}
