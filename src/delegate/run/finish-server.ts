import { renameSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { isObject, type JsonObject, type JsonSchema } from '../../json.ts';
import { readRegularFile } from '../../regular-file.ts';
import { version } from '../../version.ts';
import { parseObject } from '../files/json-file.ts';
import { validateAnswer } from '../record/answer-check.ts';

/**
 * An MCP server with the tool `finish_run`, which agents that have no other structured output start: it checks the answer
 * against the schema of the run and writes it to a file.
 */
export async function serveFinishTool(schemaFile: string, answerFile: string): Promise<void> {
  const schema = JSON.parse(await readRegularFile(schemaFile)) as JsonSchema;
  const finish = async (answer: unknown): Promise<JsonObject> => {
    const text = JSON.stringify(answer ?? {});
    const { problem } = await validateAnswer(text, schema);
    if (problem !== undefined)
      return toolResult(`The answer is invalid: ${problem}. Call the tool again.`, true);
    writeFileSync(`${answerFile}.new`, text, { mode: 0o600 });
    renameSync(`${answerFile}.new`, answerFile);
    return toolResult('The answer is recorded. End your turn now.', false);
  };
  const respond = (id: unknown, fields: JsonObject) =>
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...fields })}\n`);
  createInterface({ input: process.stdin }).on('line', async (line) => {
    const { id, method, params } = parseObject(line) ?? {};
    if (id === undefined) return;
    const given = isObject(params) ? params : {};
    switch (method) {
      case 'initialize':
        return respond(id, {
          result: {
            protocolVersion: String(given['protocolVersion'] ?? '2025-06-18'),
            capabilities: { tools: {} },
            serverInfo: { name: 'adjutant_run', version },
          },
        });
      case 'tools/list':
        return respond(id, { result: { tools: [finishTool(schema)] } });
      case 'tools/call':
        return respond(id, { result: await finish(given['arguments']) });
      case 'ping':
        return respond(id, { result: {} });
      default:
        return respond(id, { error: { code: -32601, message: `Unknown method ${method}` } });
    }
  });
}

function finishTool(schema: JsonSchema): JsonObject {
  return {
    name: 'finish_run',
    description: 'Records the final answer of this task. Call it once, as the last step.',
    inputSchema: schema as JsonObject,
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  };
}

function toolResult(text: string, isError: boolean): JsonObject {
  return { content: [{ type: 'text', text }], isError };
}
