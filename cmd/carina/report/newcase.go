package report

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"carina"
	"carina/geometry"
	"carina/internal/quantity"
	"carina/internal/terminal"
	"carina/solver/airflow"
)

// NewCase is a case file that was written for a surface.
type NewCase struct {
	File    string   `json:"file"`
	Picture string   `json:"picture"`
	Ends    int      `json:"ends"`
	Cells   int64    `json:"fluid_cells"`
	Spacing float64  `json:"spacing_m"`
	Notes   []string `json:"notes"`
	// Plans are what the spacing and finer ones will take, Updates how many updates of
	// cells a second this machine made of a few steps; empty and 0 where there are no two
	// ends yet.
	Plans   []carina.Plan `json:"plans"`
	Updates float64       `json:"updates_per_second"`
	text    string
}

const (
	// firstCells are those of a first look on processors.
	firstCells = 150_000
	// areaPower is the power of an outlet's area to which its share of the flow is
	// proportional: that of the diameter's cube, by which branches divide what they carry
	// (Murray 1926).
	areaPower = 1.5
	// trialSteps are computed to know the speed.
	trialSteps = 2 * airflow.CheckInterval
	// usualFlow is that of quiet breathing, usualRanks share the work.
	usualFlow, usualRanks = "15L/min", 2
)

// InitCase prepares a case file for a surface: its unit, all ends with roles, names and
// shares, and a spacing with what it costs. With cut, all places where the lumen could be
// cut are; else they are named, for choosing by hand.
func InitCase(ctx context.Context, c *carina.Case, file, picture string, cut bool) (*NewCase, error) {
	surface, err := c.ReadSurface()
	if err != nil {
		return nil, err
	}
	p, options, err := c.Prepare(surface, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Surface, err)
	}
	n := &NewCase{File: file, Picture: picture, Notes: append([]string{}, p.Warnings...)}
	var discs []geometry.Disc
	if len(p.Openings) < 2 {
		if discs, err = geometry.SuggestOpenings(ctx, p); err != nil || len(discs) < 2 {
			return nil, fmt.Errorf("%s has no two ends, and no places were found where it could be cut: look at it with carina inspect --picture, and name openings with --opening x,y,z,radius,name", c.Surface)
		}
		if cut {
			options.Openings = discs
			if p, err = geometry.Prepare(surface, options); err != nil {
				return nil, fmt.Errorf("%s: %w", c.Surface, err)
			}
		} else {
			n.Notes = append(n.Notes, fmt.Sprintf("%s where the lumen could be cut are listed as comments: uncomment all that air shall pass, since what stays closed changes the flow everywhere, or begin again with --cut-ends", quantity.Count(len(discs), "place")))
		}
	}
	if words := geometry.DoubtWords(p.Openings, p.Perhaps); words != "" {
		n.Notes = append(n.Notes, words)
	}
	n.Ends = len(p.Openings)
	n.Spacing = spacingFor(p.Volume)
	n.Cells = int64(p.Volume / math.Pow(n.Spacing, 3))
	if len(p.Openings) > 1 {
		if err := n.plan(ctx, c, p, options); err != nil {
			n.Notes = append(n.Notes, fmt.Sprintf("what the run will take is not known: %v", err))
		}
	}
	n.write(c, surface, p, discs, cut)
	return n, nil
}

// plan finds out what a run at the spacing and at finer ones will take, by the rules of the
// run itself, and computes a few steps to know the speed.
func (n *NewCase) plan(ctx context.Context, c *carina.Case, p *geometry.Prepared, options geometry.Options) error {
	trial := *c
	trial.Flow, trial.Ranks, trial.Conditions = usualFlow, usualRanks, conditionsOf(p.Openings)
	options.Spacing = n.Spacing
	grid, _, err := geometry.VoxelizePrepared(ctx, p, options)
	if err != nil {
		return err
	}
	n.Cells = grid.Cells()
	for _, factor := range finer {
		plan, err := trial.PlanOn(grid, factor)
		if err != nil {
			return err
		}
		n.Plans = append(n.Plans, plan)
	}
	partition, err := trial.Partition(grid)
	if err != nil {
		return err
	}
	trial.Steps = trialSteps
	flow, err := carina.Open(grid, partition, trial, carina.Discard(), carina.Listen(carina.Listener{
		Announce: func(o carina.Outlook) { n.Updates = o.MLUPS * 1e6 },
	}))
	if err != nil {
		return err
	}
	return flow.Run(ctx)
}

// finer are the factors of the spacing for which is told what they take.
var finer = []float64{1, 0.7, 0.5}

// conditionsOf gives each outlet its share.
func conditionsOf(openings []geometry.Opening) (list []carina.ConditionCase) {
	sum := 0.0
	for i := range openings {
		if openings[i].Role == geometry.Outlet {
			sum += math.Pow(openings[i].Area, areaPower)
		}
	}
	for i := range openings {
		if o := &openings[i]; o.Role == geometry.Outlet {
			// With the digits that the file has.
			share, err := strconv.ParseFloat(fmt.Sprintf("%.4g", math.Pow(o.Area, areaPower)/sum), 64)
			if err == nil {
				list = append(list, carina.ConditionCase{Opening: strconv.Itoa(o.Number), Kind: "share", Share: share})
			}
		}
	}
	return list
}

// spacingFor gives a volume as many cells as a first look has, with two digits.
func spacingFor(volume float64) float64 {
	spacing := math.Cbrt(volume / firstCells)
	digit := math.Pow(10, math.Floor(math.Log10(spacing))-1)
	return math.Round(spacing/digit) * digit
}

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
	line("# time: 0.5s  # ends then; without it, when the flow is steady")
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
		line("  - {opening: %s, kind: %s, share: %.4g}  # %s", k.Opening, k.Kind, k.Share, terminal.Line(names[k.Opening]))
	}
}

// writeSpacing says what a spacing costs, and what others would.
func (n *NewCase) writeSpacing(line func(string, ...any), p *geometry.Prepared) {
	narrowest := math.Inf(1)
	for i := range p.Openings {
		narrowest = min(narrowest, 2*math.Sqrt(p.Openings[i].Area/math.Pi))
	}
	line("")
	line("# spacing, cells, memory and, where two ends are open, steps and time on this machine: from one exchange of the air to ten, as the flow becomes steady sooner or later:")
	for i, factor := range finer {
		h := n.Spacing * factor
		cells := int64(p.Volume / (h * h * h))
		plan := carina.Plan{Cells: cells, Memory: 90 * cells}
		if i < len(n.Plans) {
			plan = n.Plans[i]
		}
		words := fmt.Sprintf("#   %s: %s cells, %s", quantity.FormatLength(h), quantity.Grouped(plan.Cells), quantity.FormatBytes(plan.Memory))
		if plan.Branches > 0 {
			words += fmt.Sprintf(" and %s for the branches at the end", quantity.FormatBytes(plan.Branches))
		}
		if plan.Most > 0 && n.Updates > 0 {
			seconds := func(steps int64) string { return lasting(float64(steps) * float64(plan.Cells) / n.Updates) }
			words += fmt.Sprintf(", %s to %s steps, %s to %s", quantity.Grouped(plan.Least), quantity.Grouped(plan.Most), seconds(plan.Least), seconds(plan.Most))
		}
		if narrowest < math.Inf(1) {
			words += fmt.Sprintf("; %.1f cells across the narrowest end", narrowest/h)
		}
		line("%s", words)
	}
	line("spacing: %.3gmm", n.Spacing*1e3)
}

// Text is what the file holds.
func (n *NewCase) Text() string { return n.text }

// Words says what was written and how to go on.
func (n *NewCase) Words() string {
	var w strings.Builder
	for _, note := range n.Notes {
		fmt.Fprintf(&w, "note: %s\n", terminal.Line(note))
	}
	fmt.Fprintf(&w, "%s, about %s cells of %s\nwrote %s\nwrote %s\nlook at both, then: carina run %s\n",
		quantity.Count(n.Ends, "end"), quantity.Grouped(n.Cells), quantity.FormatLength(n.Spacing), terminal.Line(n.File), terminal.Line(n.Picture), terminal.Line(n.File))
	return w.String()
}
