/** A modal dialog of the platform: it keeps the focus inside, and Escape closes it. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { texts } from '../texts.js';

export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={element} aria-label={title} onClose={onClose} onClick={(event) => { if (event.target === element.current) onClose(); }}>
      <div class="dialog-inside">
        <header><h2>{title}</h2><button type="button" class="quiet" aria-label={texts.close} onClick={onClose}>✕</button></header>
        {children}
      </div>
    </dialog>
  );
}
