package workflow

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"carina/balance"
	"carina/geometry"
	"carina/internal/atomicfile"
	"carina/internal/quantity"
	"carina/internal/viewpage"
	"carina/solver"
	"carina/solver/output"
)

// results writes what a computation ends with into a folder: the fields of
// each rank for ParaView, pictures of the flow and of the ranks, the summary.
type results struct {
	solver *Solver
	ranks  int
	frame  output.Frame
	// fields of all cells, on rank 0, where they are few enough for a page.
	fields *solver.Fields
	// history is kept on rank 0.
	history history
}

// pageLimit is the number of cells up to which a page to turn around is
// written: its making needs the fields of all cells in one place.
const pageLimit = 20_000_000

func newResults(s *Solver, ranks int) *results {
	return &results{solver: s, ranks: ranks, frame: output.FrameOf(s.Grid)}
}

func (r *results) path(name string) string { return filepath.Join(r.solver.Folder, name) }

func (r *results) piecePath(rank int) string { return r.path(fmt.Sprintf("flow_%04d.vtu", rank)) }

// follow makes a plan report to these results.
func (r *results) follow(plan *solver.Plan, g gather) {
	plan.Visit = func(rank *solver.Rank) error { return r.visit(rank, g) }
	if r.solver.Folder != "" {
		plan.Observe, plan.Diverged = r.observe, r.diverged
	}
}

// observe adds to the history.
func (r *results) observe(rank *solver.Rank) error {
	openings, err := rank.OpeningSummaries()
	if err == nil && rank.Number() == 0 {
		r.history.add(rank.Time(), openings)
	}
	return err
}

// diverged writes the last good fields of a rank when the flow has diverged.
func (r *results) diverged(rank *solver.Rank, fields *solver.Fields) error {
	if r.solver.Folder == "" {
		return nil
	}
	return output.WriteVTU(r.path(fmt.Sprintf("diverged_%04d.vtu", rank.Number())), r.piece(rank, fields))
}

// visit writes the fields of one rank and hands in what it adds to the
// pictures.
func (r *results) visit(rank *solver.Rank, g gather) error {
	if r.solver.Folder == "" {
		return nil
	}
	if r.solver.Grid.Cells() <= pageLimit {
		fields, err := rank.Gather()
		if err != nil {
			return err
		}
		if rank.Number() == 0 {
			r.fields = fields
		}
	}
	return r.visitPiece(r.piece(rank, rank.Fields()), g)
}

// visitPiece writes the fields of one rank and hands in its picture.
func (r *results) visitPiece(piece *output.Piece, g gather) error {
	if err := output.WriteVTU(r.piecePath(piece.Rank), piece); err != nil {
		return err
	}
	layers, err := output.Render(piece)
	if err != nil {
		return err
	}
	var payload []byte
	for _, layer := range layers {
		encoded, err := layer.AppendBinary(nil)
		if err != nil {
			return err
		}
		payload = binary.AppendUvarint(payload, uint64(len(encoded)))
		payload = append(payload, encoded...)
	}
	return g.put(piece.Rank, payload)
}

func (r *results) piece(rank *solver.Rank, fields *solver.Fields) *output.Piece {
	piece := &output.Piece{
		Frame: r.frame, Rank: rank.Number(), Ranks: r.ranks, Time: rank.Time(),
		Pressure: fields.Pressure, Velocity: make([][3]float32, len(fields.Pressure)),
	}
	for _, p := range rank.Pieces() {
		piece.Runs = append(piece.Runs, p.Run)
	}
	for i := range piece.Velocity {
		piece.Velocity[i] = [3]float32{fields.Velocity[0][i], fields.Velocity[1][i], fields.Velocity[2][i]}
	}
	return piece
}

// steadyBalance is the difference of inflow and outflow above which users are
// told that the flow is not steady.
const steadyBalance = 0.01

// finish writes what needs all ranks.
func (r *results) finish(summary *solver.Summary, payloads [][]byte) (*Solution, error) {
	solution := &Solution{Summary: summary}
	if !r.solver.Case.unsteady() && !(summary.MassBalance <= steadyBalance) {
		summary.Warnings = append(summary.Warnings, fmt.Sprintf(
			"inflow and outflow differ by %.3g %%: the flow is not steady, compute a longer time", 100*summary.MassBalance))
	}
	if r.solver.Folder == "" {
		return solution, nil
	}
	composites, err := r.composites(payloads)
	if err != nil {
		return nil, err
	}
	writers := []struct {
		name  string
		write func(path string) error
	}{
		{"flow.pvtu", func(path string) error { return r.writePVTU(path, summary.Time) }},
		{"cuboids.vtu", r.writeCuboids},
		{"flow.png", func(path string) error { return output.WriteFlow(path, composites, r.flowPicture(summary, false)) }},
		{"pressure.png", func(path string) error { return output.WriteFlow(path, composites, r.flowPicture(summary, true)) }},
		{"ranks.png", func(path string) error { return output.WriteRanks(path, composites, r.ranksPicture(summary)) }},
		{"history.png", func(path string) error { return r.writeHistory(path, summary) }},
		{"view.html", func(path string) error { return r.writePage(path, summary) }},
		{"summary.json", func(path string) error { return WriteJSON(path, summary) }},
	}
	var failures []error
	for _, w := range writers {
		path := r.path(w.name)
		if err := w.write(path); err != nil {
			failures = append(failures, err)
		} else if _, err := os.Stat(path); err == nil {
			solution.Files = append(solution.Files, path)
		}
	}
	return solution, errors.Join(failures...)
}

// composites puts the ranks' layers together, one composite for each view.
func (r *results) composites(payloads [][]byte) ([]*output.Layer, error) {
	views := output.Views(r.frame)
	byView := make([][]*output.Layer, len(views))
	for rank, payload := range payloads {
		for v, view := range views {
			length, n := binary.Uvarint(payload)
			if n <= 0 || length > uint64(len(payload)-n) {
				return nil, fmt.Errorf("the picture of rank %d arrived incomplete", rank)
			}
			layer, err := output.DecodeLayer(view, payload[n:n+int(length)])
			if err != nil {
				return nil, fmt.Errorf("the picture of rank %d: %w", rank, err)
			}
			byView[v] = append(byView[v], layer)
			payload = payload[n+int(length):]
		}
	}
	composites := make([]*output.Layer, len(views))
	for v, layers := range byView {
		var err error
		if composites[v], err = output.Composite(layers); err != nil {
			return nil, err
		}
	}
	return composites, nil
}

func (r *results) writePVTU(path string, time float64) error {
	sources := make([]string, r.ranks)
	for rank := range sources {
		sources[rank] = r.piecePath(rank)
	}
	return output.WritePVTU(path, r.frame, time, sources)
}

// resultNames are the files of a folder of results besides the pieces.
var resultNames = []string{"flow.pvtu", "cuboids.vtu", "flow.png", "pressure.png", "ranks.png", "history.png", "view.html", "summary.json"}

// removeOld removes the results of an earlier computation.
func (r *results) removeOld() error {
	old := make([]string, len(resultNames))
	for i, name := range resultNames {
		old[i] = r.path(name)
	}
	pieces, err := filepath.Glob(r.path("*_[0-9][0-9][0-9][0-9]*.vtu"))
	if err != nil {
		return fmt.Errorf("looking for earlier results: %w", err)
	}
	for _, path := range append(old, pieces...) {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("removing what an earlier computation left: %w", err)
		}
	}
	return nil
}

func (r *results) writeCuboids(path string) error {
	return WriteCuboids(path, r.solver.Partition, r.solver.Grid)
}

// WriteCuboids writes the cuboids of a partition as VTK boxes that carry their
// owner and counts.
func WriteCuboids(path string, p *balance.Partition, g *geometry.Grid) error {
	boxes := make([]output.Box, len(p.Cuboids))
	for i := range boxes {
		boxes[i] = output.Box{Cuboid: p.Cuboids[i], Counts: p.Counts[i], Owner: p.Owners[i]}
	}
	return output.WriteCuboids(path, output.FrameOf(g), boxes)
}

func (r *results) flowPicture(s *solver.Summary, pressure bool) output.FlowPicture {
	picture := output.FlowPicture{
		Title: "Flow of air",
		Subtitle: fmt.Sprintf("%s, Re %.3g, %s cells of %s, t = %s",
			quantity.FormatFlow(inflow(s)), s.Reynolds, grouped(s.FluidCells), quantity.Format(s.Spacing, "m"), quantity.Format(s.Time, "s")),
		Openings: r.solver.Grid.Openings, WallPressure: pressure,
	}
	for _, o := range s.Openings {
		picture.Flow = append(picture.Flow, o.Flow)
	}
	return picture
}

func (r *results) ranksPicture(s *solver.Summary) output.RanksPicture {
	p := r.solver.Partition
	picture := output.RanksPicture{
		Title: "Cells by rank",
		Subtitle: fmt.Sprintf("%s + %s: %d cuboids on %d ranks, heaviest %.3f of the mean",
			p.Method.Decompose, p.Method.Balance, len(p.Cuboids), r.ranks, p.Quality.WorkMaxOverMean),
	}
	for _, rank := range s.Ranks {
		picture.Loads = append(picture.Loads, output.Load{Cells: rank.FluidCells, Work: rank.Work, Device: rank.Device})
	}
	return picture
}

// writeHistory draws the flow over time, if there is more than a moment of it.
func (r *results) writeHistory(path string, s *solver.Summary) error {
	if len(r.history.times) < 2 {
		return nil
	}
	return output.WriteHistory(path, r.history.chart(s))
}

// writePage writes the page to turn around; a grid that is too large for one
// has none.
func (r *results) writePage(path string, s *solver.Summary) error {
	if r.fields == nil {
		return nil
	}
	picture := r.flowPicture(s, false)
	page, err := partitionPage(r.solver.Partition, r.solver.Grid)
	if err != nil {
		return err
	}
	page.Title, page.Subtitle, page.Flow = picture.Title, picture.Subtitle, picture.Flow
	page.Pressure, page.Velocity = r.fields.Pressure, r.fields.Velocity
	return viewpage.Write(path, page)
}

func inflow(s *solver.Summary) float64 {
	var flow float64
	for _, o := range s.Openings {
		if o.Role == string(geometry.Inlet) {
			flow += o.Flow
		}
	}
	return flow
}

// WriteJSON writes a value as a JSON file.
func WriteJSON(path string, value any) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(value)
	})
}
