/** Numbers for people. */

const units = ['B', 'KB', 'MB', 'GB', 'TB'];

/** "1.4 GB": powers of 1,000, as disks are sold. */
export function bytes(count: number): string {
  const step = count < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(count) / 3));
  const value = count / 1000 ** step;
  return `${value >= 100 || step === 0 ? Math.round(value) : value.toFixed(1)} ${units[step]}`;
}

/** "3 s", "2 min", "1 h 5 min". */
export function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function count(value: number): string {
  return value.toLocaleString('en-US');
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

export function timeOfDay(ms: number): string {
  return new Date(ms).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
}

/** The record without one of its names. */
export function without<T>(record: Record<string, T>, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
}
