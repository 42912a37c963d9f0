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
const maxDetailChars = 4_000;

/** The form that asks a person about a request of an agent, and of the job of an autopilot with this title. */
export function approvalForm(
  runId: string,
  request: ApprovalRequest & { readonly job?: string | undefined },
): AskRequest {
  const { cwd, reason, diff, decisions, job } = request;
  const asker = job === undefined ? `The agent of run ${runId}` : `Job "${job}" (run ${runId})`;
  const message = [
    `${asker} asks for permission: ${describeRequest(request)}`,
    ...(cwd === undefined ? [] : [`Folder: ${cwd}`]),
    ...(reason === undefined ? [] : [`Reason: ${reason}`]),
    ...(diff === undefined ? [] : [`> ${diff}`]),
  ]
    .map(quoteLines)
    .join('\n');
  return {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: message.slice(0, maxDetailChars),
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

/** The answer in a filled form. A form that was only closed is no answer: the request stays open for others. */
export function toAnswer(response: Readonly<Record<string, unknown>>): ApprovalAnswer | undefined {
  if (response['action'] === 'decline') return { decision: 'refuse' };
  const { content } = response;
  if (response['action'] !== 'accept' || !isObject(content)) return undefined;
  const decision = approvalDecisions.find((one) => one === content['decision']);
  const { reason } = content;
  return decision && { decision, ...(typeof reason === 'string' && reason !== '' && { reason }) };
}
