import { type RunOutput, runReport } from '../../src/delegate/report.ts';

/** The text a tool shows for a result, by the tool's own rule. */
export async function renderResult(tool: string, result: Readonly<Record<string, unknown>>): Promise<string> {
  if (tool === 'delegate_run' || tool === 'delegate_resume')
    return runReport(tool, result as unknown as RunOutput);
  throw new Error(`no tool ${tool} renders its results yet`);
}
