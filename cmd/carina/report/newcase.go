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
)

// NewCase is a case file that was written for a surface.
type NewCase struct {
	File    string   `json:"file"`
	Picture string   `json:"picture"`
	Ends    int      `json:"ends"`
	Cells   int64    `json:"fluid_cells"`
	Spacing float64  `json:"spacing_m"`
	Notes   []string `json:"notes"`
	text    string
}

const (
	// firstCells are those of a first look on processors.
	firstCells = 150_000
	// areaPower is the power of an outlet's area to which its share of the flow is
	// proportional: that of the diameter's cube, by which branches divide what they carry
	// (Murray 1926).
	areaPower = 1.5
	// updates a second that a core makes, assumed.
	updates = 3e7
	// usual is the flow of quiet breathing, in m³/s.
	usual = 15e-3 / 60
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
	n.write(c, surface, p, discs, cut)
	return n, nil
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
	line("flow: 15L/min  # through the inlet, about the mean of quiet breathing; with waveform: breathing:4s air goes in and out")
	line("# waveform: breathing:4s")
	line("# time: 0.5s  # ends then; without it, when the flow is steady")
	line("ranks: 2")
	n.text = w.String()
}

// writeOpenings lists the openings and gives each outlet its share.
func (n *NewCase) writeOpenings(line func(string, ...any), openings []geometry.Opening) {
	if len(openings) < 2 {
		return
	}
	line("")
	line("# number, name, role, area, diameter, how sure it is that the lumen ends there:")
	inlet, sum := 0, 0.0
	for i := range openings {
		o := &openings[i]
		line("#   %2d  %-12s %-6s %10s %9s  %3.0f %%", o.Number, terminal.Line(o.Name), o.Role, quantity.FormatArea(o.Area), quantity.FormatLength(2*math.Sqrt(o.Area/math.Pi)), 100*(1-o.Doubt))
		if o.Role == geometry.Inlet && inlet == 0 {
			inlet = o.Number
		}
		if o.Role == geometry.Outlet {
			sum += math.Pow(o.Area, areaPower)
		}
	}
	line("inlet: %d", inlet)
	line("")
	line("# Each outlet takes a share in proportion to its area to the power of %.1f. With the same pressure at all of them,", areaPower)
	line("# which is what they have without these lines, the lengths to which the branches happen to be cut would decide;")
	line("# kind: windkessel with proximal-resistance, distal-resistance and compliance stands for the lung behind.")
	line("conditions:")
	for i := range openings {
		if o := &openings[i]; o.Role == geometry.Outlet {
			line("  - {opening: %d, kind: share, share: %.4g}  # %s", o.Number, math.Pow(o.Area, areaPower)/sum, terminal.Line(o.Name))
		}
	}
}

// writeSpacing says what a spacing costs, and what others would.
func (n *NewCase) writeSpacing(line func(string, ...any), p *geometry.Prepared) {
	narrowest, fastest := math.Inf(1), 0.0
	for i := range p.Openings {
		narrowest = min(narrowest, 2*math.Sqrt(p.Openings[i].Area/math.Pi))
		if p.Openings[i].Role == geometry.Inlet {
			fastest = max(fastest, usual/p.Openings[i].Area)
		}
	}
	line("")
	line("# spacing, cells, memory and, at %.0f million updates a second, the time for one exchange of the air, of which a steady flow takes two to ten:", 2*updates/1e6)
	for _, factor := range []float64{1, 0.7, 0.5} {
		h := n.Spacing * factor
		cells := p.Volume / math.Pow(h, 3)
		words := fmt.Sprintf("#   %s: %s cells, %s", quantity.FormatLength(h), quantity.Grouped(int64(cells)), quantity.FormatBytes(int64(90*cells)))
		if fastest > 0 {
			const velocity, faster = 0.1, 2 // cells a step, fastest over mean
			steps := p.Volume / usual * faster * fastest / (velocity * h)
			words += fmt.Sprintf(", %s steps, %s", quantity.Grouped(int64(steps)), lasting(steps*cells/(2*updates)))
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
