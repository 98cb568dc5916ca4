package workflow

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"carina/internal/atomicfile"
	"carina/internal/resultsfolder"
	"carina/internal/run"
	"carina/output"
	"carina/output/picture"
	"carina/output/vtk"
	"carina/solver/airflow"
	"carina/solver/transport"
)

// results writes what a computation ends with into a folder: the fields of
// each rank for ParaView, pictures of the flow and of the ranks, the summary.
type results struct {
	solver *Solver
	ranks  int
	frame  output.Frame
	// fields of all cells, on rank 0, where they are few enough for a page.
	fields *airflow.Fields
	// history is kept on rank 0.
	history history

	plan       *airflow.Plan
	target     target
	kept       *keeping
	processes  []process // by rank
	unfinished unfinished
	once       sync.Once
	begun      error
	mu         sync.Mutex
	failed     error // the first file that could not be written
}

// pageLimit is the number of cells up to which a page to turn around is
// written: its making needs the fields of all cells in one place.
const pageLimit = 20_000_000

// hasPage tells whether a page to turn around is written.
func (r *results) hasPage() bool { return r.solver.Share == nil && r.solver.cells() <= pageLimit }

// newResults are those of ranks of this process, or, with a transport, of the
// one that it stands for.
func newResults(s *Solver, ranks int, t transport.Transport) *results {
	frame := output.FrameOf(s.Grid)
	frame.Axes = s.axes()
	return &results{solver: s, ranks: ranks, frame: frame, target: target{path: s.Folder, transport: t}}
}

// path is where a file is written until all are complete.
func (r *results) path(name string) string { return resultsfolder.Hidden(r.solver.Folder, name) }

func pieceName(rank int) string { return fmt.Sprintf("flow_%04d.vtu", rank) }

// writes tells whether there is a folder to write into.
func (r *results) writes() bool { return r.solver.Folder != "" && r.target.full == nil }

// fail keeps why a file could not be written. The computation goes on, for its
// figures are worth something without files.
func (r *results) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed == nil {
		r.failed = err
	}
}

// begin opens the folder when all has been checked. All ranks call it.
func (r *results) begin() error {
	r.once.Do(func() {
		r.begun = r.target.open(func(f *resultsfolder.Folder) error {
			if f.Unlocked {
				r.solver.warn(r.solver.Folder + " lies where files cannot be locked: see to it that no other run writes there")
			}
			names := r.names()
			for _, name := range f.Altered() {
				if !slices.Contains(names, name) {
					r.solver.warn(filepath.Join(r.solver.Folder, name) + " is no longer what was written there as a result: it stays")
				}
			}
			if err := f.Admit(names, r.solver.inputs()); err != nil {
				return err
			}
			if many := r.target.transport != nil && r.ranks > 1; many || r.solver.Checkpoints.on() || r.solver.Restart != nil {
				r.unfinished.write(r.solver.Folder, r.processes)
			}
			return nil
		})
		if full := r.target.full; full != nil && r.target.rank() == 0 {
			r.solver.warn(fmt.Sprintf("no results will be written: %v", full))
		}
	})
	return r.begun
}

// follow makes a plan and what is called on the way report to these results.
func (r *results) follow(plan *airflow.Plan, g gather) run.Hooks {
	r.plan = plan
	hooks := run.Hooks{Memory: r.solver.Memory}
	if r.solver.Folder != "" {
		plan.Begin, plan.KeepStopped = r.begin, true
		hooks.Between, hooks.Diverged = []run.Between{{Do: r.observe}, {Do: r.kept.between}}, r.diverged
		hooks.Visit = r.kept.visiting(func(v *run.View) error { return r.visit(v, g) })
	}
	if r.solver.Restart != nil {
		plan.Resume = r.kept.resume
	}
	if r.solver.Keep != nil {
		hooks.Visit = r.keeping(hooks.Visit)
	}
	return hooks
}

// keeping hands on the flow at the end, and does what is done then besides.
func (r *results) keeping(visit func(*run.View) error) func(*run.View) error {
	return func(v *run.View) error {
		flow, err := v.Resampled()
		if err != nil {
			return err
		}
		if flow != nil {
			r.solver.Keep(flow)
		}
		if visit == nil {
			return nil
		}
		return visit(v)
	}
}

// observe adds to the history.
func (r *results) observe(v *run.View) error {
	openings, err := v.Openings()
	if err == nil && v.Rank() == 0 {
		r.history.add(v.Time(), openings)
	}
	return err
}

// diverged writes the last good fields when the flow has diverged.
func (r *results) diverged(v *run.View, fields *airflow.Fields) error {
	r.writeDiverged(v.Piece(fields))
	return nil
}

func (r *results) writeDiverged(piece *output.Piece) {
	if !r.writes() {
		return
	}
	path := r.path(fmt.Sprintf("diverged_%04d.vtu", piece.Rank))
	if err := errors.Join(vtk.WriteVTU(path, piece), signDiverged(path)); err != nil {
		r.fail(err)
	}
}

// divergedEnd is a comment at the end of the last good fields of a flow that has
// diverged. A later one may take their place, but not that of other files.
const divergedEnd = "<!-- the last good fields of a flow that has diverged, by carina -->\n"

func signDiverged(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(divergedEnd)
	return errors.Join(err, file.Close())
}

func isDiverged(path string) bool {
	file, err := atomicfile.OpenRegular(path, os.O_RDONLY)
	if err != nil {
		return false
	}
	defer file.Close()
	end := make([]byte, len(divergedEnd))
	info, err := file.Stat()
	if err != nil {
		return false
	}
	_, err = file.ReadAt(end, info.Size()-int64(len(end)))
	return err == nil && string(end) == divergedEnd
}

// visit writes the fields of the ranks at hand and hands in what they add to the
// pictures.
func (r *results) visit(v *run.View, g gather) error {
	if !r.writes() {
		return nil
	}
	fields, err := v.Fields()
	if err != nil {
		return err
	}
	if r.hasPage() {
		all, err := v.Gather(fields)
		if err != nil {
			return err
		}
		if v.Rank() == 0 {
			r.fields = all
		}
	}
	return r.visitPiece(v.Piece(fields), g)
}

// visitPiece writes the fields of one rank and hands in its picture.
func (r *results) visitPiece(piece *output.Piece, g gather) error {
	if err := vtk.WriteVTU(r.path(pieceName(piece.Rank)), piece); err != nil {
		r.fail(err)
	}
	piece.Axes = r.frame.Axes
	layers, err := picture.Render(piece)
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

// composites puts the ranks' layers together, one composite for each view.
func (r *results) composites(payloads [][]byte) ([]*picture.Layer, error) {
	views := picture.Views(r.frame)
	byView := make([][]*picture.Layer, len(views))
	for rank, payload := range payloads {
		for v, view := range views {
			length, n := binary.Uvarint(payload)
			if n <= 0 || length > uint64(len(payload)-n) {
				return nil, fmt.Errorf("the picture of rank %d arrived incomplete", rank)
			}
			layer, err := picture.DecodeLayer(view, payload[n:n+int(length)])
			if err != nil {
				return nil, fmt.Errorf("the picture of rank %d: %w", rank, err)
			}
			byView[v] = append(byView[v], layer)
			payload = payload[n+int(length):]
		}
	}
	composites := make([]*picture.Layer, len(views))
	for v, layers := range byView {
		var err error
		if composites[v], err = picture.Composite(layers); err != nil {
			return nil, err
		}
	}
	return composites, nil
}
