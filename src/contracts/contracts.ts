import { assistant } from './assistant.ts';
import { commands } from './commands.ts';
import type { Contract, ContractName } from './contract.ts';
import { delegate } from './delegate.ts';
import { jsonl } from './jsonl.ts';
import { standard } from './standard.ts';
import { twig } from './twig.ts';

export const contracts: Readonly<Record<ContractName, Contract>> = {
  standard,
  commands,
  jsonl,
  twig,
  delegate,
  assistant,
};
