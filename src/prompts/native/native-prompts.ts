import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { replaceFile } from '../../atomic-file.ts';
import { Failure } from '../../failure.ts';
import { isObject } from '../../json.ts';
import { nearest } from '../../nearest.ts';
import { Pace } from '../../pace.ts';
import { readRegularBytesSync } from '../../regular-file.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { type NativeClient, NotExpressible, type TextFile } from '../formats/format.ts';
import { loadFormats } from '../formats/formats.ts';
import { type Choice, type FolderChanges, NativeFolder } from './native-folder.ts';
import { type FollowedPrompts, nativeListFile } from './native-sync.ts';

/** A client's own folder, in the user's home or in a project. */
export interface NativePlace {
  readonly client: NativeClient;
  readonly home: string;
}

export interface NativeReport extends FolderChanges {
  readonly client: string;
  readonly folder: string;
  /** What to type for each prompt. */
  readonly commands: readonly string[];
  /** Commands that are kept although clients list their prompts no longer. */
  readonly unlisted: readonly string[];
  /** Chosen prompts that are not written, or not exactly, each with the reason. */
  readonly problems: readonly { readonly prompt: string; readonly reason: string }[];
}

interface Options {
  /** Only report what would change. */
  readonly dry?: boolean;
  /** Keep the commands of prompts that clients list no longer: only a person who reads the report removes them. */
  readonly keepsUnlisted?: boolean;
}

/** All clients whose commands or skills Adjutant can write. */
export async function nativeClients(): Promise<readonly NativeClient[]> {
  return (await loadFormats()).flatMap(({ native }) => native ?? []);
}

/** Writes prompts as the commands or skills of clients, and keeps these files up to date. */
export class NativePrompts {
  readonly #stateDir: string;
  readonly #library: Pick<FollowedPrompts, 'entries' | 'exposed'>;

  constructor(stateDir: string, library: Pick<FollowedPrompts, 'entries' | 'exposed'>) {
    this.#stateDir = resolve(stateDir);
    this.#library = library;
  }

  /** Throws if a chosen prompt or tag does not exist. */
  async assertKnown({ prompts, tags }: Choice): Promise<void> {
    const entries = await this.#library.entries();
    const known = {
      prompt: entries.map(({ definition }) => definition.name),
      tag: [...new Set(entries.flatMap(({ definition }) => definition.tags))],
    };
    for (const [kind, chosen] of [
      ['prompt', prompts],
      ['tag', tags],
    ] as const) {
      const missing = chosen.find((name) => !known[kind].includes(name));
      if (missing === undefined) continue;
      const meant = nearest(missing, known[kind]);
      throw new Failure(
        'invalid-params',
        `There is no ${kind} ${missing}; ${meant ? `did you mean ${meant}?` : 'adjutant prompts list shows all.'}`,
      );
    }
  }

  async install(place: NativePlace, choice: Choice, options: Options = {}): Promise<NativeReport> {
    const report = await this.#write(place, choice, options);
    if (!options.dry) this.#remember([...(await this.#others(place)), place]);
    return report;
  }

  /** Updates all folders, or those of one client. Folders that were removed by hand are forgotten. */
  async sync({
    client,
    ...options
  }: Options & { readonly client?: string } = {}): Promise<readonly NativeReport[]> {
    const reports: NativeReport[] = [];
    const places = await this.#places();
    for (const place of places.filter((one) => client === undefined || one.client.id === client)) {
      const choice = this.#folder(place).choice();
      if (choice !== undefined) reports.push(await this.#write(place, choice, options));
      else if (!options.dry) this.#remember(await this.#others(place));
    }
    return reports;
  }

  /** `undefined` if there is nothing of ours. */
  async uninstall(place: NativePlace, { dry = false }: Options = {}): Promise<NativeReport | undefined> {
    const folder = this.#folder(place);
    const changes = folder.remove(dry);
    if (changes === undefined) return undefined;
    if (!dry) this.#remember(await this.#others(place));
    const nothing = { commands: [], unlisted: [], problems: [] };
    return { client: place.client.id, folder: folder.path, ...nothing, ...changes };
  }

  async #write(
    place: NativePlace,
    choice: Choice,
    { dry = false, keepsUnlisted = false }: Options,
  ): Promise<NativeReport> {
    const { client } = place;
    const folder = this.#folder(place);
    const files = new Map<string, TextFile>();
    const commands: string[] = [];
    const unlisted: string[] = [];
    const problems: { prompt: string; reason: string }[] = [];
    const entries = await this.#library.entries();
    const exposed = new Set(choice.exposed ? await this.#library.exposed(entries) : []);
    const isChosen = (entry: CatalogEntry) =>
      exposed.has(entry) ||
      choice.prompts.includes(entry.definition.name) ||
      entry.definition.tags.some((tag) => choice.tags.includes(tag));
    const [chosen, others] = [entries.filter(isChosen), entries.filter((entry) => !isChosen(entry))];
    const print = async (entry: CatalogEntry, report: (reason: string) => void) => {
      if (isFrom(entry, place)) throw new NotExpressible(`it comes from ${client.title} itself`);
      const escaped = new Set<string>();
      const printed = await client.print(entry.definition, (found) => escaped.add(found));
      if (escaped.size > 0)
        report(`written with ${[...escaped].join(', ')} escaped, which ${client.title} would interpret`);
      return printed;
    };
    const pace = new Pace();
    for (const entry of chosen) {
      const { name } = entry.definition;
      const report = (reason: string) => problems.push({ prompt: name, reason });
      try {
        const printed = await print(entry, report);
        // File names may differ only in case, which some disks do not distinguish.
        if (printed.some(({ path }) => files.has(path.toLowerCase())))
          throw new NotExpressible('another prompt has the same file name');
        for (const file of printed) files.set(file.path.toLowerCase(), file);
        commands.push(client.typed(name));
      } catch (error) {
        if (!(error instanceof NotExpressible)) throw error;
        report(`not written: ${error.message}`);
      }
      await pace.pause;
    }
    const known = keepsUnlisted && choice.exposed ? folder.paths() : new Set<string>();
    const isKept = [...known].some((path) => !files.has(path.toLowerCase()));
    for (const entry of isKept ? others : []) {
      const printed = await print(entry, () => {}).catch((error: unknown) => {
        if (error instanceof NotExpressible) return [];
        throw error;
      });
      await pace.pause;
      if (printed.length === 0 || !printed.every(({ path }) => known.has(path))) continue;
      if (printed.some(({ path }) => files.has(path.toLowerCase()))) continue;
      for (const file of printed) files.set(file.path.toLowerCase(), file);
      unlisted.push(client.typed(entry.definition.name));
    }
    const changes = folder.replace([...files.values()], choice, dry);
    return { client: client.id, folder: folder.path, commands, unlisted, problems, ...changes };
  }

  #folder({ client, home }: NativePlace): NativeFolder {
    const owner = createHash('sha256').update(this.#stateDir).digest('hex').slice(0, 16);
    return new NativeFolder(join(home, client.folder), owner);
  }

  async #places(): Promise<readonly NativePlace[]> {
    const file = nativeListFile(this.#stateDir);
    if (!existsSync(file)) return [];
    let listed: unknown;
    try {
      listed = JSON.parse(readRegularBytesSync(file).toString('utf8'));
    } catch {
      throw new Failure('unavailable', `${file} is damaged; remove it and run adjutant install again`);
    }
    const clients = await nativeClients();
    return (Array.isArray(listed) ? listed : []).filter(isObject).flatMap(({ client: id, home }) => {
      const client = clients.find((known) => known.id === id);
      return client === undefined || typeof home !== 'string' ? [] : [{ client, home }];
    });
  }

  async #others({ client, home }: NativePlace): Promise<readonly NativePlace[]> {
    return (await this.#places()).filter((known) => known.client.id !== client.id || known.home !== home);
  }

  #remember(places: readonly NativePlace[]): void {
    const file = nativeListFile(this.#stateDir);
    if (places.length === 0) {
      rmSync(file, { force: true });
      return;
    }
    const list = places.map(({ client, home }) => ({ client: client.id, home }));
    replaceFile(file, `${JSON.stringify(list, null, 2)}\n`);
  }
}

/** True if the client already has the prompt, because Adjutant mounts it from there. */
function isFrom({ definition: { file } }: CatalogEntry, { client, home }: NativePlace): boolean {
  return file.startsWith(home + sep) || file.includes(sep + client.projectHome + sep);
}
