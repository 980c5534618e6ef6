/** The style of the whole page, which contains it. */
export const pageStyle = `
:root { color-scheme: light dark; --ground: #fff; --ink: #1c2024; --soft: #5b6470; --line: #d9dee4; --panel: #f5f7f9;
  --strategy: #1f6feb; --control: #9aa7b5; --limit: #b35900; --bad: #b3261e;
  --dots-0: #1f6feb; --dots-1: #b35900; --dots-2: #1a7f37; --dots-3: #a0399c; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14171a; --ink: #e6e9ec; --soft: #9aa4af; --line: #343a41; --panel: #1c2024;
    --strategy: #58a6ff; --control: #6b7683; --limit: #f0a35e; --bad: #ff8a80;
    --dots-0: #58a6ff; --dots-1: #f0a35e; --dots-2: #56d364; --dots-3: #e38ae0; }
}
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 80rem; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2.5rem 0 0.5rem; }
p, li { max-width: 62rem; } p { margin: 0.5rem 0; } .soft { color: var(--soft); }
.bad, .bad li { color: var(--bad); } .panel { background: var(--panel); padding: 0.75rem 1rem; border-radius: 6px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9rem; width: 100%; }
caption { text-align: left; color: var(--soft); padding-bottom: 0.25rem; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.75rem 0.35rem 0; border-bottom: 1px solid var(--line); }
td { font-variant-numeric: tabular-nums; min-width: 4rem; } th[scope="row"] { white-space: nowrap; }
td:last-child { min-width: 12rem; } .panel h2 { margin-top: 0; }
td small { display: block; color: var(--soft); }
svg { width: 100%; min-width: 34rem; height: auto; max-width: 46rem; display: block; margin: 0.5rem 0; font-size: 13px; }
svg text { fill: var(--ink); } svg .tick { fill: var(--soft); }
svg .grid { stroke: var(--line); } svg .strategy { fill: var(--strategy); } svg .control { fill: var(--control); }
svg .line { fill: none; stroke-width: 2; } svg .line.strategy { stroke: var(--strategy); fill: none; }
svg .line.control { stroke: var(--control); fill: none; } svg .leader { stroke: var(--line); fill: none; }
svg .whisker { stroke: var(--ink); fill: none; } svg .limit { stroke: var(--limit); stroke-width: 2; }
svg.small { min-width: 0; max-width: 26rem; } svg .mark { stroke: var(--ink); stroke-dasharray: 5 4; }
svg .marked { fill: var(--limit); opacity: 0.25; } svg .part { stroke: var(--ground); }
svg .dots { fill: none; stroke-width: 4; stroke-linecap: round; }
svg .dots-0 { stroke: var(--dots-0); } svg .dots-1 { stroke: var(--dots-1); } svg .dots-2 { stroke: var(--dots-2); } svg .dots-3 { stroke: var(--dots-3); } 
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(18rem, 100%), 1fr)); gap: 0.5rem 1.5rem; }
figure { margin: 0; }
figcaption { font-size: 0.9rem; } .tells { color: var(--strategy); }
code { font-family: ui-monospace, monospace; font-size: 0.9em; overflow-wrap: anywhere; }
details { margin: 0.5rem 0; } summary { cursor: pointer; color: var(--soft); }
pre { background: var(--panel); padding: 0.75rem; overflow-x: auto; margin: 0.5rem 0; }
.verdict { border-left: 4px solid var(--strategy); margin: 1rem 0; } .verdict h2 { margin-top: 0; }
.verdict pre { background: var(--ground); }
.chooser form { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; align-items: end; margin: 0.5rem 0 1rem; }
.chooser label { display: grid; gap: 0.15rem; color: var(--soft); font-size: 0.9rem; }
.chooser .box { display: flex; gap: 0.4rem; align-items: center; }
select, input { font: inherit; color: var(--ink); background: var(--ground); border: 1px solid var(--soft);
  border-radius: 4px; padding: 0.25rem 0.4rem; max-width: 12rem; }
:focus-visible { outline: 2px solid var(--strategy); outline-offset: 2px; }
@media print { .chooser form { display: none; } }
@media print { body { max-width: none; padding: 0; font-size: 11px; } section, svg, tr, figure { break-inside: avoid; } .scroll { overflow: visible; } }
`;
