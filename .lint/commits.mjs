// Commit subjects since the rule began: at most 72 characters, no full stop at the end. A clone without that history is not checked.
import { execFileSync } from 'node:child_process';

/** The last commit before the rule. */
const before = 'd5fd9b6';
const longest = 72;

let subjects;
try {
  subjects = execFileSync('git', ['log', '--no-merges', '--format=%h %s', `${before}..HEAD`], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).split('\n').filter((line) => line !== '');
} catch {
  process.exit(0);
}
const wrong = subjects.filter((line) => line.slice(line.indexOf(' ') + 1).length > longest || line.endsWith('.'));
for (const line of wrong) process.stderr.write(`${line}: a subject has at most ${longest} characters and no full stop.\n`);
process.exitCode = wrong.length > 0 ? 1 : 0;
