import type { activityTools } from './audit/activity-tool.ts';
import type { ResourceContents } from './content.ts';
import type { demoTools } from './demo/demo.ts';
import type { Prompt, RenderedPrompt } from './feature.ts';
import type { FeatureApi } from './feature-api.ts';
import type { inboxTools } from './inbox/inbox-tools.ts';
import type { JsonObject } from './json.ts';
import type { routineTools } from './routines/tools/routine-tools.ts';
import type { statusTools } from './status/status.ts';
import type { ToolTypes } from './tool.ts';

/** Every tool of `standard`. */
export type Api = FeatureApi &
  ToolTypes<
    ReturnType<
      typeof demoTools | typeof inboxTools | typeof statusTools | typeof activityTools | typeof routineTools
    >[number]
  >;

export type ToolName = keyof Api;
export type ToolArguments<Name extends ToolName> = Api[Name]['arguments'];
export type ToolAnswer<Name extends ToolName> = Api[Name]['result'];

/** A prompt as `prompts/list` sends it. */
export type PromptItem = Omit<Prompt, 'meta'> & { readonly _meta?: JsonObject };

/** The answer to `prompts/get`. */
export type PromptReply = Omit<RenderedPrompt, 'meta'> & { readonly _meta?: JsonObject };

/** The answer to `resources/read`. */
export interface ContentsReply {
  readonly contents: readonly ResourceContents[];
}
