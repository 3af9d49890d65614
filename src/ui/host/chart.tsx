/** A line over the last minutes. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

const height = 120;

export function Chart({ title, at, values, unit }: { title: string; at: number[]; values: number[]; unit: string }): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  useEffect(() => {
    const target = element.current as HTMLDivElement;
    const styles = getComputedStyle(target);
    const [ink, line, accent] = ['--soft', '--line', '--accent'].map((name) => styles.getPropertyValue(name));
    const axis = { stroke: ink as string, grid: { stroke: line as string, width: 1 }, ticks: { show: false }, font: '11px system-ui' };
    plot.current = new UPlot({
      width: target.clientWidth, height, cursor: { show: false }, legend: { show: false }, scales: { y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.15)] } },
      axes: [{ ...axis, size: 26, space: 90, values: (_plot, ticks) => ticks.map((at) => new Date(at * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit' })) }, { ...axis, size: 44 }], series: [{}, { stroke: accent as string, width: 1.6, points: { show: false } }],
    }, [[], []], target);
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: target.clientWidth, height }));
    observer.observe(target);
    return () => { observer.disconnect(); plot.current?.destroy(); };
  }, []);
  useEffect(() => { plot.current?.setData([at, values]); }, [at, values]);
  const last = values.at(-1);
  return <figure class="chart card"><figcaption>{title}<strong>{last === undefined ? '–' : `${last >= 100 ? Math.round(last) : last.toFixed(1)} ${unit}`}</strong></figcaption><div ref={element} aria-hidden="true" /></figure>;
}
