// Three small styles: for the tests of the builder, and as an example of a style program.
import { createInterface } from 'node:readline';

const sheets: Record<string, string> = {
  'tiny-plain': '@page{size:A4;margin:2cm;@top-center{content:"Report";font-size:8pt}@bottom-right{content:counter(page);font-size:8pt}} body{font-family:serif;font-size:10.5pt} table{border-collapse:collapse} td,th{border:1px solid;padding:2px 6px}',
  'tiny-columns': '@page{size:letter;margin:1.5cm 1.5cm 2cm;@bottom-center{content:"Page " counter(page) " of " counter(pages);font-size:7pt}} body{font-family:sans-serif;font-size:9pt;columns:2;text-align:justify;hyphens:auto} h1{column-span:all;text-align:center;letter-spacing:.1em} table{width:100%} thead th{border-bottom:1px solid;background:#246;color:white} tr:nth-child(even) td{background:#eee} ul{list-style:none} li::before{content:"– "} p::first-letter{color:red}',
  'tiny-landscape': '@page{size:A5 landscape;margin:1cm} body{font-family:sans-serif;font-size:8pt;color:#333} h2{border-left:4px solid #c33;padding-left:6px;font-variant:small-caps} td,th{padding:1px 10px;text-align:left} [data-kind=page-footer]{position:fixed;bottom:0;left:0;right:0;border-top:1px solid} caption{caption-side:bottom} thead th{writing-mode:vertical-rl}',
};
if (process.argv[2] === 'list') process.stdout.write(JSON.stringify(Object.keys(sheets).map((origin) => ({ origin, licence: 'own', weight: 1, family: origin }))));
else createInterface({ input: process.stdin }).on('line', (line) => {
  const { origin } = JSON.parse(line) as { origin: string };
  process.stdout.write(`${JSON.stringify(sheets[origin] === undefined ? { error: `no origin ${origin}` } : { origin, family: origin, css: sheets[origin], page: { header: 'margin-boxes' } })}\n`);
});
