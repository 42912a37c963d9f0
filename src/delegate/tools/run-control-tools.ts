import { type Context, owner } from '../../context.ts';
import { Denied, Failure } from '../../failure.ts';
import { defineTool, hints, type ToolResult } from '../../tool.ts';
import { approvalDecisions, approvalSchema, type RunOrder } from '../agents/protocols/approval.ts';
import { personOf } from '../run/approval-questions.ts';
import { mayDecide } from '../run/approvers.ts';
import { readCaller } from '../run/permissions.ts';
import { describeRequest } from '../run/run-progress.ts';
import type { DelegationRuntime } from './delegation-runtime.ts';
import { type OpenRuns, runId } from './run-change-tools.ts';

const outputSchema = {
  type: 'object',
  required: ['run_id'],
  properties: { run_id: { type: 'string' } },
} as const;
/** An agent gets a message, and may lose its work. */
const annotations = { ...hints.adds, destructiveHint: true, openWorldHint: true };

/** An order without its sender. */
type Unsigned<Order> = Order extends unknown ? Omit<Order, 'by'> : never;

type Send = (
  id: string,
  order: Unsigned<RunOrder>,
  context: Context,
  text: string,
) => Promise<ToolResult<{ readonly run_id: string }>>;

/** The tools that send messages and answers to the agents of runs in progress. */
export function runControlTools(runs: OpenRuns, runtime: () => Promise<DelegationRuntime>) {
  /** The runs whose requests the caller may answer: those of everybody. */
  const requested = async (context: Context) => {
    const { delegation } = await runtime();
    if (!(await mayDecide(context.actor, delegation.options)))
      throw new Denied(
        'refused',
        'Only the owner and the people in delegate.approvers answer requests of agents. Their token has the scope calendar:ID with their id.',
      );
    return (await runs(context)).visibleTo(owner);
  };
  const send: Send = async (id, order, context, text) => {
    const { delegation } = await runtime();
    if (await delegation.isSubagent(readCaller(context)))
      throw new Failure('refused', 'A sub-agent may not control runs.');
    const reachable = await (order.kind === 'answer' ? requested(context) : runs(context));
    await reachable.order(id, { ...order, by: personOf(context) } as RunOrder);
    return { structured: { run_id: id }, content: [{ type: 'text', text }] };
  };
  return [steerRun(send), listApprovals(requested), answerApproval(send)] as const;
}

function steerRun(send: Send) {
  return defineTool({
    name: 'steer_run',
    toolsets: ['runs'],
    scope: 'delegate:read-only',
    inViews: true,
    replaces: ['interrupt_run'],
    title: 'Steer Run',
    description:
      'Sends a message to the agent of a run in progress, which reads it before its next step. With interrupt, the agent and its commands stop first; without a message the run ends, and delegate_resume can continue it.',
    searchHint: 'message tell redirect interrupt stop running subagent',
    phrases:
      'steer message tell correct redirect guide nudge hint instruct add while working running agent helper sub-agent in the middle mid-turn say note remark change direction mention inform speak interrupt pause stop current step turn command do something else instead change of plan new instruction hold break in switch drop what it is doing',
    inputSchema: {
      type: 'object',
      required: ['run_id'],
      properties: {
        run_id: runId,
        message: { type: 'string', minLength: 1, description: 'For the agent. Required without interrupt' },
        interrupt: { type: 'boolean', default: false, description: 'Stop the agent first' },
      },
    },
    outputSchema,
    annotations,
    async call({ run_id, message, interrupt }, context) {
      if (interrupt)
        return send(
          run_id,
          { kind: 'interrupt', ...(message !== undefined && { message }) },
          context,
          message === undefined ? 'The run was interrupted.' : 'The agent continues with the message.',
        );
      if (message === undefined)
        throw new Failure('invalid-params', 'steer_run needs a message for the agent, or interrupt.');
      return send(run_id, { kind: 'steer', message }, context, 'The agent has the message.');
    },
  });
}

function listApprovals(requested: OpenRuns) {
  return defineTool({
    name: 'list_approvals',
    toolsets: ['runs'],
    scope: 'approvals',
    title: 'List Approvals',
    description:
      'Lists what the agents of runs in progress ask permission for, until answer_approval answers it.',
    searchHint: 'permission requests pending subagent',
    phrases:
      'approvals permissions requests pending waiting asks wants allowed may agent helper questions open consent confirm decide queue',
    inputSchema: { type: 'object', properties: {} },
    outputSchema: {
      type: 'object',
      required: ['approvals'],
      properties: {
        approvals: {
          type: 'array',
          items: {
            ...approvalSchema,
            required: ['run_id', ...approvalSchema.required],
            properties: { ...approvalSchema.properties, run_id: { type: 'string' } },
          },
        },
      },
    },
    annotations: hints.reads,
    async call(_, context) {
      const approvals = await (await requested(context)).openRequests();
      const lines = approvals.map(
        (request) => `${request.run_id} ${request.id}: ${describeRequest(request)}`,
      );
      return {
        structured: { approvals },
        content: [{ type: 'text', text: lines.join('\n') || 'No agent asks for permission.' }],
      };
    },
  });
}

function answerApproval(send: Send) {
  return defineTool({
    name: 'answer_approval',
    toolsets: ['runs'],
    scope: 'approvals',
    inViews: true,
    title: 'Answer Approval',
    description:
      'Answers what the agent of a run asks permission for. Call it only with the decision of the user.',
    searchHint: 'approve allow deny refuse permission subagent',
    phrases:
      'approve allow permit grant yes deny refuse reject no answer permission request agent helper wants run command consent confirm decision okay let it forbid',
    inputSchema: {
      type: 'object',
      required: ['run_id', 'approval_id', 'decision'],
      properties: {
        run_id: runId,
        approval_id: { type: 'string', minLength: 1, description: 'From list_approvals' },
        decision: { enum: approvalDecisions, description: 'allow_run: also for the rest of the run' },
        reason: { type: 'string', description: 'For the agent, if refused' },
      },
    },
    outputSchema,
    annotations,
    call: ({ run_id, approval_id, decision, reason }, context) =>
      send(
        run_id,
        { kind: 'answer', approval: approval_id, decision, ...(reason !== undefined && { reason }) },
        context,
        decision === 'refuse' ? 'Refused.' : 'Allowed.',
      ),
  });
}
