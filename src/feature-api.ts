import type { findTimeTool } from './assistant/tools/availability-tools.ts';
import type { calendarTools } from './assistant/tools/calendar-tools.ts';
import type { channelTool, testTool } from './assistant/tools/channel-tools.ts';
import type { eventTools } from './assistant/tools/event-tools.ts';
import type { explainTool } from './assistant/tools/explain-tool.ts';
import type { invitationTool } from './assistant/tools/invitation-tool.ts';
import type { meTool } from './assistant/tools/me-tool.ts';
import type { messageTool } from './assistant/tools/message-tool.ts';
import type { notificationTools } from './assistant/tools/notification-tools.ts';
import type { outboxTool } from './assistant/tools/outbox-tool.ts';
import type { previewTool } from './assistant/tools/preview-tool.ts';
import type { remindTool } from './assistant/tools/remind-tool.ts';
import type { replayTool } from './assistant/tools/replay-tool.ts';
import type { shareTools } from './assistant/tools/share-tools.ts';
import type { createUndo } from './assistant/tools/undo-tool.ts';
import type { userTools } from './assistant/tools/user-tools.ts';
import type { Context } from './context.ts';
import type { agentTools } from './delegate/tools/agent-tools.ts';
import type { compareTool } from './delegate/tools/compare-tool.ts';
import type { delegateTools } from './delegate/tools/delegate-tools.ts';
import type { forkTool } from './delegate/tools/fork-tool.ts';
import type { runTools } from './delegate/tools/run-tools.ts';
import type { statisticsTools } from './delegate/tools/statistics-tool.ts';
import type { createCatalogTools, createShow } from './prompts/tools/catalog-tools.ts';
import type { createEditingTools } from './prompts/tools/editing-tools.ts';
import type { createDeletedTool, createHistoryTool, createLabelTool } from './prompts/tools/history-tools.ts';
import type { createLibraryTools } from './prompts/tools/library-tools.ts';
import type { createTestTool } from './prompts/tools/test-tool.ts';
import type { createTryTools } from './prompts/tools/try-tools.ts';
import type { createUsageTool } from './prompts/tools/usage-tool.ts';
import type { ToolTypes } from './tool.ts';

/** The tools of the three features: name, arguments and result. Types only: importing this file loads nothing. */
export type FeatureApi = ToolTypes<
  | ReturnType<
      | typeof createCatalogTools
      | typeof createEditingTools
      | typeof createLibraryTools
      | typeof createTryTools
      | typeof delegateTools
      | typeof runTools
      | typeof agentTools
      | typeof statisticsTools
      | typeof userTools
      | typeof eventTools
      | typeof calendarTools
      | typeof shareTools
      | typeof notificationTools
    >[number]
  | ReturnType<
      | typeof createShow
      | typeof createDeletedTool
      | typeof findTimeTool
      | typeof invitationTool
      | typeof createHistoryTool
      | typeof createLabelTool
      | typeof createTestTool
      | typeof createUsageTool
      | typeof testTool
      | typeof explainTool
      | typeof remindTool
      | typeof messageTool
      | typeof meTool
      | typeof replayTool
      | typeof previewTool
      | typeof channelTool
      | typeof outboxTool
      | typeof forkTool
      | typeof compareTool
    >
  | ReturnType<typeof createUndo>['tool']
>;

/** Calls a tool of a feature through the engine. Throws failures. */
export type CallFeature = <Name extends keyof FeatureApi>(
  name: Name,
  args: FeatureApi[Name]['arguments'],
  context: Context,
) => Promise<FeatureApi[Name]['result']>;
