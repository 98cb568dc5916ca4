package report

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"carina"
	"carina/geometry"
	"carina/internal/quantity"
	"carina/internal/terminal"
)

// write makes the text of the file.
func (n *NewCase) write(c *carina.Case, surface *geometry.Surface, p *geometry.Prepared, discs []geometry.Disc, cut bool) {
	var w strings.Builder
	line := func(format string, values ...any) { fmt.Fprintf(&w, format+"\n", values...) }
	line("# A case for carina run, made by carina init. All lines can be changed; what stands behind # is a comment.")
	path := c.Surface
	if relative, err := filepath.Rel(filepath.Dir(n.File), path); err == nil {
		path = relative
	}
	line("surface: %s", strconv.Quote(path))
	unit := geometry.WeighUnit(surface, p)
	certainty := string(unit.Certainty)
	if unit.Certainty != geometry.Given {
		certainty += ": " + terminal.Line(unit.Reason)
	}
	line("unit: %s  # %s", surface.Unit, certainty)
	if c.Label != 0 {
		line("label: %d", c.Label)
	}
	if len(discs) > 0 {
		line("")
		line("# The lumen has no flat ends. It is cut at these places: centre in the surface's unit, radius around the tube.")
		before := ""
		if !cut {
			before = "# "
		}
		line("%sopenings:", before)
		for _, d := range discs {
			u := float64(surface.Unit)
			line("%s  - {name: %s, center: [%.6g, %.6g, %.6g], radius: %.4gmm}", before, d.Name, d.Center.X/u, d.Center.Y/u, d.Center.Z/u, d.Radius*1e3)
		}
	}
	n.writeOpenings(line, p.Openings)
	n.writeSpacing(line, p)
	line("")
	line("flow: " + usualFlow + "  # through the inlet, about the mean of quiet breathing; with waveform: breathing:4s air goes in and out")
	line("# waveform: breathing:4s")
	if n.Time > 0 {
		line("time: %.4gs  # ends then, so that it takes no longer than was asked for", n.Time)
		line("tolerance: 0.005  # and earlier, when pressure drop and shares are known within this part")
	} else {
		line("# time: 0.5s  # ends then; without it, when the flow is steady")
	}
	line("ranks: %d", usualRanks)
	n.text = w.String()
}

// writeOpenings lists the openings and gives each outlet its share.
func (n *NewCase) writeOpenings(line func(string, ...any), openings []geometry.Opening) {
	if len(openings) < 2 {
		return
	}
	line("")
	line("# number, name, role, area, diameter, how sure it is that the lumen ends there:")
	inlet := 0
	for i := range openings {
		o := &openings[i]
		line("#   %2d  %-12s %-6s %10s %9s  %3.0f %%", o.Number, terminal.Line(o.Name), o.Role, quantity.FormatArea(o.Area), quantity.FormatLength(2*math.Sqrt(o.Area/math.Pi)), 100*(1-o.Doubt))
		if o.Role == geometry.Inlet && inlet == 0 {
			inlet = o.Number
		}
	}
	line("inlet: %d", inlet)
	line("")
	line("# Each outlet takes a share in proportion to its area to the power of %.1f. With the same pressure at all of them,", areaPower)
	line("# which is what they have without these lines, the lengths to which the branches happen to be cut would decide;")
	line("# kind: windkessel with proximal-resistance, distal-resistance and compliance stands for the lung behind.")
	line("conditions:")
	names := map[string]string{}
	for i := range openings {
		names[strconv.Itoa(openings[i].Number)] = openings[i].Name
	}
	for _, k := range conditionsOf(openings) {
		closed := ""
		if number, err := strconv.Atoi(k.Opening); err == nil && slices.Contains(n.Closed, number) {
			closed = ": closed, as no cell meets it at this spacing; the others take its share"
		}
		line("  - {opening: %s, kind: %s, share: %.4g}  # %s%s", k.Opening, k.Kind, k.Share, terminal.Line(names[k.Opening]), closed)
	}
}

// writeSpacing says what a spacing costs, and what others would.
func (n *NewCase) writeSpacing(line func(string, ...any), p *geometry.Prepared) {
	narrowest := math.Inf(1)
	for i := range p.Openings {
		narrowest = min(narrowest, 2*math.Sqrt(p.Openings[i].Area/math.Pi))
	}
	line("")
	line("# spacing, cells, memory and, where two ends are open, steps and time on this machine: of one exchange of the air, which")
	line("# a flow takes at least, of three, after which one ends that fluctuates too much for more to help, and of ten, the most:")
	for i, factor := range finer {
		h := n.Spacing * factor
		cells := int64(p.Volume / (h * h * h))
		plan := carina.Plan{Cells: cells, Memory: 90 * cells}
		if i < len(n.Plans) {
			plan = n.Plans[i]
		}
		line("#   %s: %s", quantity.FormatLength(h), n.costWords(&plan))
		if narrowest < math.Inf(1) {
			line("#     %.1f cells across the narrowest end%s", narrowest/h, dropWords(&plan))
		}
	}
	line("spacing: %.3gmm", n.Spacing*1e3)
}

// costWords says what a plan takes.
func (n *NewCase) costWords(plan *carina.Plan) string {
	words := fmt.Sprintf("%s cells, %s", quantity.Grouped(plan.Cells), quantity.FormatBytes(plan.Memory))
	if plan.Branches > 0 {
		words += fmt.Sprintf(" and %s for the branches at the end", quantity.FormatBytes(plan.Branches))
	}
	if plan.Most == 0 || n.Updates == 0 {
		return words
	}
	seconds := func(steps int64) string { return lasting(float64(steps) * float64(plan.Cells) / n.Updates) }
	return words + fmt.Sprintf(", %s, %s and %s steps: %s, %s and %s", quantity.Grouped(plan.Least), quantity.Grouped(plan.Usual), quantity.Grouped(plan.Most),
		seconds(plan.Least), seconds(plan.Usual), seconds(plan.Most))
}

// dropWords says how far a plan's pressure drops may be off.
func dropWords(plan *carina.Plan) string {
	if plan.PressureDrops == "" {
		return ""
	}
	return "; pressure drops may be " + plan.PressureDrops
}
