package report

import (
	"context"
	"fmt"
	"math"
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
	// Plans are what the spacing and finer ones will take, Updates how many updates of
	// cells a second this machine made of a few steps; empty and 0 where there are no two
	// ends yet.
	Plans   []carina.Plan `json:"plans"`
	Updates float64       `json:"updates_per_second"`
	// Time is for how long to compute at the most, in seconds; 0 is not said.
	Time float64 `json:"time_s,omitempty"`
	// Closed are the openings that no cell meets at the spacing.
	Closed []int `json:"closed_openings"`
	text   string
}

// CaseOptions are what is asked of a new case.
type CaseOptions struct {
	// File is the case file, Picture that beside it.
	File, Picture string
	// Cut cuts all places where the lumen could be cut; else they are named, for choosing
	// by hand.
	Cut bool
	// Within is how long the run may take on this machine, in seconds; 0 is not asked.
	Within float64
	// Updates are those of cells a second to plan with; 0 is what a few steps show.
	Updates float64
}

const (
	// areaPower is the power of an outlet's area to which its share of the flow is
	// proportional: that of the diameter's cube, by which branches divide what they carry
	// (Murray 1926).
	areaPower = 1.5
	// usualFlow is that of quiet breathing, usualRanks share the work.
	usualFlow, usualRanks = "15L/min", 2
)

// InitCase prepares a case file for a surface: its unit, all ends with roles, names and
// shares, and a spacing with what it costs.
func InitCase(ctx context.Context, c *carina.Case, o CaseOptions) (*NewCase, error) {
	surface, err := c.ReadSurface()
	if err != nil {
		return nil, err
	}
	p, options, err := c.Prepare(surface, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Surface, err)
	}
	n := &NewCase{File: o.File, Picture: o.Picture, Closed: []int{}, Notes: append([]string{}, p.Warnings...)}
	var discs []geometry.Disc
	if len(p.Openings) < 2 {
		if discs, err = geometry.SuggestOpenings(ctx, p); err != nil || len(discs) < 2 {
			return nil, fmt.Errorf("%s has no two ends, and no places were found where it could be cut: look at it with carina inspect --picture, and name openings with --opening x,y,z,radius,name", c.Surface)
		}
		if o.Cut {
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
		if err := n.plan(ctx, c, p, options, o); err != nil {
			if o.Within > 0 {
				return nil, err
			}
			n.Notes = append(n.Notes, fmt.Sprintf("what the run will take is not known: %v", err))
		}
	} else if o.Within > 0 {
		n.Notes = append(n.Notes, "the spacing is the usual one, as how long a run takes is not known before two ends are open: add --cut-ends, too")
	}
	n.write(c, surface, p, discs, o.Cut)
	return n, nil
}

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
