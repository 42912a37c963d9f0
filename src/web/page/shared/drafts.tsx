import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../controls/fields.tsx';
import {
  draftOwner,
  type FormName,
  isSecretField,
  readDraft,
  removeDraft,
  useDraftChanges,
  writeDraft,
} from './draft-storage.ts';
import { useToast } from './toast.tsx';
import { pageLocale } from './zone-time.ts';

export interface Draft<Fields extends object> {
  readonly form: FormName;
  readonly fields: Fields;
  set(changed: Partial<Fields>): void;
  /** The two attributes that connect a field of the form with a value. */
  field<Name extends keyof Fields>(
    name: Name,
  ): { readonly value: Fields[Name]; change(value: Fields[Name]): void };
  readonly edited: boolean;
  /** When something was typed last, in milliseconds since 1970. */
  readonly at: number;
  /** Shows again what the form showed before something was typed, unless more was typed since this was rendered. */
  clear(): void;
  /** Brings back what was typed. */
  restore(fields: Fields): void;
}

/**
 * The values of a form. What is typed survives navigation, a reload, a crash and a new sign-in, except in fields that can hold
 * secrets. `about` names the thing that the form is about, and `chosen` the fields that were chosen elsewhere, such as a dragged
 * slot: a draft with another choice does not replace them.
 */
export function useDraft<Fields extends object>(
  form: FormName,
  about: string,
  first: () => Fields,
  { chosen = [] }: { readonly chosen?: readonly (keyof Fields)[] } = {},
): Draft<Fields> {
  const key = `${form}/${about}`;
  const base = first();
  const load = () => {
    const stored = readDraft<Fields>(key);
    if (!stored) return { fields: base, at: 0 };
    // What was not typed follows the thing, which may have changed meanwhile.
    const same = (name: string, one: Fields, other: Fields) =>
      JSON.stringify(one[name as keyof Fields]) === JSON.stringify(other[name as keyof Fields]);
    const typed = Object.entries(stored.value).filter(
      ([name]) =>
        !same(name, stored.value, stored.base) &&
        !(chosen.includes(name as keyof Fields) && !same(name, stored.base, base)),
    );
    return { fields: { ...base, ...(Object.fromEntries(typed) as Partial<Fields>) }, at: stored.at };
  };
  const [{ fields, at }, setState] = useState(load);
  const owner = draftOwner();
  const loadedFor = useRef(`${owner} ${key}`);
  useDraftChanges();
  const kept = (all: Fields) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !isSecretField(form, name))) as Fields;
  const edited = JSON.stringify(fields) !== JSON.stringify(base);
  // A layout effect runs synchronously, so a reload right after the last key keeps the draft.
  useLayoutEffect(() => {
    if (loadedFor.current !== `${owner} ${key}`) {
      loadedFor.current = `${owner} ${key}`;
      if (!edited) return setState(load());
    }
    const [typed, before] = [kept(fields), kept(base)];
    if (JSON.stringify(typed) === JSON.stringify(before)) removeDraft(key);
    else if (at > 0) writeDraft(key, { value: typed, base: before, at });
  }, [fields, owner, key]);
  const restore = (value: Fields) => setState({ fields: value, at: Date.now() });
  const set = (changed: Partial<Fields>) =>
    setState((now) => ({ fields: { ...now.fields, ...changed }, at: Date.now() }));
  return {
    ...{ form, fields, set, edited, at, restore },
    field: (name) => ({
      value: fields[name],
      change: (value) => set({ [name]: value } as unknown as Partial<Fields>),
    }),
    clear: () => {
      // An answer may arrive after somebody has typed the next thing into the same form.
      const isOurs = (value: Fields | undefined) => JSON.stringify(value) === JSON.stringify(kept(fields));
      if (isOurs(readDraft<Fields>(key)?.value)) removeDraft(key);
      setState((now) => (isOurs(kept(now.fields)) ? { fields: first(), at: 0 } : now));
    },
  };
}

/** Says quietly that what was typed is kept, and discards it, with undo. Nothing while the form is as it was. */
export function DraftMark<Fields extends object>({ draft }: { readonly draft: Draft<Fields> }) {
  const toast = useToast();
  if (!draft.edited) return null;
  const discard = () => {
    const { fields } = draft;
    draft.clear();
    toast({ text: 'Draft discarded.', undo: async () => draft.restore(fields) });
  };
  return <DraftNote at={draft.at} discard={discard} />;
}

export function DraftNote({ at, discard }: { readonly at: number; discard?(): void }) {
  const time = new Date(at).toLocaleTimeString(pageLocale(), { timeStyle: 'short' });
  return (
    <>
      <span class="draft">Draft{at > 0 && `, ${time}`}</span>
      {discard && (
        <Button class="plain small" onClick={discard}>
          Discard draft
        </Button>
      )}
    </>
  );
}
