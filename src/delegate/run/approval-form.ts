import type { AskRequest } from '../../context.ts';
import { isObject } from '../../json.ts';
import {
  type ApprovalAnswer,
  type ApprovalDecision,
  type ApprovalRequest,
  approvalDecisions,
} from '../agents/protocols/approval.ts';
import { describeRequest, quoteLines } from './run-progress.ts';

const decisionTitles: Readonly<Record<ApprovalDecision, string>> = {
  allow_once: 'Allow once',
  allow_run: 'Allow for this run',
  refuse: 'Refuse',
};
const [maxDetailChars, maxReasonChars] = [10_000, 500];
const tooLong = 'The request is too long for this form, which can only refuse it. The page shows all of it.';

/**
 * The form that asks a person about a request of an agent, and of the job of an autopilot with this title. Nobody can allow what
 * the form does not show whole.
 */
export function approvalForm(
  runId: string,
  request: ApprovalRequest & { readonly job?: string | undefined },
): AskRequest {
  const { command, cwd, reason, diff, host, tool, arguments: args, job } = request;
  const asker = job === undefined ? `The agent of run ${runId}` : `Job "${job}" (run ${runId})`;
  const summary = describeRequest(request);
  const details = [command, diff, host, tool, args].filter(
    (part) => part !== undefined && !`${summary}\n`.includes(` ${part}\n`),
  );
  const whole = [
    `${asker} asks for permission: ${summary}`,
    ...(cwd === undefined ? [] : [`Folder: ${cwd}`]),
    ...(reason === undefined ? [] : [`Reason: ${shorten(reason)}`]),
    ...details.map((part) => `> ${part}`),
  ]
    .map(quoteLines)
    .join('\n');
  const isWhole = whole.length <= maxDetailChars;
  const message = isWhole ? whole : `${tooLong}\n${whole.slice(0, maxDetailChars)}…`;
  const decisions = request.decisions.filter((decision) => isWhole || decision === 'refuse');
  return {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message,
      requestedSchema: {
        type: 'object',
        required: ['decision'],
        properties: {
          decision: {
            type: 'string',
            title: 'Decision',
            enum: decisions,
            enumNames: decisions.map((decision) => decisionTitles[decision]),
          },
          reason: { type: 'string', title: 'Reason', description: 'For the agent, if you refuse' },
        },
      },
    },
  };
}

function shorten(reason: string): string {
  return reason.length > maxReasonChars ? `${reason.slice(0, maxReasonChars)}…` : reason;
}

/** The answer in a filled form. A form that was only closed is no answer: the request stays open for others. */
export function toAnswer(response: Readonly<Record<string, unknown>>): ApprovalAnswer | undefined {
  if (response['action'] === 'decline') return { decision: 'refuse' };
  const { content } = response;
  if (response['action'] !== 'accept' || !isObject(content)) return undefined;
  const decision = approvalDecisions.find((one) => one === content['decision']);
  const { reason } = content;
  return decision && { decision, ...(typeof reason === 'string' && reason !== '' && { reason }) };
}
