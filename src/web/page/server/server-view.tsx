import { useState } from 'preact/hooks';
import { lazy } from '../shared/lazy.tsx';
import { pathTo } from '../shared/route.ts';
import { useLoaded, useTicks } from '../shared/server-connection.tsx';
import { Tabs } from '../shared/tabs.tsx';
import { shortTime } from '../shared/zone-time.ts';
import { Activity } from './activity.tsx';
import { ServerOverview } from './server-overview.tsx';
import { SettingsTable } from './settings-table.tsx';

const ToolCaller = lazy<{ name: string | undefined }>(() =>
  import('./tool-caller.tsx').then((module) => module.default),
);

const tabs = { overview: 'Overview', activity: 'Activity', settings: 'Settings', tools: 'Tools' } as const;
type Tab = keyof typeof tabs;

/** The state of the server: health, clients, requests, tokens, activity and settings, and a form for every tool. */
export function ServerView({ name, part }: { name: string | undefined; part?: string | undefined }) {
  const ticks = useTicks(3000);
  const [round, setRound] = useState(0);
  const { value, error } = useLoaded(
    (client, signal) => client.tool('server_status', { full: true }, { signal }),
    [ticks, round],
  );
  const asked = name?.slice(1) ?? '';
  const tab = asked in tabs ? (asked as Tab) : 'overview';
  return (
    <div class="page">
      <h1>Server</h1>
      <p class="quiet">
        {value && `${value.name} ${value.version}, running since ${shortTime(value.started_at)}`}
        {error && <span class="problem"> {error.message}</span>}
      </p>
      <div class="toolbar bare">
        <Tabs
          label="Server view"
          tabs={tabs}
          chosen={tab}
          choose={(next) => {
            location.hash = pathTo('server', `+${next}`);
          }}
        />
      </div>
      {tab === 'overview' && value && (
        <ServerOverview status={value} reload={() => setRound((now) => now + 1)} />
      )}
      {tab === 'activity' && <Activity />}
      {tab === 'settings' && value && <SettingsTable settings={value.settings} />}
      {tab === 'tools' && <ToolCaller name={part} />}
      {!value && !error && <p class="empty">Loading…</p>}
    </div>
  );
}
