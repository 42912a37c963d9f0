import { useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { Button, SearchField } from '../controls/fields.tsx';
import { Loading } from '../controls/loading.tsx';
import { PageHead } from '../controls/page-head.tsx';
import { counted, matches } from '../controls/words.ts';
import { authorOf } from '../shared/author.ts';
import { MoreButton } from '../shared/buttons.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { type Finding, placeOf, useHealth } from '../shared/health.ts';
import { lazy } from '../shared/lazy.tsx';
import { goTo, pathTo, useAddressed } from '../shared/route.ts';
import { SampleData } from '../shared/sample-data.tsx';
import { Pending, useTicks, useTool } from '../shared/server-connection.tsx';
import { Tabs } from '../shared/tabs.tsx';
import { shortTime } from '../shared/zone-time.ts';
import { Tokens } from './tokens.tsx';

const ToolCaller = lazy(() => import('./tool-caller.tsx'), 'ToolCaller');

const Messages = lazy(() => import('./messages.tsx'), 'Messages');

const tabs = {
  overview: 'Overview',
  messages: 'Messages',
  activity: 'Activity',
  settings: 'Settings',
  tools: 'Tools',
} as const;
type Tab = keyof typeof tabs;

/** The state of the server: health, clients, requests, tokens, activity and settings, and a form for every tool. */
export function ServerView({ name, part }: { name: string | undefined; part?: string | undefined }) {
  const ticks = useTicks(3000);
  const [round, setRound] = useState(0);
  const { value, error } = useTool('server_status', { full: true }, ticks, round);
  const asked = name?.slice(1) ?? '';
  const tab = asked in tabs ? (asked as Tab) : 'overview';
  return (
    <>
      <PageHead
        title="Server"
        actions={
          <Tabs
            label="Server view"
            tabs={tabs}
            chosen={tab}
            choose={(next) => goTo(pathTo('server', `+${next}`))}
          />
        }
      >
        <span class="quiet small">
          {value && `${value.name} ${value.version}, running since ${shortTime(value.started_at)}`}
          {error && <span class="problem"> {error.message}</span>}
        </span>
      </PageHead>
      <div class="page-body">
        {tab === 'overview' && value && (
          <ServerOverview status={value} reload={() => setRound((now) => now + 1)} />
        )}
        {tab === 'messages' && <Messages part={part} />}
        {tab === 'activity' && <Activity />}
        {tab === 'settings' && value && <SettingsTable settings={value.settings} />}
        {tab === 'tools' && <ToolCaller name={part} />}
        {!value && !error && <Loading />}
      </div>
    </>
  );
}

type Status = ToolAnswer<'server_status'>;

function ServerOverview({ status, reload }: { status: Status; reload(): void }) {
  return (
    <div class="wide-columns">
      <Health />
      <div>
        <DataTable
          title="Clients"
          rows={status.clients}
          keyOf={(_, index) => index}
          columns={[
            { title: 'Client', cell: ({ name, version }) => `${name || 'unnamed'} ${version}` },
            { title: 'Protocol', cell: ({ protocol }) => protocol },
            { title: 'Connected since', cell: ({ since }) => shortTime(since) },
          ]}
        />
        <DataTable
          title="Requests of clients"
          rows={status.methods}
          keyOf={({ method }) => method}
          columns={[
            { title: 'Method', cell: ({ method }) => <code>{method}</code> },
            { title: 'Count', number: true, cell: ({ count }) => count.toLocaleString() },
            { title: 'Failed', number: true, cell: ({ failed }) => failed.toLocaleString() },
            { title: 'Median', number: true, cell: (row) => !isStream(row) && milliseconds(row.median_ms) },
            {
              title: '95th percentile',
              number: true,
              cell: (row) => !isStream(row) && milliseconds(row.p95_ms),
            },
            {
              title: 'Recent',
              cell: (row) =>
                isStream(row) ? <span class="quiet">open stream</span> : <Sparkline values={row.recent_ms} />,
            },
          ]}
        />
        <p class="quiet hint">
          Requests of this page are not counted. Most requests call a <dfn>tool</dfn>, a function of the
          server that the model of a client can use.
        </p>
        <Tokens tokens={status.tokens ?? []} reload={reload} />
        <section>
          <h2>Sample data</h2>
          <p class="quiet">
            A few prompts, a person with a week of events, and two runs. You can remove all of it again.
          </p>
          <p class="buttons">
            <SampleData action="load" /> <SampleData action="remove" />
          </p>
        </section>
      </div>
    </div>
  );
}

/** A change stream stays open until its client disconnects, so its duration is not a response time. */
function isStream({ method }: Status['methods'][number]): boolean {
  return method === 'subscriptions/listen';
}

/** Who changed what, and what was denied, in the last week. */
function Activity() {
  const ticks = useTicks(10_000);
  const { value, error } = useTool('list_activity', { limit: 200 }, ticks);
  if (!value || error) return <Pending error={error} />;
  return (
    <DataTable
      title="Activity"
      rows={value.entries}
      keyOf={({ at, action }, index) => `${at} ${action} ${index}`}
      columns={[
        { title: 'Time', cell: ({ at }) => shortTime(at) },
        { title: 'Actor', cell: ({ actor, client }) => authorOf(`${client ?? ''} (${actor})`) },
        {
          title: 'Action',
          cell: ({ action, target }) => (
            <>
              <code>{action}</code> {target}
            </>
          ),
        },
        {
          title: 'Outcome',
          cell: ({ outcome, count, reason }) => (
            <span class={outcome === 'done' ? undefined : 'problem'}>
              {count === undefined ? outcome : `${outcome}, ${count} times`}
              {reason && <div class="quiet hint">{reason}</div>}
            </span>
          ),
        },
        {
          title: 'Change',
          cell: ({ before, after }) => (before || after ? <code>{describeChange(before, after)}</code> : ''),
        },
      ]}
    />
  );
}

function describeChange(before: object = {}, after: object = {}): string {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map(
      (name) =>
        `${name}: ${formatValue(Reflect.get(before, name))} → ${formatValue(Reflect.get(after, name))}`,
    )
    .join(', ');
}

function SettingsTable({ settings }: Pick<ToolAnswer<'server_status'>, 'settings'>) {
  const [shown, setShown] = useAddressed<string>('show', 'changed');
  const [query, setQuery] = useAddressed<string>('find', '', { typed: true });
  const showAll = shown === 'all';
  const changed = settings.filter(({ origin }) => origin !== 'default');
  const found = (showAll || query !== '' ? settings : changed).filter(({ name, description }) =>
    matches(`${name} ${description}`, query),
  );
  return (
    <>
      <p class="buttons">
        <SearchField class="narrow" label="Search settings" value={query} change={setQuery} />
        <Button aria-expanded={showAll} onClick={() => setShown(showAll ? 'changed' : 'all')}>
          {showAll ? 'Show changed settings only' : `Show all ${settings.length} settings`}
        </Button>
      </p>
      <DataTable
        title="Settings"
        rows={found}
        keyOf={({ name }) => name}
        columns={[
          {
            title: 'Setting',
            cell: ({ name, description }) => (
              <>
                <code>{name}</code>
                <div class="quiet hint">{description}</div>
              </>
            ),
          },
          { title: 'Value', cell: ({ value }) => <code>{formatValue(value)}</code> },
          { title: 'Source', cell: ({ origin }) => origin },
        ]}
      />
      <p class="quiet hint">
        Change settings in the configuration file, with variables or with flags, and start the server again.
      </p>
    </>
  );
}

function formatValue(value: unknown): string {
  if (value === undefined || value === null || value === '') return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const states = {
  bad: ['error', 'Error'],
  warning: ['warning', 'Warning'],
  good: ['completed', 'OK'],
} as const;
const pageSize = 100;

/** What does not work and how to fix it, then what works. `adjutant doctor` prints the same. */
function Health() {
  const { value, error, checking, checkAgain } = useHealth();
  const [visible, setVisible] = useState(pageSize);
  const findings = value?.findings ?? [];
  const faults = findings.filter(({ state }) => state !== 'good');
  const good = findings.filter(({ state }) => state === 'good');
  return (
    <section>
      <h2 class="with-button">
        Health
        <Button class="small" disabled={checking} onClick={checkAgain}>
          {checking ? 'Checking…' : 'Check again'}
        </Button>
      </h2>
      {error && <p class="problem">{error.message}</p>}
      <p role="status">
        {value === undefined
          ? 'Checking…'
          : faults.length === 0
            ? 'No problems found.'
            : `${counted(faults.length, 'problem')} found.`}
      </p>
      <ul class="problems" aria-label="Problems">
        {faults.slice(0, visible).map((finding, index) => (
          <FindingLine key={index} finding={finding} />
        ))}
      </ul>
      <MoreButton shown={visible} all={faults.length} step={pageSize} what="problems" show={setVisible} />
      {good.length > 0 && (
        <details>
          <summary>{good.length} checks passed</summary>
          <ul class="problems" aria-label="Passed checks">
            {good.map((finding, index) => (
              <FindingLine key={index} finding={finding} />
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function FindingLine({ finding }: { finding: Finding }) {
  const { title, state, detail, remedy } = finding;
  const [kind, label] = states[state];
  const [place, path] = placeOf(finding);
  return (
    <li>
      <span class={`badge ${kind}`}>{label}</span>
      <span class="finding">
        <strong>{title}</strong>: {detail}
        {state !== 'good' && (
          <span class="quiet remedy">
            {remedy && `To fix it: ${remedy.replace(/\.$/, '')}. `}
            <a href={path}>{place}</a>
          </span>
        )}
      </span>
    </li>
  );
}

/** A line chart of recent durations, scaled to the slowest one. */
function Sparkline({ values }: { values: readonly number[] }) {
  const max = Math.max(...values, 0.001);
  const points = values
    .map((value, index) => `${(index / Math.max(1, values.length - 1)) * 100},${19 - (value / max) * 18}`)
    .join(' ');
  return (
    <svg
      class="sparkline"
      viewBox="0 0 100 20"
      preserveAspectRatio="none"
      role="img"
      aria-label={`recent durations, at most ${milliseconds(max)}`}
    >
      <polyline points={points} fill="none" stroke="currentColor" vector-effect="non-scaling-stroke" />
    </svg>
  );
}

function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(2) : Math.round(value).toLocaleString()} ms`;
}
