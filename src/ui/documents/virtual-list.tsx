/** A list of which only the rows near the view are there: a document of 1,000 pages scrolls like one of ten. */
import type { JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

interface Props<Row> {
  rows: Row[];
  keyOf: (row: Row) => string | number;
  /** Pixels, until a row has been measured. */
  estimate: (row: Row, width: number) => number;
  render: (row: Row) => JSX.Element;
  label: string;
  /** The row to scroll to; each wish is a new object. */
  wanted: { index: number } | null;
  onFirst: (index: number) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

/** Pixels above and below the view in which rows are made. */
const margin = 900;

export function VirtualList<Row>({ rows, keyOf, estimate, render, label, wanted, onFirst, onKeyDown }: Props<Row>): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const measured = useRef(new Map<string | number, number>());
  const [version, setVersion] = useState(0);
  const [view, setView] = useState({ top: 0, height: 800, width: 800 });
  const tops = useMemo(() => {
    let sum = 0;
    const starts = rows.map((row) => {
      const start = sum;
      sum += measured.current.get(keyOf(row)) ?? estimate(row, view.width);
      return start;
    });
    return [...starts, sum];
  }, [rows, version, view.width]);
  const indexAt = (pixel: number): number => {
    let [low, high] = [0, rows.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((tops[middle] as number) <= pixel) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  useView(scroller, setView);
  const first = indexAt(Math.max(0, view.top - margin));
  const last = indexAt(view.top + view.height + margin);
  const current = indexAt(view.top + 80);
  useEffect(() => { onFirst(current); }, [current]);
  const target = useRef<{ index: number; tries: number } | null>(null);
  useEffect(() => { target.current = wanted === null ? null : { index: wanted.index, tries: 8 }; settle(); }, [wanted]);
  const settle = (): void => {
    const aim = target.current;
    if (aim === null || scroller.current === null) return;
    scroller.current.scrollTop = tops[aim.index] ?? 0;
    aim.tries -= 1;
    if (aim.tries <= 0) target.current = null;
  };
  // Rows that turn out larger than estimated move those behind them: the aim is taken again.
  useLayoutEffect(settle, [tops]);
  const onSize = (row: Row, height: number): void => {
    const key = keyOf(row);
    const before = measured.current.get(key) ?? estimate(row, view.width);
    if (Math.abs(before - height) < 1) return;
    measured.current.set(key, height);
    const element = scroller.current;
    const start = tops[rows.indexOf(row)] ?? 0;
    if (element !== null && target.current === null && start + before < element.scrollTop) element.scrollTop += height - before;
    setVersion((one) => one + 1);
  };
  return (
    <div class="virtual" ref={scroller} tabIndex={0} role="region" aria-label={label} onKeyDown={onKeyDown} onWheel={() => { target.current = null; }}>
      <div class="virtual-inside" style={{ height: `${tops.at(-1) ?? 0}px` }}>
        {rows.slice(first, last + 1).map((row, index) => <Row key={keyOf(row)} top={tops[first + index] ?? 0} onSize={(height) => onSize(row, height)}>{render(row)}</Row>)}
      </div>
    </div>
  );
}

interface View { top: number; height: number; width: number }

/** Reports what of the scroller is in view, at every change. */
function useView(scroller: RefObject<HTMLDivElement | null>, onView: (view: View) => void): void {
  useLayoutEffect(() => {
    const element = scroller.current as HTMLDivElement;
    const look = (): void => onView({ top: element.scrollTop, height: element.clientHeight, width: element.clientWidth });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    look();
    return () => { observer.disconnect(); element.removeEventListener('scroll', look); };
  }, []);
}

function Row({ top, onSize, children }: { top: number; onSize: (height: number) => void; children: JSX.Element }): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const report = useRef(onSize);
  report.current = onSize;
  useLayoutEffect(() => {
    const row = element.current as HTMLDivElement;
    const observer = new ResizeObserver(() => report.current(row.offsetHeight));
    observer.observe(row);
    return () => observer.disconnect();
  }, []);
  return <div class="virtual-row" ref={element} style={{ top: `${top}px` }}>{children}</div>;
}
