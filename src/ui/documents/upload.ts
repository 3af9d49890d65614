/** An upload that says how much of it is sent, which fetch() does not. */
import { needsKey, ServiceError } from '../lib/api.js';
import { texts } from '../texts.js';
import type { TaskStatus } from './types.js';

export function uploadForm(path: string, form: FormData, { key, signal, onSent }: { key: string; signal: AbortSignal; onSent: (share: number) => void }): Promise<{ status: TaskStatus; ignored: string }> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', new URL(`../${path}`, document.baseURI));
    if (key !== '') request.setRequestHeader('authorization', `Bearer ${key}`);
    request.upload.onprogress = ({ loaded, total }) => { if (total > 0) onSent(loaded / total); };
    request.onerror = () => reject(new ServiceError(texts.errors.unreachable, 0));
    request.onabort = () => reject(new DOMException('', 'AbortError'));
    request.onload = () => {
      const { status, responseText } = request;
      if (status === 200) return resolve({ status: JSON.parse(responseText) as TaskStatus, ignored: request.getResponseHeader('x-lectern-ignored-options') ?? '' });
      if (status === 401 || status === 403) needsKey.value = true;
      reject(new ServiceError(detailOf(responseText) ?? texts.errors.status(status), status));
    };
    signal.addEventListener('abort', () => request.abort());
    request.send(form);
  });
}

function detailOf(body: string): string | undefined {
  try {
    const { detail } = JSON.parse(body) as { detail?: unknown };
    if (Array.isArray(detail)) return detail.map((one: { loc?: unknown[]; msg?: string }) => `${String(one.loc?.at(-1) ?? '')}: ${one.msg ?? ''}`).join('; ');
    return typeof detail === 'string' ? detail : undefined;
  } catch {
    return undefined;
  }
}
