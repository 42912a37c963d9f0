/** The text a tool shows for a result, by the tool's own rule. */
export async function renderResult(
  tool: string,
  _result: Readonly<Record<string, unknown>>,
): Promise<string> {
  throw new Error(`no tool ${tool} renders its results yet`);
}
