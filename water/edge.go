package water

import (
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"sort"
	"strconv"
	"strings"

	"carina/geometry/terrain"
	"carina/internal/machine"
	"carina/internal/quantity"
	"carina/solver/shallow"
)

// edge is what lies beyond a side, or where ground without data begins, or beyond a part of
// a side.
type edge struct {
	side     int // a shallow.Side, or gaps
	kind     string
	from, to float64 // along the side, in m
	flow     *hydrograph
	file     string // of the hydrograph; empty where the flow is a number
}

// meets refuses a part of a side that holds the middle of no cell.
func (e *edge) meets(r *terrain.Raster) error {
	if e.side == gaps {
		return nil
	}
	begin, cells := r.South, r.Rows
	if e.side == int(shallow.South) || e.side == int(shallow.North) {
		begin, cells = r.West, r.Columns
	}
	end := begin + float64(cells)*r.Spacing
	first := begin + (math.Floor(max(0, e.from-begin)/r.Spacing)+0.5)*r.Spacing
	for _, at := range []float64{first, first + r.Spacing} {
		if at >= e.from && at < e.to && at < end {
			return nil
		}
	}
	return fmt.Errorf("no cell lies at the %s between %g and %g m, which reaches from %g to %g m: give it another part", Sides[e.side], e.from, e.to, begin, end)
}

// gaps is where squares without data begin.
const gaps = 4

// The names of sides, and of what may lie beyond them.
var (
	Sides     = []string{shallow.West: "west", shallow.East: "east", shallow.South: "south", shallow.North: "north", gaps: "gaps"}
	EdgeKinds = []string{"wall", "open", "periodic", "inflow"}
)

// hydrograph is a discharge in m³/s over time in s, linear between.
type hydrograph struct{ times, flows []float64 }

// at is the discharge at a time, that of the first or last one beyond them.
func (h *hydrograph) at(time float64) float64 {
	i := sort.SearchFloat64s(h.times, time)
	switch {
	case i == 0:
		return h.flows[0]
	case i == len(h.times):
		return h.flows[i-1]
	}
	part := (time - h.times[i-1]) / (h.times[i] - h.times[i-1])
	return h.flows[i-1] + part*(h.flows[i]-h.flows[i-1])
}

// ParseEdge refuses what is no edge: a side, west, east, south, north, or gaps for ground
// without data, and what lies beyond it, as in west=wall, east=open, south=periodic,
// north=inflow:2.5m3/s or north=inflow:FLOOD.csv, of times in s and flows in m³/s. A part
// of the side follows as coordinates in m, as in west=open@120..160.
func ParseEdge(text string) error {
	_, _, err := parseEdge(text)
	return err
}

// parseEdge reads an edge but for its hydrograph, which is named.
func parseEdge(text string) (e edge, flow string, err error) {
	wrong := fmt.Errorf("%q is no edge: give a side of %s, and %s, such as east=open or north=inflow:2.5m3/s@120..160", text, quantity.Either(Sides), quantity.Either(EdgeKinds))
	side, what, ok := strings.Cut(text, "=")
	if !ok || quantity.CheckName("side", side, Sides) != nil {
		return e, "", wrong
	}
	for i, name := range Sides {
		if name == side {
			e.side = i
		}
	}
	e.from, e.to = math.Inf(-1), math.Inf(1)
	if kind, part, cut := strings.Cut(what, "@"); cut {
		what = kind
		from, to, both := strings.Cut(part, "..")
		var failed [2]error
		e.from, failed[0] = strconv.ParseFloat(from, 64)
		e.to, failed[1] = strconv.ParseFloat(to, 64)
		if !both || errors.Join(failed[:]...) != nil || !(e.from < e.to) {
			return e, "", fmt.Errorf("%q in %q is no part of a side: give two coordinates in m, the lower first, such as 120..160", part, text)
		}
	}
	e.kind, flow, ok = strings.Cut(what, ":")
	switch {
	case quantity.CheckName("edge", e.kind, EdgeKinds) != nil, ok != (e.kind == "inflow"), ok && flow == "":
		return e, "", wrong
	case e.kind == "periodic" && (e.side == gaps || !math.IsInf(e.from, -1)), e.kind == "inflow" && e.side == gaps:
		return e, "", fmt.Errorf("%q: a whole side can be periodic, and water can come in at a side, not where ground has no data", text)
	}
	return e, flow, nil
}

// parseEdges reads those of a case.
func (c *Case) parseEdges() (list []edge, err error) {
	inflow := map[int]bool{}
	for _, text := range c.Edges {
		e, flow, err := parseEdge(text)
		if err != nil {
			return nil, err
		}
		if e.kind == "inflow" {
			if inflow[e.side] {
				return nil, fmt.Errorf("two inflows are given at the %s: give one", Sides[e.side])
			}
			inflow[e.side] = true
			if e.flow, e.file, err = c.readFlow(flow); err != nil {
				return nil, err
			}
		}
		list = append(list, e)
	}
	for side := shallow.West; side <= shallow.North; side++ {
		if periodic(list, side) && !periodic(list, side^1) {
			return nil, fmt.Errorf("the grid is periodic at the %s and not at the %s: let both be", Sides[side], Sides[side^1])
		}
	}
	return list, nil
}

// periodic tells whether a side is.
func periodic(list []edge, side shallow.Side) (is bool) {
	for _, e := range list {
		if e.side == int(side) {
			is = e.kind == "periodic"
		}
	}
	return is
}

// inflows tells what comes in at all sides apart from others: a file may change, and its name
// stay.
func inflows(list []edge) string {
	sum, any := sha256.New(), false
	for _, e := range list {
		if e.flow != nil {
			any = true
			fmt.Fprintln(sum, e.side, e.flow.times, e.flow.flows)
		}
	}
	if !any {
		return "none"
	}
	return fmt.Sprintf("%.4x", sum.Sum(nil))
}

// readFlow reads a discharge, or a file of times and discharges, whose path it returns, too.
func (c *Case) readFlow(text string) (*hydrograph, string, error) {
	if q, err := quantity.Flow.Parse(text); err == nil {
		if q < 0 {
			return nil, "", fmt.Errorf("an inflow of %s is negative: let water leave by open", text)
		}
		return &hydrograph{[]float64{0}, []float64{q}}, "", nil
	} else if text[0] >= '0' && text[0] <= '9' || text[0] == '-' {
		return nil, "", err
	}
	path := c.path(text)
	file, err := machine.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	h, err := readHydrograph(file)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", text, err)
	}
	return h, path, nil
}

// readHydrograph reads lines of a time in s and a discharge in m³/s; a first line of names
// is passed over.
func readHydrograph(r io.Reader) (*hydrograph, error) {
	text, err := machine.Text(r)
	if err != nil {
		return nil, err
	}
	reader := csv.NewReader(text)
	reader.Comment, reader.TrimLeadingSpace, reader.FieldsPerRecord = '#', true, 2
	h := &hydrograph{}
	for first := true; ; first = false {
		row, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("reading times in s and flows in m³/s with a comma between them: %w", err)
		}
		time, failed := quantity.Plain(strings.TrimSpace(row[0]))
		flow, failed2 := quantity.Plain(strings.TrimSpace(row[1]))
		line, _ := reader.FieldPos(0)
		switch n := len(h.times); {
		case first && failed != nil && failed2 != nil:
			if err := checkHeading(row); err != nil {
				return nil, err
			}
			continue
		case failed != nil || failed2 != nil || !(flow >= 0) || math.IsInf(flow, 0) || time-time != 0:
			return nil, fmt.Errorf("line %d is %q: give a time in s and a flow in m³/s from 0 on", line, strings.Join(row, ","))
		case n > 0 && time <= h.times[n-1]:
			return nil, fmt.Errorf("line %d has the time %g s after %g s: let times rise", line, time, h.times[n-1])
		}
		h.times, h.flows = append(h.times, time), append(h.flows, flow)
	}
	if len(h.times) == 0 {
		return nil, errors.New("it has no line of a time in s and a flow in m³/s")
	}
	return h, nil
}

// checkHeading refuses a heading that names other units than are read.
func checkHeading(row []string) error {
	for i, column := range []struct {
		kind        quantity.Kind
		what, plain string
	}{{quantity.Time, "times", "s"}, {quantity.Flow, "flows", "m³/s"}} {
		if unit, factor := column.kind.Stated(row[i]); unit != "" && factor != 1 {
			return fmt.Errorf("its heading says that %s are in %s: write them in %s", column.what, unit, column.plain)
		}
	}
	return nil
}
