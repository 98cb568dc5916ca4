package report

import (
	"encoding/json"
	"io"
	"math"
	"time"

	"carina"
	"carina/balance"
)

// event is a line of --log-json. What an event does not know is left out; docs/results.md
// says which has what.
type event struct {
	Event   string  `json:"event"`
	Elapsed float64 `json:"elapsed_s"`
	Text    string  `json:"text,omitempty"`

	Stage string   `json:"stage,omitempty"`
	Done  *float64 `json:"done,omitempty"`

	Spacings []float64 `json:"spacings_m,omitempty"`
	Cells    int64     `json:"fluid_cells,omitempty"`
	Spacing  float64   `json:"spacing_m,omitempty"`
	Ranks    int       `json:"ranks,omitempty"`
	Step     *int64    `json:"step,omitempty"`
	Steps    int64     `json:"steps,omitempty"`
	TimeStep float64   `json:"time_step_s,omitempty"`
	Time     *float64  `json:"time_s,omitempty"`
	EndTime  float64   `json:"end_time_s,omitempty"`
	// Exchanges are those of the air, of all of the plan or so far.
	Exchanges   *float64 `json:"exchanges,omitempty"`
	UntilSteady *bool    `json:"until_steady,omitempty"`
	MLUPS       float64  `json:"mlups,omitempty"`
	Peak        *float64 `json:"peak_velocity_m_per_s,omitempty"`
	Change      *float64 `json:"change,omitempty"`
	Left        *float64 `json:"seconds_left,omitempty"`
}

// EventLog writes what happens in a run, one JSON object a line.
type EventLog struct {
	to    io.Writer
	now   func() time.Time
	began time.Time
	// said is when the stage was told last, stage which.
	said    time.Time
	stage   string
	outlook carina.Outlook
	// flowBegan is when the flow was heard of first, after which share of it.
	flowBegan time.Time
	flowFrom  float64
	notes     Notes
}

// between is how long progress is not told again.
const between = time.Second

// NewEventLog writes to a stream; elapsed is counted from when it began.
func NewEventLog(to io.Writer, now func() time.Time, began time.Time) *EventLog {
	return &EventLog{to: to, now: now, began: began}
}

func (l *EventLog) write(e event) {
	e.Elapsed = l.now().Sub(l.began).Round(time.Millisecond).Seconds()
	// A line that cannot be written is no reason to stop, as of other progress.
	if line, err := json.Marshal(e); err == nil {
		_, _ = l.to.Write(append(line, '\n'))
	}
}

// due tells whether progress of a stage is told: at its beginning and its end, and from
// time to time.
func (l *EventLog) due(stage string, done float64) bool {
	now := l.now()
	if stage == l.stage && done < 1 && now.Sub(l.said) < between {
		return false
	}
	l.stage, l.said = stage, now
	return true
}

// known is a number, or nil where it is none.
func known(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// exchanges is how often the air is exchanged in a time, nil where that is not known.
func (l *EventLog) exchanges(time float64) *float64 {
	if l.outlook.Exchange == 0 {
		return nil
	}
	return known(l.outlook.Exchanges(time))
}

// Tell writes an event that has words alone.
func (l *EventLog) Tell(kind, text string) { l.write(event{Event: kind, Text: text}) }

// Listener tells all that it hears.
func (l *EventLog) Listener() carina.Listener {
	return carina.Listener{
		Stage: func(stage string, done float64) {
			if l.due(stage, done) {
				l.write(event{Event: "stage", Stage: stage, Done: known(done)})
			}
		},
		Spacings: func(metres []float64) { l.write(event{Event: "spacings", Spacings: metres}) },
		Voxels: func(v *carina.Voxels) {
			for _, note := range l.notes.New(&v.Report) {
				l.write(event{Event: "note", Text: note})
			}
			l.write(event{Event: "grid", Cells: v.Grid.Cells(), Spacing: v.Grid.Spacing})
		},
		Partition: func(p *balance.Partition) { l.write(event{Event: "partition", Ranks: len(p.Quality.Ranks)}) },
		Warn:      func(warning string) { l.write(event{Event: "warning", Text: warning}) },
		Memory: func(uses []carina.MemoryUse) {
			for _, u := range uses {
				l.write(event{Event: "memory", Text: u.String()})
			}
		},
		Announce: func(o carina.Outlook) {
			l.outlook = o
			if o.Seconds > 0 {
				l.write(event{Event: "speed", MLUPS: o.MLUPS, Left: known(o.Seconds), UntilSteady: &o.UntilSteady})
				return
			}
			l.write(event{Event: "plan", Cells: o.Cells, Steps: o.Steps, TimeStep: o.TimeStep, EndTime: o.Time, Exchanges: l.exchanges(o.Time), UntilSteady: &o.UntilSteady})
		},
		Resumed: func(step int64, seconds float64) {
			l.write(event{Event: "resumed", Step: &step, Time: &seconds})
		},
		Look: func(k carina.Look) { l.write(event{Event: "balance", Step: &k.Step, Text: k.Decision.String()}) },
		Progress: func(p carina.Progress) {
			done := float64(p.Step) / float64(p.Steps)
			if !l.due("flow", done) {
				return
			}
			if l.flowBegan.IsZero() || done < l.flowFrom {
				l.flowBegan, l.flowFrom = l.now(), done
			}
			left := l.now().Sub(l.flowBegan).Seconds() * (1 - done) / (done - l.flowFrom)
			l.write(event{Event: "flow", Done: known(done), Step: &p.Step, Steps: p.Steps, Time: &p.Time, EndTime: p.EndTime, Exchanges: l.exchanges(p.Time),
				MLUPS: p.MLUPS, Peak: known(p.PeakVelocity), Change: known(p.Change), Left: known(left)})
		},
		Level: func(f *carina.Flow) {
			l.write(event{Event: "level", Cells: f.Summary().FluidCells, Spacing: f.Summary().Spacing})
		},
	}
}
