import type { ToolAnswer } from '../../../api.ts';
import { DataTable } from '../shared/data-table.tsx';
import { SampleData } from '../shared/sample-data.tsx';
import { milliseconds, Sparkline } from '../shared/sparkline.tsx';
import { shortTime } from '../shared/zone-time.ts';
import { Health } from './health.tsx';
import { Tokens } from './tokens.tsx';

type Status = ToolAnswer<'server_status'>;

export function ServerOverview({ status, reload }: { status: Status; reload(): void }) {
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
