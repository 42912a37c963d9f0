import { readlinkSync } from 'node:fs';

/** The place in which process ids mean the same. Containers that share a home each have their own, and often the same ids. */
const place = pidNamespace();
const self = `${process.pid}-${place}-${crypto.randomUUID()}`;
let names = 0;

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
  } catch {
    return '0';
  }
}

/** The name of an owner of leases, unique across all processes and machines. It begins with the process id. */
export function ownerName(): string {
  names += 1;
  return `${self}-${names}`;
}

/** True if the owner is known to have exited: nothing is known of a process of another machine or container. */
export function hasExited(owner: string): boolean {
  const [id, where] = owner.split('-');
  const pid = Number(id);
  if (where !== place || !Number.isSafeInteger(pid) || pid <= 0 || owner.startsWith(`${self}-`)) return false;
  return pid === process.pid || !isRunning(pid);
}

/** Whether a process with this id exists, also one of another user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
