import { draftOwner } from './draft-storage.ts';

/** Who made a change, by the name that the server records: a person rather than the program that was used. */
export function authorOf(name: string | undefined): string {
  const [, program = name ?? '', actor = 'owner'] = /^(.*) \((.+)\)$/.exec(name ?? '') ?? [];
  const person = personOf(actor);
  // The page is where one is anyway.
  return program === '' || program === 'adjutant-page' ? person : `${person} with ${program}`;
}

/** An actor of the server in words. */
function personOf(actor: string): string {
  if (actor === draftOwner()) return 'you';
  return actor === 'owner' ? 'the owner' : actor.replace(/^(token|oauth) /, '');
}
