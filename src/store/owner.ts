const self = `${process.pid}-${crypto.randomUUID()}`;
let names = 0;

/** The name of an owner of leases, unique across all processes and machines. It begins with the process id. */
export function ownerName(): string {
  names += 1;
  return `${self}-${names}`;
}

/**
 * True if the owner was a process of this machine that has exited. In a container, a new process often has the id of the one
 * before it.
 */
export function hasExited(owner: string): boolean {
  const pid = Number(owner.split('-')[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0 || owner.startsWith(`${self}-`)) return false;
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
