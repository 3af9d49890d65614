/** A request as a program in Python (requests) and in JavaScript (fetch), for the API reference. */

/** An immutable map, as Swagger UI gives requests. */
export interface Example { get(name: string): unknown }

interface Plain { method: string; url: string; headers: Record<string, string>; body: unknown; form: [name: string, value: string, isFile: boolean][] | null }

function plain(request: Example): Plain {
  const asObject = (value: unknown): unknown => (typeof (value as { toJS?: unknown } | null)?.toJS === 'function' ? (value as { toJS(): unknown }).toJS() : value);
  const headers = (asObject(request.get('headers')) ?? {}) as Record<string, string>;
  const body = asObject(request.get('body'));
  const isForm = Object.entries(headers).some(([name, value]) => name.toLowerCase() === 'content-type' && /multipart/.test(value));
  return { method: String(request.get('method') ?? 'GET'), url: new URL(String(request.get('url')), document.baseURI).href, headers: isForm ? withoutType(headers) : headers, body, form: isForm ? formOf(body) : null };
}

function withoutType(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-type'));
}

function formOf(body: unknown): [string, string, boolean][] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) => [value as unknown].flat().map((one): [string, string, boolean] => {
    const isFile = one instanceof Blob || /^files?$/.test(name);
    return [name.replace(/^_\*\*\[\]\d*/, ''), one instanceof File ? one.name : isFile ? 'document.pdf' : String(one), isFile];
  }));
}

function textOf(body: unknown): string | null {
  if (body === undefined || body === null || body === '') return null;
  return typeof body === 'string' ? body : JSON.stringify(body, null, 2);
}

/** The JSON text as Python writes it. */
function asPython(text: string): string {
  try {
    const write = (value: unknown, indent: string): string => {
      if (value === null) return 'None';
      if (typeof value === 'boolean') return value ? 'True' : 'False';
      if (typeof value !== 'object') return JSON.stringify(value);
      const deeper = `${indent}    `;
      const [open, close] = Array.isArray(value) ? '[]' : '{}';
      const inside = Array.isArray(value) ? value.map((one) => write(one, deeper)) : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${write(one, deeper)}`);
      return inside.length === 0 ? `${open}${close}` : `${open}\n${inside.map((one) => deeper + one).join(',\n')},\n${indent}${close}`;
    };
    return write(JSON.parse(text), '');
  } catch {
    return JSON.stringify(text);
  }
}

export function pythonOf(request: Example): string {
  const { method, url, headers, body, form } = plain(request);
  const lines = ['import requests', '', `response = requests.request(`, `    ${JSON.stringify(method)}, ${JSON.stringify(url)},`];
  if (Object.keys(headers).length > 0) lines.push(`    headers=${asPython(JSON.stringify(headers)).replaceAll('\n', '\n    ')},`);
  if (form !== null) {
    lines.push(`    files=[${form.filter(([, , isFile]) => isFile).map(([name, value]) => `(${JSON.stringify(name)}, open(${JSON.stringify(value)}, "rb"))`).join(', ')}],`);
    lines.push(`    data=[${form.filter(([, , isFile]) => !isFile).map(([name, value]) => `(${JSON.stringify(name)}, ${JSON.stringify(value)})`).join(', ')}],`);
  } else if (textOf(body) !== null) lines.push(`    json=${asPython(textOf(body) as string).replaceAll('\n', '\n    ')},`);
  return [...lines, ')', 'response.raise_for_status()', 'print(response.text)'].join('\n');
}

export function javascriptOf(request: Example): string {
  const { method, url, headers, body, form } = plain(request);
  const lines: string[] = [];
  if (form !== null) {
    lines.push('// files: of an <input type="file">, or new File([bytes], name)', 'const form = new FormData();');
    for (const [name, value, isFile] of form) lines.push(`form.append(${JSON.stringify(name)}, ${isFile ? 'file' : JSON.stringify(value)});`);
  }
  const text = textOf(body);
  const sent = form !== null ? ['  body: form,'] : text === null ? [] : [`  body: JSON.stringify(${text.replaceAll('\n', '\n  ')}),`];
  lines.push(`const response = await fetch(${JSON.stringify(url)}, {`, `  method: ${JSON.stringify(method)},`, `  headers: ${JSON.stringify(headers)},`, ...sent, '});', 'if (!response.ok) throw new Error(await response.text());', 'console.log(await response.text());');
  return lines.join('\n');
}
