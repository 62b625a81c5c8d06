#include "simulator/page/style.hpp"

namespace capstan::simulator::page {

// Each series has its own shade, hatch or dash in addition to its colour, so that nothing is lost
// in print or to colour blindness.
std::string_view style_sheet() noexcept {
    return R"css(
:root {
  color-scheme: light dark;
  --page: #ffffff; --ink: #1d2430; --soft: #5b6675; --rule: #d5dae1; --card: #f5f7f9;
  --target: #0b3d91; --ready: #a9cdf0; --upcoming: #2f77c2; --max: #5b6675;
  --alone: #c8372d; --pending: #e3a52c; --pending-edge: #8a5a00;
  --grow: #14713d; --shrink: #6a3fa0; --trouble: #b3261e; --other: #5b6675; --bad: #fdecea;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14181e; --ink: #e4e8ee; --soft: #9aa5b4; --rule: #333b47; --card: #1c222b;
    --target: #b9d6ff; --ready: #29527d; --upcoming: #74aeea; --max: #9aa5b4;
    --alone: #ff7a6e; --pending: #a87a1e; --pending-edge: #f0c25a;
    --grow: #59c98a; --shrink: #b999f0; --trouble: #ff8a80; --other: #9aa5b4; --bad: #3a1c1a;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 28px 24px 60px; max-width: 1224px;
  background: var(--page); color: var(--ink);
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
}
h1 { font-size: 25px; line-height: 1.2; margin: 0 0 4px; }
h2 { font-size: 18px; margin: 34px 0 10px; }
h3 { font-size: 15px; margin: 0; }
a { color: inherit; }
.source { color: var(--soft); margin: 0 0 18px; }
.verdict { padding: 8px 12px; border-left: 4px solid var(--grow); background: var(--card); }
.verdict.unmet { border-color: var(--trouble); background: var(--bad); }
.verdict p { margin: 0; font-weight: 600; }
pre { margin: 6px 0 0; white-space: pre-wrap; font: 13px/1.4 ui-monospace, "DejaVu Sans Mono", monospace; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(270px, 1fr)); grid-auto-flow: dense; gap: 8px; margin: 16px 0 0; }
.figures div { background: var(--card); border: 1px solid var(--rule); border-radius: 6px; padding: 7px 11px; }
.figures .long { grid-column: 1 / -1; }
dt { color: var(--soft); font-size: 12.5px; }
dd { margin: 0; font-variant-numeric: tabular-nums; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; list-style: none; margin: 0 0 16px; padding: 0; font-size: 13px; }
.legend li { display: flex; align-items: center; gap: 6px; }
.legend svg { width: 30px; height: 16px; flex: none; }
.idle { margin: 2px 0 0; }
.strip { margin: 0 0 18px; break-inside: avoid; }
.strip header { display: flex; flex-wrap: wrap; gap: 2px 12px; align-items: baseline; padding-left: 44px; }
.strip header p { margin: 0; color: var(--soft); font-size: 13px; }
.strip svg { display: block; width: 100%; height: auto; }
svg text { font-size: 11px; fill: var(--soft); }
text.count { text-anchor: end; }
text.time { text-anchor: middle; }
text.last { text-anchor: end; }
.grid { stroke: var(--rule); fill: none; opacity: .75; }
.zero { stroke: var(--soft); fill: none; }
.ready { fill: var(--ready); }
.upcoming { fill: url(#upcoming); stroke: var(--upcoming); stroke-width: .8; }
.target { fill: none; stroke: var(--target); stroke-width: 2; stroke-linejoin: round; }
.max { fill: none; stroke: var(--max); stroke-width: 1.4; stroke-dasharray: 7 4; }
.pending { fill: url(#pending); stroke: var(--pending-edge); stroke-width: 1.2; }
.back-off .ground { fill: var(--alone); opacity: .13; }
.back-off .hatch { fill: url(#alone); stroke: var(--alone); stroke-width: .8; }
.dots { fill: var(--upcoming); }
.ground-of-pending { fill: var(--pending); }
.lines-of-pending { stroke: var(--pending-edge); stroke-width: .7; }
.lines-of-alone { stroke: var(--alone); stroke-width: 1.3; }
.cell { fill: transparent; }
.cell:hover { fill: var(--ink); opacity: .08; }
.mark { fill: var(--other); stroke: none; color: var(--other); }
.mark.increase, .mark.decrease { fill: var(--grow); color: var(--grow); }
.mark.removal, .mark.eviction { fill: var(--shrink); color: var(--shrink); }
.mark.failure, .mark.unschedulable, .mark.unmet { fill: var(--trouble); color: var(--trouble); }
.mark text { font-size: 10px; fill: var(--ink); }
.mark:hover, .mark:focus { stroke: var(--ink); stroke-width: 1; }
.hollow { fill: var(--page); stroke: currentColor; stroke-width: 1.6; }
.line { fill: none; stroke: currentColor; stroke-width: 2; }
.ink { fill: none; stroke: var(--page); stroke-width: 1.6; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; }
th { text-align: left; white-space: nowrap; color: var(--soft); font-weight: 600; position: sticky; top: 0; background: var(--page); }
th, td { padding: 4px 12px 4px 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
td { white-space: pre-wrap; overflow-wrap: anywhere; }
td.when { width: 1%; white-space: nowrap; font-variant-numeric: tabular-nums; }
td.kind { width: 1%; white-space: normal; }
td.kind svg { width: 16px; height: 16px; display: block; margin-top: 2px; }
tr:target { background: var(--card); outline: 2px solid var(--target); }
.hidden { position: absolute; width: 0; height: 0; overflow: hidden; }
@page { size: A4 landscape; margin: 12mm; }
@media print {
  :root {
    color-scheme: light;
    --page: #fff; --ink: #000; --soft: #333; --rule: #bbb; --card: #fff;
    --target: #000; --ready: #c9c9c9; --upcoming: #000; --max: #000;
    --alone: #000; --pending: #fff; --pending-edge: #000;
    --grow: #000; --shrink: #000; --trouble: #000; --other: #000; --bad: #fff;
  }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { padding: 0; max-width: none; font-size: 11px; }
  h2, header { break-after: avoid; }
  tr { break-inside: avoid; }
  thead { display: table-header-group; }
  th { position: static; }
  .back-off .ground { opacity: .05; }
}
)css";
}

std::string_view patterns() noexcept {
    return R"svg(<pattern id="upcoming" width="5" height="5" patternUnits="userSpaceOnUse">
<circle class="dots" cx="1.5" cy="1.5" r="1"/><circle class="dots" cx="4" cy="4" r="1"/></pattern>
<pattern id="pending" width="6" height="6" patternUnits="userSpaceOnUse">
<rect class="ground-of-pending" width="6" height="6"/><path class="lines-of-pending" d="M0 3H6"/></pattern>
<pattern id="alone" width="7" height="7" patternUnits="userSpaceOnUse">
<path class="lines-of-alone" d="M-1 8 8-1M-1 1 1-1M6 8 8 6"/></pattern>
)svg";
}

}  // namespace capstan::simulator::page
