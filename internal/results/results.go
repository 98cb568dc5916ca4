package results

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"carina/balance"
	"carina/geometry"
	"carina/geometry/tree"
	"carina/internal/atomicfile"
	"carina/internal/quantity"
	"carina/internal/resultsfolder"
	"carina/internal/run"
	"carina/output"
	"carina/output/picture"
	"carina/output/vtk"
	"carina/solver/airflow"
	"carina/solver/airflow/answers"
	"carina/solver/checkpoint"
	"carina/solver/transport"
)

// Of is what results are of.
type Of struct {
	// Folder receives them.
	Folder string
	// Transport connects this process, which is one rank, with the others; nil where it
	// has all ranks.
	Transport transport.Transport
	// Partition is who owns the cells of Grid, or of the whole of which Grid is a share.
	Partition *balance.Partition
	Grid      *geometry.Grid
	Shared    bool
	// Cells are all fluid cells.
	Cells int64
	Axes  geometry.Axes
	// Inputs are the files that the computation depends on. Results never take their
	// place.
	Inputs []string
	// Surface is the prepared one that the grid was made from, in the process of rank 0;
	// nil where it is not known.
	Surface *geometry.Prepared
	// Made are a grid and a partition file to be written with the results; or nil.
	Made *Made
	// Period is that of the flow in seconds, 0 where it has none.
	Period float64
	// Changing tells that a waveform changes the flow, so that the wall is followed over time.
	Changing bool
	// Lobes are those to tell of, Series what is told on the way.
	Lobes  []answers.Lobe
	Series Series
	// Phases are those of the statistics, 1 where there is no period, 0 for none.
	Phases int
	// Instant tells that so few steps are computed that there is no history to draw.
	Instant bool
	// Looks are those of a run whose cells may change owner; else nil.
	Looks *Looks
	// Moved is who owns the cells at the end, on rank 0, where they have changed owner; it,
	// or what it returns, is nil where none has.
	Moved func() *balance.Partition
	// Warn hears warnings, most before the computation begins, on rank 0.
	Warn func(warning string)

	// Checkpoints say when the state is kept, Restart from which one the computation goes
	// on; nil begins anew. Resumed hears where that was, on rank 0.
	Checkpoints Checkpoints
	Restart     *checkpoint.Checkpoint
	Resumed     func(step int64, seconds float64)
	// Refused tells that no state is kept, even where somebody asks for it.
	Refused bool
	// Case, PartitionFile and Settings, with what computes their bits, are kept with the
	// state.
	Case          []byte
	PartitionFile string
	Settings      []transport.Item
}

// Results are being written while the flow is computed.
type Results struct {
	of    Of
	ranks int
	frame output.Frame
	// fields of all cells, on rank 0, where they are few enough for a page.
	fields *airflow.Fields
	// tree are the branches, where they had to be known before the first step.
	tree *tree.Tree
	// following writes series; nil where there are none.
	following *following
	// wall is the stress over time, on rank 0, nil where it is not followed; walls tells all
	// ranks that it is.
	wall  *answers.WallSeries
	walls bool
	// answers are what the fields say of branches and walls; nil where they are not known.
	answers *answers.Answers
	// layers are the pictures of all ranks, on rank 0.
	layers [][]byte
	// further are the fields of pieces beside pressure, velocity and rank, without values.
	further []output.Array
	// history is kept on rank 0.
	history history
	// shown is the partition that pictures show; moved tells that cells changed owner.
	shown *balance.Partition
	moved bool

	target        Target
	checkpointing *Keeping
	processes     []process // by rank
	unfinished    unfinished
	ends          []func()
	once          sync.Once
	begun         error
	mu            sync.Mutex
	failed        error // the first file that could not be written
}

// PageLimit is the number of cells up to which a page to turn around is written: its
// making needs the fields of all cells in one place.
const PageLimit = 20_000_000

// New makes no file yet. All ranks call it, and End when all is over, where there is no
// error.
func New(ctx context.Context, of Of) (*Results, error) {
	frame := output.FrameOf(of.Grid)
	frame.Axes = of.Axes
	r := &Results{of: of, ranks: len(of.Partition.Ranks), frame: frame, target: NewTarget(of.Folder, of.Transport)}
	var err error
	if r.processes, err = processes(of.Transport, r.ranks); err != nil {
		return nil, err
	}
	if err := transport.Agree(of.Transport, r.findBranches()); err != nil {
		return nil, err
	}
	if err := r.prepareWall(); err != nil {
		return nil, err
	}
	if err := r.prepareSeries(); err != nil {
		return nil, err
	}
	var quiet func()
	r.checkpointing, quiet = NewKeeping(ctx, KeepingOf{
		Folder: of.Folder, Ranks: r.ranks, Checkpoints: of.Checkpoints, Restart: of.Restart, Resumed: of.Resumed, Warn: of.Warn, Refused: of.Refused,
		Case: of.Case, PartitionFile: of.PartitionFile, Settings: of.Settings, MayChange: mayChange, Save: r.saveSeen, Load: r.loadSeen,
	})
	r.ends = append(r.ends, r.following.end, quiet, r.unfinished.remove)
	if t := of.Transport; t != nil && t.Size() > 1 {
		r.ends = append(r.ends, watchLost(r.processes, t.Rank(), of.Folder))
	}
	return r, nil
}

// End stops to wait for signals.
func (r *Results) End() {
	for _, end := range slices.Backward(r.ends) {
		end()
	}
}

// HasPage tells whether a page to turn around is written.
func (r *Results) HasPage() bool { return !r.of.Shared && r.of.Cells <= PageLimit }

// path is where a file is written until all are complete.
func (r *Results) path(name string) string { return resultsfolder.Hidden(r.of.Folder, name) }

func pieceName(rank int) string { return fmt.Sprintf("flow_%04d.vtu", rank) }

// writes tells whether there is room to write.
func (r *Results) writes() bool { return r.target.Writes() }

// fail keeps why a file could not be written. The computation goes on, for its
// figures are worth something without files.
func (r *Results) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed == nil {
		r.failed = err
	}
}

// Begin opens the folder when all has been checked. All ranks call it.
func (r *Results) Begin() error {
	r.once.Do(func() {
		r.begun = r.target.Open(func(f *resultsfolder.Folder) error {
			if f.Unlocked {
				r.of.Warn(r.of.Folder + " lies where files cannot be locked: see to it that no other run writes there")
			}
			names := r.names()
			for _, name := range f.Altered() {
				if !slices.Contains(names, name) {
					r.of.Warn(filepath.Join(r.of.Folder, name) + " is no longer what was written there as a result: it stays")
				}
			}
			if err := f.Admit(names, r.of.Inputs); err != nil {
				return err
			}
			if many := r.of.Transport != nil && r.ranks > 1; many || r.of.Checkpoints.On() || r.of.Restart != nil {
				r.unfinished.write(r.of.Folder, r.processes)
			}
			return nil
		})
		if r.begun == nil {
			r.begun = transport.Agree(r.of.Transport, r.beginSeries())
		}
		if full := r.target.full; full != nil && r.target.rank() == 0 {
			r.of.Warn(fmt.Sprintf("no results will be written: %v", full))
		}
	})
	return r.begun
}

// Between is what is done between steps: the history, the series, and then what keeps the state.
func (r *Results) Between() []run.Between {
	return []run.Between{{Do: r.observe}, {Do: r.watchWall}, {Do: r.follow}, {Do: func(v *run.View) error { return r.checkpointing.Look(v.Computation(), v.TimeStep()) }}}
}

// Resume lets a rank go on from the checkpoint.
func (r *Results) Resume(rank *airflow.Rank) error {
	if err := r.checkpointing.Resume(rank, rank.Units().TimeStep); err != nil {
		return err
	}
	if kept := rank.Statistics().Phases(); rank.Number() == 0 && kept > 0 && r.of.Phases > 0 && kept != r.of.Phases {
		r.of.Warn(fmt.Sprintf("the checkpoint has statistics of %s, which are forgotten: they begin anew with %d; give --phases %d to go on with them",
			quantity.Count(kept, "phase"), r.of.Phases, kept))
	}
	return nil
}

// observe adds to the history.
func (r *Results) observe(v *run.View) error {
	openings, err := v.Openings()
	if err == nil && v.Rank() == 0 {
		r.history.add(v.Time(), openings)
	}
	return err
}

// Diverged writes the last good fields when the flow has diverged.
func (r *Results) Diverged(v *run.View, fields *airflow.Fields) error {
	r.writeDiverged(v.Piece(fields))
	return nil
}

func (r *Results) writeDiverged(piece *output.Piece) {
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

// Keep keeps the state at the end, where that is wanted, before Visit.
func (r *Results) Keep(v *run.View) error {
	return r.checkpointing.Finish(v.Computation(), v.TimeStep())
}

// Visit writes the fields of a rank at the end and brings together what all add to the
// pictures. All are the fields of all cells on rank 0, where somebody has them.
func (r *Results) Visit(v *run.View, own, all *airflow.Fields) error {
	if !r.writes() {
		return nil
	}
	if v.Rank() == 0 && r.HasPage() {
		r.fields = all
	}
	if err := r.visitStatistics(v); err != nil {
		r.fail(err)
	}
	payload, err := r.visitPiece(r.resolved(v, own))
	if err != nil {
		return err
	}
	layers, err := v.Collect(payload)
	if v.Rank() == 0 {
		r.layers = layers
	}
	return err
}

// resolutionNames are the fields of a piece that tell how well its cells resolve the flow.
var resolutionNames = [3]string{"cell_reynolds", "y_plus", "resolved_dissipation"}

// resolved is the piece of a rank with how well its cells resolve the flow.
func (r *Results) resolved(v *run.View, own *airflow.Fields) *output.Piece {
	piece := v.Piece(own)
	f, err := v.ResolutionFields(own)
	if err != nil {
		r.fail(err)
	}
	if f == nil {
		return piece
	}
	for i, values := range [3][]float32{f.CellReynolds, f.YPlus, f.Resolved} {
		piece.Further = append(piece.Further, output.Array{Name: resolutionNames[i], Components: 1, Values: values})
	}
	if v.Rank() == 0 {
		for _, a := range piece.Further {
			r.further = append(r.further, output.Array{Name: a.Name, Components: a.Components})
		}
	}
	return piece
}

// visitPiece writes the fields of one rank and returns its picture.
func (r *Results) visitPiece(piece *output.Piece) (payload []byte, err error) {
	if err := vtk.WriteVTU(r.path(pieceName(piece.Rank)), piece); err != nil {
		r.fail(err)
	}
	piece.Axes = r.frame.Axes
	layers, err := picture.Render(piece)
	if err != nil {
		return nil, err
	}
	for _, layer := range layers {
		encoded, err := layer.AppendBinary(nil)
		if err != nil {
			return nil, err
		}
		payload = binary.AppendUvarint(payload, uint64(len(encoded)))
		payload = append(payload, encoded...)
	}
	return payload, nil
}

// composites puts the ranks' layers together, one composite for each view.
func (r *Results) composites() ([]*picture.Layer, error) {
	views := picture.Views(r.frame)
	byView := make([][]*picture.Layer, len(views))
	for rank, payload := range r.layers {
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
