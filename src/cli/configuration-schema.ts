import type { JsonSchema } from '../json.ts';
import type { Setting } from '../setting.ts';
import { settings } from '../settings.ts';

/** Address of the published schema, for the first line of a configuration file. */
export const configurationSchemaAddress =
  'https://raw.githubusercontent.com/OWNER/adjutant/main/schema/adjutant.schema.json';

interface Table {
  type: 'object';
  properties: Record<string, JsonSchema | Table>;
  additionalProperties: false;
}

/** JSON Schema of adjutant.toml, with which editors check and complete the file. */
export function configurationSchema(): JsonSchema {
  const root = emptyTable();
  for (const [name, setting] of Object.entries<Setting>(settings)) {
    // These two locate the file and cannot be set in it.
    if (name === 'home' || name === 'config') continue;
    const tables = name.split('.');
    const key = tables.pop()!;
    let target = root;
    for (const table of tables) {
      target.properties[table] ??= emptyTable();
      target = target.properties[table] as Table;
    }
    target.properties[key] = valueSchema(setting);
  }
  // Editors for TOML support draft 7, but no newer one.
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: configurationSchemaAddress,
    title: 'Configuration of Adjutant (adjutant.toml)',
    ...root,
  };
}

function emptyTable(): Table {
  return { type: 'object', properties: {}, additionalProperties: false };
}

function valueSchema(setting: Setting): JsonSchema {
  const { description, default: fallback } = setting;
  return {
    description,
    ...typeSchema(setting),
    ...(fallback !== undefined && typeof fallback !== 'function' && { default: fallback }),
  };
}

function typeSchema(setting: Setting): JsonSchema {
  switch (setting.type) {
    case 'string':
      return { type: 'string' };
    case 'path':
      return { type: 'string', minLength: 1 };
    case 'address':
      return { type: 'string', pattern: `^(${setting.schemes.join('|')})://.` };
    case 'integer': {
      const { minimum, maximum } = setting;
      return {
        type: 'integer',
        ...(minimum !== undefined && { minimum }),
        ...(maximum !== undefined && { maximum }),
      };
    }
    case 'boolean':
      return { type: 'boolean' };
    case 'list':
      return { type: 'array', items: { type: 'string' } };
    case 'choice':
      return { enum: setting.values };
    case 'structure':
      return setting.schema;
  }
}
