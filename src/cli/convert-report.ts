/** What became of each document of `lectern convert`: lines of JSON for programs, a summary for people, and the exit code. */
import type { WrittenOutcome } from './conversion-way.js';
import { exitCodes } from './exit-codes.js';

export interface ConvertedSource {
  source: string;
  /** `up_to_date`: --resume left it out. */
  status: WrittenOutcome['status'] | 'up_to_date';
  /** Paths of what was written. */
  results: string[];
  errors: string[];
  seconds: number;
  /** Whether there was no such document. */
  isMissing: boolean;
}

const statusWords: Record<ConvertedSource['status'], string> = {
  success: 'converted', partial_success: 'in parts', failure: 'failed', skipped: 'of no known format', up_to_date: 'up to date',
};

export class ConvertReport {
  private readonly counts = new Map<ConvertedSource['status'], number>();
  private total = 0;
  private leftOut = 0;
  private missing = 0;

  constructor(private readonly json: boolean) {}

  /** `leftOut`: files of directories that are no documents. */
  begin(total: number, leftOut: number): void {
    [this.total, this.leftOut] = [total, leftOut];
  }

  add({ isMissing, ...document }: ConvertedSource): void {
    this.counts.set(document.status, (this.counts.get(document.status) ?? 0) + 1);
    if (isMissing) this.missing++;
    if (this.json) process.stdout.write(`${JSON.stringify({ ...document, seconds: Number(document.seconds.toFixed(3)) })}\n`);
  }

  /** Prints the summary where a user, or a log, has use for it; returns the exit code. */
  end(): number {
    const failed = this.count('failure') + this.count('skipped');
    if (this.json) process.stdout.write(`${JSON.stringify({ summary: { documents: this.total, ...Object.fromEntries(this.counts), other_files: this.leftOut } })}\n`);
    const isUsual = this.count('success') === this.total && this.leftOut === 0;
    if (this.total > 1 && (process.stderr.isTTY || !isUsual)) process.stderr.write(`lectern: ${this.summary()}\n`);
    if (failed > 0) return failed === this.missing && failed === this.total ? exitCodes.noInput : exitCodes.dataError;
    return this.count('partial_success') > 0 ? exitCodes.findings : exitCodes.ok;
  }

  /** What a user who has stopped the work wants to know. */
  stopped(): string {
    const done = [...this.counts.values()].reduce((sum, count) => sum + count, 0);
    return this.total < 2 ? '' : ` ${done} of ${this.total} documents were done; --resume goes on.`;
  }

  private count(status: ConvertedSource['status']): number {
    return this.counts.get(status) ?? 0;
  }

  private summary(): string {
    const parts = Object.entries(statusWords).map(([status, words]) => [this.count(status as ConvertedSource['status']), words] as const).filter(([count]) => count > 0);
    const others = this.leftOut === 0 ? '' : ` ${this.leftOut} files of other kinds were left out.`;
    return `${this.total} documents: ${parts.map(([count, words]) => `${count} ${words}`).join(', ')}.${others}`;
  }
}
