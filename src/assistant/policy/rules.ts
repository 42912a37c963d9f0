import type { Channel } from '../../store/schema.ts';
import { channelsOf, rings } from '../entities/preferences.ts';
import { isImportant, isInternal, travelMinutes } from '../entities/rules.ts';
import { type Catalog, resultTexts, textsFor } from '../messages/catalog.ts';
import { defaultLeads, kindOf } from '../reminders/event-kind.ts';
import { leadTime } from '../reminders/lead-time.ts';
import type { Proposal } from './guards.ts';
import type { Decision, PolicyInput } from './policy.ts';

const minuteMs = 60_000;
/** An event that starts within this many minutes needs no reminder. */
const minLeft = 5;

/**
 * The policy without a model: reminders by kind of event, a call shortly before for users who want calls, and the user's
 * rules.
 */
export function decideByRules(input: PolicyInput, because?: string): Decision {
  const { event, occurrence, preferences, rules } = input;
  const left = (occurrence.startMs - input.nowMs) / minuteMs;
  const important = isImportant(event, rules);
  const internal = !important && isInternal(event, rules);
  const travel = travelMinutes(event, occurrence.location, rules);
  const [wantsCalls, quiet] = [rings(preferences.channelPref), quietChannel(input)];
  const kind = kindOf(event, occurrence);
  const leads = defaultLeads[kind ?? 'default'].map((lead) =>
    Math.round((occurrence.startMs - leadTime(lead, occurrence.startMs, preferences.timezone)) / minuteMs),
  );

  const proposals: Proposal[] = [];
  const propose = (before: number, channel: Channel, urgency: Proposal['urgency']) => {
    proposals.push({ offsetMinutes: -before, channel, urgency });
  };
  if (kind === 'all_day') for (const lead of leads) propose(lead, quiet, 'normal');
  else if (internal) propose(10 + travel, quiet, 'low');
  else {
    if (important) propose(1440 + travel, quiet, 'normal');
    if (preferences.channelPref !== 'call')
      for (const lead of leads) propose(lead + travel, quiet, important ? 'high' : 'normal');
    if (wantsCalls) propose(15 + travel, 'call', 'high');
  }
  const coming = proposals.filter(({ offsetMinutes }) => -offsetMinutes < left);

  const reasonsIn = ({ rules: texts }: Catalog) => [
    texts.builtIn,
    ...(kind === undefined ? [] : [texts.kinds[kind]]),
    ...(important ? [texts.vip] : []),
    ...(internal ? [texts.internal] : []),
    ...(travel > 0 ? [texts.travel(travel)] : []),
  ];
  return {
    policy: 'rules',
    reason: [...(because === undefined ? [] : [because]), ...reasonsIn(resultTexts)].join('; '),
    why: reasonsIn(textsFor(preferences.locale)).join('; '),
    // If all regular times have passed, the guards choose a time before the start.
    proposals: coming.length === 0 && left > minLeft ? proposals : coming,
    provisional: because !== undefined,
  };
}

/** The user's preferred channel that does not ring. The guards still check it. */
function quietChannel({ preferences, reachable }: PolicyInput): Channel {
  const preferred = channelsOf(preferences.channelPref).find((channel) => channel !== 'call') ?? 'email';
  return reachable.includes(preferred)
    ? preferred
    : (reachable.find((channel) => channel !== 'call') ?? preferred);
}
