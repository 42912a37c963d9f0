import type { AutopilotOutput } from '../../src/delegate/autopilot/autopilot-output.ts';
import { autopilotReport } from '../../src/delegate/autopilot/autopilot-report.ts';
import { type RunOutput, runReport } from '../../src/delegate/run/run-report.ts';

/** Renders a result as the tool does. */
export async function renderResult(tool: string, result: Readonly<Record<string, unknown>>): Promise<string> {
  if (tool === 'delegate_run' || tool === 'delegate_resume')
    return runReport(tool, result as unknown as RunOutput);
  if (tool === 'delegate_autopilot') return autopilotReport(result as unknown as AutopilotOutput);
  throw new Error(`${tool} has no rendering`);
}
