import { createServer } from '../../app.ts';
import { type Inspection, inspectDatabase } from '../../assistant/store/inspect.ts';
import type { LoadedConfig } from '../../config.ts';
import { Failure } from '../../failure.ts';
import { isObject, messageOf } from '../../json.ts';
import { connectMemory } from '../../transports/memory.ts';
import type { Finding } from './doctor.ts';

const title = 'Database';

export async function checkData(loaded: LoadedConfig): Promise<readonly Finding[]> {
  const { config, origins } = loaded;
  try {
    const found = await inspectDatabase(config['assistant.database_url']);
    return [judge(found), ...(await problems(loaded, found.schema === 'current'))];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const named = origins['assistant.database_url'];
    const remedy =
      named === 'default'
        ? 'mend that, or choose another database with assistant.database_url'
        : `mend that, or correct the address; it comes from the ${named}`;
    return [{ title, state: 'bad', detail: error.message, remedy }, ...(await problems(loaded, false))];
  }
}

function judge({ place, program, schema, version }: Inspection): Finding {
  switch (schema) {
    case 'none':
      return { title, state: 'good', detail: `${place} is begun with the first use (${program})` };
    case 'current':
      return { title, state: 'good', detail: `${place} can be written (${program}, schema ${version})` };
    case 'older':
      return {
        title,
        state: 'warning',
        detail: `${place} was written by an older Adjutant (schema ${version})`,
        remedy: 'keep a copy and end older Adjutants that use it; the next use brings it up to date',
      };
    case 'newer':
      return {
        title,
        state: 'bad',
        detail: `${place} was written by a newer Adjutant (schema ${version})`,
        remedy: 'update Adjutant, or choose another database with assistant.database_url',
      };
  }
}

/** What the server itself finds wrong with the files and the database it is given. */
async function problems(
  { config, origins }: LoadedConfig,
  withDatabase: boolean,
): Promise<readonly Finding[]> {
  // A server begins a database or brings it up to date by opening it; that is not for somebody who looks.
  const seen = withDatabase ? config : { ...config, 'assistant.database_url': '' };
  const server = createServer('standard', seen, { origins });
  try {
    const { structuredContent } = await connectMemory(server).request('tools/call', {
      name: 'server_status',
      arguments: {},
    });
    const found =
      isObject(structuredContent) && Array.isArray(structuredContent['problems'])
        ? structuredContent['problems']
        : [];
    if (found.length === 0)
      return [{ title: 'Prompts and data', state: 'good', detail: 'nothing is broken' }];
    return found.map(({ file, line, severity, message }) => ({
      title: 'Prompts and data',
      state: severity === 'error' ? 'bad' : 'warning',
      detail: `${file}${line === undefined ? '' : `:${line}`}: ${message}`,
    }));
  } catch (error) {
    return [{ title: 'Prompts and data', state: 'bad', detail: messageOf(error) }];
  } finally {
    await server.close();
  }
}
