import { isObject } from '../json.ts';
import type { ToolDescription } from '../tool.ts';

/** What a published document says about a tool: its description and its arguments, in their order. */
export interface DocumentText {
  readonly description: string;
  readonly arguments: Readonly<Record<string, string>>;
}

/** Gives a tool the texts of a document, and lists only the arguments that the document has. */
export function withDocumentTexts(
  tool: ToolDescription,
  texts: Readonly<Record<string, DocumentText>>,
): ToolDescription {
  const text = texts[tool.name];
  const schema = tool.acceptedSchema ?? tool.inputSchema;
  const { properties } = schema;
  if (text === undefined || !isObject(properties)) return tool;
  return {
    ...tool,
    description: text.description,
    inputSchema: {
      ...schema,
      properties: Object.fromEntries(
        Object.entries(text.arguments).map(([name, description]) => [
          name,
          { ...(properties[name] as object), description },
        ]),
      ),
    },
  };
}
