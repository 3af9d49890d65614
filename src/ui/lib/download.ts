/** Gives a text or bytes to the user as a file, and texts to the clipboard. */
import { zipSync } from 'fflate';

export function download(name: string, content: string | Uint8Array, type: string): void {
  const address = URL.createObjectURL(new Blob([content as BlobPart], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export function downloadZip(name: string, files: Record<string, string>): void {
  const encoder = new TextEncoder();
  download(name, zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, encoder.encode(text)]))), 'application/zip');
}

/** navigator.clipboard is there in secure contexts alone, and a host of a private network is often none. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}
