import { PageHead } from '../controls/page-head.tsx';
import { RunsInProgress } from '../runs/runs-in-progress.tsx';

/** The first view: what is going on now. */
export function TodayView() {
  const day = new Date().toLocaleDateString('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });
  return (
    <>
      <PageHead title="Today">
        <span class="quiet">{day}</span>
      </PageHead>
      <div class="page-body">
        <RunsInProgress />
      </div>
    </>
  );
}
