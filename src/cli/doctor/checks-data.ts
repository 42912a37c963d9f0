import { createServer } from '../../app.ts';
import type { LoadedConfig } from '../../config.ts';
import { Failure } from '../../failure.ts';
import type { Finding, Problem } from '../../feature.ts';
import { localDatabase } from '../../feature-options.ts';
import { isObject, messageOf } from '../../json.ts';
import { problemFindings } from '../../status/health.ts';
import { refuseLost } from '../../store/damage.ts';
import { type Damage, findDamage, type Inspection, inspectDatabase } from '../../store/inspect.ts';
import { connectMemory } from '../../transports/memory.ts';

const title = 'Database';

/** A running server passes the problems that its features report. */
export async function checkData(
  loaded: LoadedConfig,
  known?: readonly Problem[],
): Promise<readonly Finding[]> {
  return [...(await checkDatabase(loaded, known)), ...(await checkLocal(loaded))];
}

/** The database of this machine is mentioned only if something is wrong. */
async function checkLocal({ config }: LoadedConfig): Promise<readonly Finding[]> {
  const file = localDatabase(config);
  try {
    refuseLost(file);
    const damage = await findDamage(file);
    return damage === undefined ? [] : [damageFinding(file, damage)];
  } catch (error) {
    return [{ title, state: 'bad', detail: messageOf(error) }];
  }
}

async function checkDatabase(loaded: LoadedConfig, known?: readonly Problem[]): Promise<readonly Finding[]> {
  const { config, origins } = loaded;
  try {
    const url = config['assistant.database_url'];
    const found = await inspectDatabase(url);
    const damage = await findDamage(url);
    const finding = damage === undefined ? databaseFinding(found) : damageFinding(found.place, damage);
    return [finding, ...(await problems(loaded, found.schema === 'current', known))];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const origin = origins['assistant.database_url'];
    const remedy =
      origin === 'default'
        ? 'fix it, or choose another database with assistant.database_url'
        : `fix it, or correct the address in the ${origin}`;
    return [
      { title, state: 'bad', detail: error.message, remedy },
      ...(await problems(loaded, false, known)),
    ];
  }
}

function damageFinding(place: string, { lines, isInIndexes }: Damage): Finding {
  return {
    title,
    state: 'bad',
    detail: `${place} is damaged: ${lines.slice(0, 3).join('; ')}`,
    remedy: isInIndexes
      ? 'only indexes are damaged: a server rebuilds them when it starts, or within minutes if the file is large'
      : 'stop the servers, then run adjutant restore FILE --replace with the last backup',
  };
}

function databaseFinding({ place, program, schema, version }: Inspection): Finding {
  switch (schema) {
    case 'none':
      return { title, state: 'good', detail: `${place} will be created on first use (${program})` };
    case 'current':
      return { title, state: 'good', detail: `${place} is writable (${program}, schema ${version})` };
    case 'older':
      return {
        title,
        state: 'warning',
        detail: `${place} was created by an older version (schema ${version})`,
        remedy: 'back up a copy and stop older versions that use it; the next start upgrades it',
      };
    case 'newer':
      return {
        title,
        state: 'bad',
        detail: `${place} was created by a newer version (schema ${version})`,
        remedy: 'update Adjutant, or choose another database with assistant.database_url',
      };
  }
}

/** The problems that the server reports about its files and its database. */
async function problems(
  { config, origins }: LoadedConfig,
  withDatabase: boolean,
  known: readonly Problem[] | undefined,
): Promise<readonly Finding[]> {
  if (known !== undefined) return problemFindings(known);
  // Opening a database creates or upgrades it, which a check must not do.
  const checked = withDatabase ? config : { ...config, 'assistant.database_url': '' };
  const server = createServer('standard', checked, { origins });
  try {
    const { structuredContent } = await connectMemory(server, {
      access: server.access.withoutToolsets(),
    }).request('tools/call', {
      name: 'server_status',
      // Without `full`, the list of problems is shortened.
      arguments: { full: true },
    });
    const found =
      isObject(structuredContent) && Array.isArray(structuredContent['problems'])
        ? structuredContent['problems']
        : [];
    return problemFindings(found);
  } catch (error) {
    return [{ title: 'Prompts and data', state: 'bad', detail: messageOf(error) }];
  } finally {
    await server.close();
  }
}
