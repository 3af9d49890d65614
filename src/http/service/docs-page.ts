/** The documentation page: one file without anything from elsewhere, which reads the API's own description and can try an upload. */
import { createHash } from 'node:crypto';

const style = `
:root { color-scheme: light dark; --ink: #1d2733; --soft: #5b6b7c; --line: #dde3ea; --paper: #fff; --ground: #f5f7f9; --mark: #0b6e6e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ebf0; --soft: #93a3b3; --line: #2c3742; --paper: #18202a; --ground: #10161d; --mark: #4fc3b8; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main, header { max-width: 60rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2.5rem; }
h1 { margin: 0; font-size: 1.9rem; letter-spacing: -.02em; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.05rem; text-transform: capitalize; }
p { color: var(--soft); margin: .25rem 0; }
a { color: var(--mark); }
.card, details { background: var(--paper); border: 1px solid var(--line); border-radius: 10px; }
.card { padding: 1.25rem; margin-top: 1.5rem; }
details { margin: .4rem 0; }
summary { cursor: pointer; padding: .6rem 1rem; display: flex; gap: .75rem; align-items: baseline; flex-wrap: wrap; list-style: none; }
summary span { color: var(--soft); margin-left: auto; font-size: .9rem; }
.inside { padding: 0 1rem 1rem; overflow-x: auto; }
.method { font: 600 .75rem/1.6 ui-monospace, monospace; width: 4.2rem; text-align: center; border-radius: 6px; color: #fff; background: #4a6572; }
.post { background: #0b6e6e; } .delete { background: #a83a3a; } .get { background: #2f5d9b; }
code, pre, td:first-child { font: .875rem/1.5 ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
td { border-top: 1px solid var(--line); padding: .35rem .75rem .35rem 0; vertical-align: top; }
td:nth-child(2) { color: var(--soft); white-space: nowrap; }
form { display: flex; gap: .75rem; flex-wrap: wrap; align-items: center; margin-top: .75rem; }
select, button, input { font: inherit; color: inherit; }
select, button { padding: .4rem .8rem; border-radius: 8px; border: 1px solid var(--line); background: var(--ground); }
button { background: var(--mark); color: var(--paper); border-color: var(--mark); cursor: pointer; }
button:disabled { opacity: .5; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 28rem; overflow: auto; background: var(--ground); border-radius: 8px; padding: 1rem; margin: 1rem 0 0; }
pre:empty { display: none; }
`;

const script = `
'use strict';
const make = (name, className, text) => {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};
const lookUp = (api, schema) => {
  const name = schema && schema.$ref && schema.$ref.split('/').pop();
  return name ? api.components.schemas[name] : schema || {};
};
const typeOf = (schema) => {
  if (!schema) return '';
  if (schema.$ref) return schema.$ref.split('/').pop();
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.oneOf) return schema.oneOf.map(typeOf).join(' | ');
  if (schema.type === 'array' && schema.items) return typeOf(schema.items) + '[]';
  return schema.type || '';
};
const rows = (api, operation) => {
  const all = (operation.parameters || []).map((one) => [one.name, one.schema, one.description, one.required]);
  const content = operation.requestBody ? Object.values(operation.requestBody.content)[0] : undefined;
  const body = content ? lookUp(api, content.schema) : {};
  for (const [name, schema] of Object.entries(body.properties || {})) {
    all.push([name, schema, schema.description, (body.required || []).includes(name)]);
  }
  return all;
};
const show = (api, method, path, operation) => {
  const box = make('details');
  const head = make('summary');
  head.append(make('b', 'method ' + method, method.toUpperCase()), make('code', '', path), make('span', '', operation.summary));
  const inside = make('div', 'inside');
  const table = make('table');
  for (const [name, schema, help, required] of rows(api, operation)) {
    const row = make('tr');
    const words = lookUp(api, schema && schema.items ? schema.items : schema).enum;
    const more = words && words.length < 15 ? ' One of: ' + words.join(', ') + '.' : '';
    const usual = schema && schema.default !== undefined && JSON.stringify(schema.default).length < 60 ? ' Default: ' + JSON.stringify(schema.default) + '.' : '';
    row.append(make('td', '', name + (required ? ' *' : '')), make('td', '', typeOf(schema)), make('td', '', (help || '') + more + usual));
    table.append(row);
  }
  inside.append(table.childElementCount ? table : make('p', '', 'Takes no parameters.'));
  box.append(head, inside);
  return box;
};
fetch('openapi.json').then((answer) => answer.json()).then((api) => {
  const groups = new Map();
  for (const [path, item] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const tag = operation.tags[0];
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push(show(api, method, path, operation));
    }
  }
  const routes = document.getElementById('routes');
  const first = ['convert', 'tasks'];
  const rank = (tag) => (first.includes(tag) ? first.indexOf(tag) : tag.startsWith('language') ? 5 : 10);
  for (const [tag, operations] of [...groups].sort(([a], [b]) => rank(a) - rank(b))) routes.append(make('h2', '', tag), ...operations);
});
const form = document.getElementById('try');
const output = document.getElementById('output');
const key = { md: 'md_content', json: 'json_content', html: 'html_content', text: 'text_content', doctags: 'doctags_content', latex: 'latex_content' };
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  button.disabled = true;
  output.textContent = 'Converting ...';
  const started = performance.now();
  try {
    const answer = await fetch('v1/convert/file', { method: 'POST', body: new FormData(form) });
    const body = await answer.json();
    const format = form.elements.to_formats.value;
    const content = body.document && body.document[key[format]];
    const problems = (body.errors || []).map((one) => one.error_message).join('\\n');
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const text = typeof content === 'string' ? content : JSON.stringify(content || body, null, 2);
    output.textContent = '[' + answer.status + ' ' + (body.status || '') + ', ' + seconds + ' s]' + (problems ? '\\n' + problems : '') + '\\n\\n' + text;
  } catch (error) {
    output.textContent = String(error);
  }
  button.disabled = false;
});
`;

const page = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Lectern</title>
<link rel="icon" href="favicon.svg">
<style>${style}</style>
</head>
<body>
<header>
<h1>Lectern</h1>
<p>Documents become markdown, over docling-serve's v1 contract; language models answer over OpenAI's and Ollama's. As data: <a href="openapi.json">OpenAPI 3.1</a>, <a href="openapi-3.0.json">OpenAPI 3.0</a>.</p>
</header>
<main>
<section class="card">
<b>Try it</b>
<p>The document stays on this service.</p>
<form id="try">
<input type="file" name="files" required aria-label="Document">
<select name="to_formats" aria-label="Format">
<option value="md">Markdown</option><option value="json">JSON</option><option value="html">HTML</option><option value="text">Text</option><option value="doctags">DocTags</option><option value="latex">LaTeX</option>
</select>
<button>Convert</button>
</form>
<pre id="output"></pre>
</section>
<section id="routes"></section>
<p>&nbsp;</p>
</main>
<script>${script}</script>
</body>
</html>
`;

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export const docsPage = {
  html: page,
  /** Nothing but what is on the page runs or is loaded. */
  contentSecurityPolicy: `default-src 'none'; img-src 'self'; connect-src 'self'; form-action 'self'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; base-uri 'none'; frame-ancestors 'none'`,
};

export const icon = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6e6e"/>'
  + '<path d="M7 10l9-3 9 3v13l-9 3-9-3z" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round"/><path d="M16 7v19" stroke="#fff" stroke-width="2"/></svg>';
