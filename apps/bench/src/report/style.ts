/** In light and in dark. */
const colours = `:root { color-scheme: light dark; --ground: #fff; --ink: #1c2024; --soft: #5b6470; --line: #d9dee4; --panel: #f5f7f9;
  --strategy: #1f6feb; --control: #9aa7b5; --limit: #b35900; --bad: #b3261e; --shade: rgb(28 32 36 / 30%); }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14171a; --ink: #e6e9ec; --soft: #9aa4af; --line: #343a41; --panel: #1c2024;
    --strategy: #58a6ff; --control: #6b7683; --limit: #f0a35e; --bad: #ff8a80; --shade: rgb(230 233 236 / 25%); }
}
`;

/** What the picture of p99 against the rate needs, on the page and as a file of its own. */
const chartStyle = `svg text { fill: var(--ink); } svg .tick { fill: var(--soft); }
svg .grid { stroke: var(--line); } svg .strategy { fill: var(--strategy); } svg .control { fill: var(--control); }
svg .leader { stroke: var(--soft); stroke-width: 0.6; fill: none; }
.candidate { --own: var(--strategy); } .candidate.control { --own: var(--control); fill: none; }
.candidate .dot { fill: var(--own); } .candidate .ring { fill: var(--ground); stroke: var(--own); stroke-width: 2; }
.candidate .line { fill: none; stroke: var(--own); stroke-width: 1.5; stroke-dasharray: 2 3; } .candidate.chosen .line { stroke-width: 3; }
.candidate .label { paint-order: stroke; stroke: var(--ground); stroke-width: 3px; }
.candidate.chosen .label { font-weight: bold; } .candidate.control .label { fill: var(--soft); }
svg .mark { stroke: var(--limit); stroke-width: 2; stroke-dasharray: 7 4; }
svg .marking { fill: var(--limit); font-weight: bold; paint-order: stroke; stroke: var(--ground); stroke-width: 4px; }
`;

/** Of the picture as a file of its own. */
export const pictureStyle = `${colours}${chartStyle}svg { font: 12px system-ui, sans-serif; } .ground { fill: var(--ground); }`;

/** The style of the whole page, which contains it. */
export const pageStyle = `
${colours}body { margin: 0 auto; padding: 1rem 1rem 4rem; max-width: 84rem; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.25rem; margin: 0; } h2 { font-size: 1.1rem; margin: 0; overflow-wrap: anywhere; }
header { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: baseline; margin-bottom: 0.5rem; }
p, li { max-width: 62rem; } p { margin: 0.5rem 0; } .soft { color: var(--soft); } header p { margin: 0; }
a { color: var(--strategy); }
.bad, .bad li { color: var(--bad); } .panel { background: var(--panel); padding: 0.5rem 1rem; border-radius: 6px; max-width: none; }
main > .panel { margin: 0 0 0.75rem; font-size: 0.875rem; }
.first { display: grid; gap: 0 1.5rem; margin-bottom: 0.75rem; }
@media (min-width: 64rem) { .first { grid-template-columns: 1fr 1fr; } }
.verdict { border-left: 4px solid var(--strategy); font-size: 0.875rem; margin-bottom: 0.75rem; }
.verdict h2 { font-size: 1.35rem; } .verdict p { margin: 0.3rem 0; } .verdict pre { background: var(--ground); }
/* A table that goes on beyond an edge has a shadow there. */
.scroll { overflow-x: auto; background:
  linear-gradient(90deg, var(--ground) 40%, transparent) left / 2.5rem 100% no-repeat local,
  linear-gradient(270deg, var(--ground) 40%, transparent) right / 2.5rem 100% no-repeat local,
  linear-gradient(90deg, var(--shade), transparent) left / 0.9rem 100% no-repeat scroll,
  linear-gradient(270deg, var(--shade), transparent) right / 0.9rem 100% no-repeat scroll; }
table { border-collapse: collapse; font-size: 0.8125rem; line-height: 1.35; width: 100%; }
caption { text-align: left; color: var(--soft); padding-bottom: 0.25rem; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.75rem 0.3rem 0; border-bottom: 1px solid var(--line); }
td { font-variant-numeric: tabular-nums; min-width: 4rem; } th[scope="row"] { white-space: nowrap; }
thead th { vertical-align: bottom; } small { display: block; color: var(--soft); font-weight: normal; }
@media screen and (max-width: 64rem) { .decision table { width: 66rem; } .decision th:first-child:not([colspan]) { position: sticky; left: 0; background: var(--ground); } }
.decision p, .decision li { font-size: 0.8125rem; } .decision p { margin: 0.15rem 0; } .decision td:nth-child(5) { min-width: 10.5rem; } .part td:last-child { min-width: 12rem; }
.group th[scope="rowgroup"] { font-weight: normal; color: var(--soft); padding-top: 0.75rem; }
.group span { position: sticky; left: 0; display: inline-block; max-width: calc(100vw - 2.5rem); }
svg { width: 100%; max-width: 28rem; height: auto; display: block; font-size: 12px; }
${chartStyle}.picture { margin: 0; } .picture figcaption { font-size: 0.8125rem; }
nav { margin: 1rem 0; } nav ul { display: flex; flex-wrap: wrap; gap: 0 1.5rem; padding: 0; margin: 0.25rem 0; list-style: none; }
.part { border-top: 1px solid var(--line); margin: 0; padding: 0.5rem 0; } .part > div { padding-bottom: 1rem; scroll-margin-top: 3rem; }
.part > summary h2 { display: inline; color: var(--ink); }
code { font-family: ui-monospace, monospace; font-size: 0.9em; overflow-wrap: anywhere; }
details { margin: 0.5rem 0; } summary { cursor: pointer; color: var(--soft); }
pre { background: var(--panel); padding: 0.75rem; overflow-x: auto; margin: 0.5rem 0; }
:focus-visible { outline: 2px solid var(--strategy); outline-offset: 2px; }
@media print {
  body { max-width: none; padding: 0; font-size: 11px; } table { font-size: 9px; }
  nav { display: none; }
  details::details-content { content-visibility: visible; display: block; }
  section, svg, tr, figure { break-inside: avoid; } thead { display: table-row-group; }
  th, td { min-width: 0 !important; padding-right: 0.4rem; overflow-wrap: anywhere; } thead th { overflow-wrap: normal; }
  .scroll { overflow: visible; background: none; } summary { list-style: none; }
}
`;
