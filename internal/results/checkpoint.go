package results

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"carina/internal/run"
	"carina/solver"
	"carina/solver/checkpoint"
	"carina/solver/transport"
)

// Checkpoints say when a computation keeps its state.
type Checkpoints struct {
	checkpoint.Clock
	// End keeps that at the end, too. A computation that somebody stops keeps it where
	// there are checkpoints at all.
	End bool
}

// ParseCheckpoints reads what users say: a time such as 10m, every=1000 (steps), end,
// or several of these with commas between.
func ParseCheckpoints(text string) (c Checkpoints, err error) {
	for _, part := range strings.Split(text, ",") {
		part = strings.TrimSpace(part)
		steps, every := strings.CutPrefix(part, "every=")
		switch {
		case part == "end":
			c.End = true
			continue
		case every:
			c.Steps, err = strconv.ParseInt(steps, 10, 64)
		default:
			c.Interval, err = time.ParseDuration(part)
		}
		if err != nil || c.Steps < 0 || c.Interval < 0 || every && c.Steps == 0 || !every && c.Interval == 0 {
			return c, fmt.Errorf("checkpoints %q: give a time such as 10m, a number of steps such as every=1000, or end", text)
		}
	}
	return c, nil
}

// On tells whether there are checkpoints without anybody asking for one.
func (c *Checkpoints) On() bool { return c.Interval > 0 || c.Steps > 0 || c.End }

// checkpointFolder is that of the checkpoint in a folder of results.
const checkpointFolder = "checkpoint"

// The notes of a checkpoint.
const (
	settingsNote, caseNote, partitionNote, historyNote, timingNote, timeStepNote = "settings", "case", "partition", "history", "timing", "time step"
)

// OpenCheckpoint finds the checkpoint in a folder of results, or in its own folder.
func OpenCheckpoint(folder string) (*checkpoint.Checkpoint, error) {
	c, err := checkpoint.Open(filepath.Join(folder, checkpointFolder))
	if errors.Is(err, checkpoint.ErrNone) {
		if own, err := checkpoint.Open(folder); !errors.Is(err, checkpoint.ErrNone) {
			return own, err
		}
		return nil, fmt.Errorf("%w in %s: name the folder of results of a run with --checkpoint", checkpoint.ErrNone, folder)
	}
	return c, err
}

// CheckpointCase is the case that a checkpoint is of, as Of has it, and the partition
// file, if one was read.
func CheckpointCase(c *checkpoint.Checkpoint) (text []byte, partition string) {
	return c.Notes[caseNote], string(c.Notes[partitionNote])
}

// KeepingOf is what checkpoints are of.
type KeepingOf struct {
	// Folder is that of results, Ranks how many there are.
	Folder string
	Ranks  int
	// Checkpoints say when the state is kept, Restart from which one the computation goes
	// on; nil begins anew. Resumed hears where that was, and Warn warnings, on rank 0.
	Checkpoints Checkpoints
	Restart     *checkpoint.Checkpoint
	Resumed     func(step int64, seconds float64)
	Warn        func(warning string)
	// Refused tells that no state is kept, even where somebody asks for it.
	Refused bool
	// Case and PartitionFile are kept with the state, and Settings, which are to be those of
	// the computation that goes on, but for those that MayChange names.
	Case          []byte
	PartitionFile string
	Settings      []transport.Item
	MayChange     []string
	// Save returns what rank 0 has seen so far, and Load takes it over.
	Save func() []byte
	Load func([]byte) error
}

// Keeping writes the checkpoints of a computation, of any physics, and goes on from one.
type Keeping struct {
	of  KeepingOf
	ctx context.Context
	// asked tells how often somebody has asked for a checkpoint at once.
	asked func() int64
	ranks []rankCheckpoints // each used by its rank alone
	once  sync.Once
	notes map[string][]byte // which do not change
	clock checkpoint.Clock
}

// NewKeeping makes no file yet. End it when all is over.
func NewKeeping(ctx context.Context, of KeepingOf) (k *Keeping, end func()) {
	k = &Keeping{of: of, ctx: ctx, ranks: make([]rankCheckpoints, of.Ranks), clock: of.Checkpoints.Clock}
	if k.asked, end = (func() int64 { return 0 }), func() {}; !of.Refused {
		k.asked, end = Requests()
	}
	k.clock.Start(0)
	return k, end
}

// rankCheckpoints is what a rank knows of its checkpoints.
type rankCheckpoints struct {
	writer   *checkpoint.Writer
	answered int64 // of those asked for
	last     int64 // step of the one begun last
	off      bool  // none can be written
	// room is memory for the first one, made beside the steps before it is due; nil before
	// and after.
	room <-chan *solver.State
}

// prepare begins to make memory for the first checkpoint, if there will be some.
func (k *Keeping) prepare(own *rankCheckpoints, r *solver.Rank) {
	if c := &k.of.Checkpoints; own.room != nil || own.writer != nil || c.Interval == 0 && c.Steps == 0 {
		return
	}
	own.room = r.RoomForState(k.ctx.Done())
}

// spare is memory for the next checkpoint, or nil.
func (own *rankCheckpoints) spare() *solver.State {
	if own.room == nil {
		return own.writer.Spare()
	}
	room := <-own.room
	own.room = nil
	return room
}

// mayChange are the settings that the state of a flow does not depend on.
var mayChange = []string{"time step", "lattice velocity", "mismatch", "instruction set", "workers", "layout", "flow rate", "kinematic viscosity", "smagorinsky", "profile", "waveform", "initial", "initial strain", "body force", "force waveform", "ramp time"}

// differences names the settings that differ from those of a checkpoint. The error
// names one with which the state would be that of another flow.
func (k *Keeping) differences(timeStep float64) (changed []string, err error) {
	c := k.of.Restart
	if was := string(c.Notes[timeStepNote]); was != fmt.Sprint(timeStep) {
		return nil, fmt.Errorf("the checkpoint is of another flow: its time step was %s s and is %v s: go on with --time-step %ss, or begin anew", was, timeStep, was)
	}
	var before []transport.Item
	if err := json.Unmarshal(c.Notes[settingsNote], &before); err != nil {
		return nil, fmt.Errorf("the checkpoint does not say what its settings are: go on with the program that wrote it")
	}
	value := func(list []transport.Item, name string) string {
		if i := slices.IndexFunc(list, func(i transport.Item) bool { return i.Name == name }); i >= 0 {
			return list[i].Value
		}
		return "not given"
	}
	seen := map[string]bool{}
	for _, list := range [][]transport.Item{before, k.of.Settings} {
		for _, item := range list {
			was, is := value(before, item.Name), value(k.of.Settings, item.Name)
			if was == is || seen[item.Name] {
				continue
			}
			seen[item.Name] = true
			words := fmt.Sprintf("%s was %s and is %s", item.Name, was, is)
			if !slices.Contains(k.of.MayChange, item.Name) {
				return nil, fmt.Errorf("the checkpoint is of another flow: its %s: go on with the settings that it was begun with, or begin anew", words)
			}
			changed = append(changed, words)
		}
	}
	return changed, nil
}

// Resume lets a rank go on from the checkpoint.
func (k *Keeping) Resume(r run.Computation, timeStep float64) error {
	of := &k.of
	c, e := of.Restart, r.Engine()
	t := e.Transport()
	own := e.Identity()
	var changed []string
	var state *solver.State
	err := c.Differs(&own)
	if err == nil {
		changed, err = k.differences(timeStep)
	}
	if err == nil {
		state, err = c.Load(e.Layout().Ranges())
	}
	if err := transport.Agree(t, err); err != nil {
		return err
	}
	if err := r.LoadState([]*solver.State{state}); err != nil {
		return err
	}
	var timing solver.Timing
	if err := json.Unmarshal(c.Notes[timingNote], &timing); err == nil {
		e.AddTiming(timing)
	}
	if t.Rank() > 0 {
		return nil
	}
	k.clock.Start(c.Steps)
	of.Resumed(c.Steps, r.Time())
	if len(changed) > 0 {
		of.Warn("goes on with other settings: " + strings.Join(changed, "; "))
	}
	return of.Load(c.Notes[historyNote])
}

// Look keeps the state, where it is time. Every rank calls it after every few steps, with
// the time step, 0 where steps differ.
func (k *Keeping) Look(r run.Computation, timeStep float64) error {
	t, step := r.Engine().Transport(), r.Engine().Steps()
	own := &k.ranks[t.Rank()]
	if own.off {
		return nil
	}
	k.prepare(own, r.Engine())
	asked := k.asked()
	byClock := t.Rank() == 0 && k.clock.Due(step)
	due := byClock || asked != own.answered || k.of.Checkpoints.On() && k.ctx.Err() != nil && own.last != step
	if own.writer == nil {
		if any, err := anyOf(t, due); err != nil || !any {
			return err
		}
		if err := k.open(own, t); err != nil || own.off {
			return err
		}
	}
	news, err := own.writer.Turn(due)
	if err != nil {
		return err
	}
	k.tell(t.Rank(), news, byClock)
	if news.Due {
		own.answered = asked
		return k.begin(own, r, timeStep)
	}
	return nil
}

// anyOf tells whether something is so on any rank.
func anyOf(t transport.Transport, own bool) (bool, error) {
	said := []int64{0}
	if own {
		said[0] = 1
	}
	err := t.Reduce(transport.Max, said)
	return said[0] != 0, err
}

// open makes the folder of checkpoints. That there can be none is a warning.
func (k *Keeping) open(own *rankCheckpoints, t transport.Transport) error {
	folder := k.of.Folder
	writer, err := checkpoint.NewWriter(filepath.Join(folder, checkpointFolder), t)
	own.writer, own.off = writer, errors.As(err, new(transport.AgreedError))
	if own.off {
		own.room = nil
		k.tell(t.Rank(), checkpoint.News{Failed: err}, false)
		return nil
	}
	return err
}

// begin begins to write a checkpoint.
func (k *Keeping) begin(own *rankCheckpoints, r run.Computation, timeStep float64) error {
	e := r.Engine()
	state, err := r.SaveStateInto(own.spare())
	if err := transport.Agree(e.Transport(), err); err != nil {
		return err
	}
	own.last = e.Steps()
	var notes map[string][]byte
	if e.Transport().Rank() == 0 {
		k.once.Do(k.note)
		notes = map[string][]byte{historyNote: k.of.Save()}
		for name, data := range k.notes {
			notes[name] = data
		}
		notes[timeStepNote] = []byte(fmt.Sprint(timeStep))
		notes[timingNote], _ = json.Marshal(e.Timing()) // numbers are always encoded
	}
	own.writer.Begin(state, notes)
	return nil
}

// note makes the notes that do not change.
func (k *Keeping) note() {
	of := &k.of
	k.notes = map[string][]byte{}
	// Texts are always encoded.
	k.notes[settingsNote], _ = json.Marshal(k.of.Settings)
	k.notes[caseNote] = of.Case
	if path, err := filepath.Abs(of.PartitionFile); err == nil && of.PartitionFile != "" {
		k.notes[partitionNote] = []byte(path)
	}
}

// tell warns of checkpoints that are not written.
func (k *Keeping) tell(rank int, news checkpoint.News, byClock bool) {
	warn := k.of.Warn
	switch {
	case rank > 0:
	case news.Failed != nil:
		warn(fmt.Sprintf("a checkpoint could not be written, and the one before it stays: %v", news.Failed))
	case news.LeftOut && byClock:
		warn("a checkpoint is left out, since the one before it is still being written: the disk is slower than --checkpoint says")
	}
}

// Finish waits for the last checkpoint and keeps the end where that is wanted.
func (k *Keeping) Finish(r run.Computation, timeStep float64) error {
	t, step := r.Engine().Transport(), r.Engine().Steps()
	own := &k.ranks[t.Rank()]
	on := k.of.Checkpoints
	due := own.last != step && (on.End || on.On() && k.ctx.Err() != nil || k.asked() != own.answered)
	any, err := anyOf(t, due)
	if err != nil || own.off || !any && own.writer == nil {
		return err
	}
	if own.writer == nil {
		if err := k.open(own, t); err != nil || own.off {
			return err
		}
	}
	for again := any; ; again = false {
		news, err := own.writer.Finish()
		if err != nil {
			return err
		}
		k.tell(t.Rank(), news, false)
		if !again {
			return nil
		}
		if err := k.begin(own, r, timeStep); err != nil {
			return err
		}
	}
}

// keptHistory is a history in a checkpoint.
type keptHistory struct {
	Interval, Waiting int
	Times             []float64
	Flows, Pressures  [][]float64
}

// save returns the history for load.
func (h *history) save() []byte {
	var data bytes.Buffer
	// Numbers are always written to memory.
	_ = gob.NewEncoder(&data).Encode(keptHistory{h.interval, h.waiting, h.times, h.flows, h.pressures})
	return data.Bytes()
}

// load goes on with a history.
func (h *history) load(data []byte) error {
	var k keptHistory
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&k); err != nil {
		return fmt.Errorf("reading the history of a checkpoint: %w", err)
	}
	if len(k.Flows) != len(k.Times) || len(k.Pressures) != len(k.Times) {
		return errors.New("the history of the checkpoint has not as many flows as times")
	}
	h.interval, h.waiting, h.times, h.flows, h.pressures = k.Interval, k.Waiting, k.Times, k.Flows, k.Pressures
	return nil
}
