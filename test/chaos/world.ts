import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createStore, type Store } from '../../src/store/store.ts';
import { nativeCodex } from '../delegate/workbench.ts';
import type { Model } from '../model/responses-model.ts';
import { type Postgres, startPostgres } from '../postgres.ts';
import { heapFlags } from '../prove/http.ts';
import { AcknowledgedWrites } from './acknowledged-writes.ts';
import { type ChaosClient, httpChaosClient, stdioClient } from './client.ts';
import { Clock } from './clock.ts';
import { type Receivers, startReceivers } from './receivers.ts';
import { ServiceProcess } from './service-process.ts';

export type Engine = 'SQLite' | 'PostgreSQL';

export interface WorldOptions {
  readonly engine: Engine;
  /** Folder of the world. Faults fill its disk only if it is a small disk of its own. */
  readonly folder: string;
  readonly isSmallDisk: boolean;
  readonly model: Model;
}

/** Folders beside the small disk, which never become full. */
const ownFolders = ['codex', 'tmp'];

/** One installation with all its processes, receivers and clients. */
export class World {
  readonly engine: Engine;
  readonly folder: string;
  readonly home: string;
  readonly project: string;
  readonly isSmallDisk: boolean;
  readonly databaseUrl: string;
  readonly postgres: Postgres | undefined;
  readonly receivers: Receivers;
  readonly clock: Clock;
  readonly writes = new AcknowledgedWrites();
  readonly problems: string[] = [];
  readonly services: readonly ServiceProcess[];
  readonly clients: readonly ChaosClient[];
  /** A server that suffers every fault but is never killed, to measure its memory. */
  readonly witness: ServiceProcess;
  readonly store: Store;

  private constructor(
    { engine, folder, isSmallDisk }: WorldOptions,
    codex: string,
    ports: readonly number[],
    receivers: Receivers,
    database: { postgres?: Postgres; url: string },
  ) {
    this.engine = engine;
    this.folder = folder;
    this.isSmallDisk = isSmallDisk;
    this.home = join(folder, 'home');
    this.project = join(folder, 'project');
    this.receivers = receivers;
    this.postgres = database.postgres;
    this.databaseUrl = database.url;
    this.clock = new Clock(`${folder}.clock`);
    this.store = createStore(this.databaseUrl);
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: this.home,
      ADJUTANT_HOME: this.home,
      CODEX_HOME: `${folder}.codex`,
      // Codex needs helper programs to use the bwrap of the machine, and creates none below the temporary folder.
      TMPDIR: `${folder}.tmp`,
      ...(this.postgres && { DATABASE_URL: this.databaseUrl }),
      ADJUTANT_LOG_LEVEL: 'warning',
      ADJUTANT_TOOLSETS: 'all',
      ADJUTANT_DELIVERY_SMTP_URL: receivers.smtpUrl,
      ADJUTANT_DELIVERY_WEBHOOK_SECRET: 'chaos',
      ADJUTANT_DELIVERY_PRIVATE_HOSTS: '127.0.0.1',
      // An attempt takes half of it at most. On a busy machine, a receiver needs seconds to answer.
      ADJUTANT_DELIVERY_LEASE_SECONDS: '30',
      ADJUTANT_DELEGATE_COMMAND: writeAgent(`${folder}.codex`, codex),
      ADJUTANT_DELEGATE_MAX_PARALLEL: '2',
      ADJUTANT_DELEGATE_ON_DISCONNECT: 'finish',
      ADJUTANT_DELEGATE_ANSWER_WITHIN_SECONDS: '1',
      ...this.clock.env,
    };
    const service = (name: string, args: readonly string[], nodeFlags: readonly string[] = []) =>
      new ServiceProcess({ name, args, nodeFlags, env, cwd: folder, report: this.report });
    const http = (port: number) => ['serve', '--http', '--port', String(port)];
    const stdio = service('server on stdio', ['serve']);
    this.witness = service('server on HTTP that is not killed', http(ports[1]!), heapFlags);
    const server = service('server on HTTP', http(ports[0]!));
    this.services = [
      server,
      service('first worker', ['worker']),
      service('second worker', ['worker']),
      stdio,
      this.witness,
    ];
    const token = join(this.home, 'token');
    this.clients = [
      stdioClient(stdio, this.report),
      httpChaosClient('session', server, `http://127.0.0.1:${ports[0]}`, token, this.report),
      httpChaosClient('modern', this.witness, `http://127.0.0.1:${ports[1]}`, token, this.report),
    ];
  }

  static async create(options: WorldOptions): Promise<World> {
    const { engine, folder, model } = options;
    for (const name of ['home', 'project/marks']) mkdirSync(join(folder, name), { recursive: true });
    for (const ending of ownFolders) mkdirSync(`${folder}.${ending}`);
    writeFileSync(join(`${folder}.codex`, 'config.toml'), model.config);
    writeFileSync(join(folder, 'project', 'README.md'), '# A project\n');
    execFileSync('git', ['init', '-q'], { cwd: join(folder, 'project') });
    const postgres = engine === 'PostgreSQL' ? await startPostgres() : undefined;
    const url = (await postgres?.createDatabase('chaos')) ?? join(folder, 'home', 'adjutant.db');
    const ports = [await freePort(), await freePort()];
    return new World(options, await nativeCodex(), ports, await startReceivers(), {
      ...(postgres && { postgres }),
      url,
    });
  }

  /** Starts every process, except the server on stdio, which its client starts. */
  start(): void {
    for (const service of this.services) if (service.name !== 'server on stdio') service.start();
  }

  readonly report = (problem: string): void => {
    this.problems.push(problem);
    console.error(`${this.engine}: ${problem}`);
  };

  async close(): Promise<void> {
    await Promise.all(this.services.map((service) => service.stop('SIGTERM')));
    await this.store.close();
    await this.postgres?.close();
    await this.receivers.close();
    for (const ending of ownFolders)
      rmSync(`${this.folder}.${ending}`, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Starts Codex with the real clock: libfaketime does not work in the sandbox of its commands. */
function writeAgent(folder: string, codex: string): string {
  const file = join(folder, 'agent');
  writeFileSync(file, `#!/bin/sh\nunset LD_PRELOAD FAKETIME_SHARED\nexec '${codex}' "$@"\n`, { mode: 0o755 });
  return file;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
