package rebalancebench

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"carina/balance"
)

// Trace is the speeds of all ranks, look after look.
type Trace [][]float64

// NewTrace draws a trace: for the last five sixths of the looks a host of eight
// ranks is slowed by a half, in the middle third one rank is slowed threefold and
// recovers, in one look a rank is slowed fourfold, and in the last quarter three
// are slowed by 30 %.
func NewTrace(ranks, looks int, seed uint64) Trace {
	random := rand.New(rand.NewPCG(seed, 1))
	t := make(Trace, looks)
	for i := range t {
		t[i] = make([]float64, ranks)
		for r := range t[i] {
			t[i][r] = 1
		}
	}
	slow := func(first, count, from, until int, factor float64) {
		for i := from; i < min(until, looks); i++ {
			for r := first; r < min(first+count, ranks); r++ {
				t[i][r] /= factor
			}
		}
	}
	slow(random.IntN(max(1, ranks/8))*8, 8, looks/6, looks, 1.5)
	slow(random.IntN(ranks), 1, looks/3, 2*looks/3, 3)
	slow(random.IntN(ranks), 1, looks/2, looks/2+1, 4)
	for range 3 {
		slow(random.IntN(ranks), 1, looks*3/4, looks, 1.3)
	}
	return t
}

// ReadTrace reads the speeds of ranks from the table that a run with --rebalance has
// written, balance.csv, relative to the fastest of the first look.
func ReadTrace(r io.Reader) (Trace, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("reading a trace: %w", err)
	}
	var trace Trace
	var columns []int
	fastest := 0.0
	for i, row := range rows {
		if i == 0 {
			for k, name := range row {
				if strings.HasPrefix(name, "speed_") {
					columns = append(columns, k)
				}
			}
			continue
		}
		var speeds []float64
		for _, k := range columns {
			v, err := strconv.ParseFloat(row[k], 64)
			if err != nil || !(v > 0) {
				return nil, fmt.Errorf("reading a trace: %q is no speed in row %d", row[k], i)
			}
			if speeds = append(speeds, v); i == 1 {
				fastest = math.Max(fastest, v)
			}
		}
		for k := range speeds {
			speeds[k] /= fastest
		}
		trace = append(trace, speeds)
	}
	if len(trace) == 0 || len(columns) < 2 {
		return nil, errors.New("reading a trace: there is no look of two ranks or more: give the balance.csv of a run with --rebalance")
	}
	return trace, nil
}

// Balancer is what a replay asks.
type Balancer interface {
	Look(ctx context.Context, m balance.Measured) *balance.Decision
	// Held is the work of every rank, in seconds at speed 1.
	Held() []float64
	// Exchanging is the time that each exchanges, in seconds.
	Exchanging() []float64
	// Took tells what moving has taken.
	Took(seconds float64)
}

// distant is a Balancer that can partition anew, beside the job.
type distant interface {
	Distant(steps int64) func(ctx context.Context) ([]int32, error)
	Found(owners []int32)
}

// Replaying says how a trace is replayed.
type Replaying struct {
	Trace Trace
	// Steps of a look.
	Steps int64
	// Noise is the relative scatter of measured times.
	Noise float64
	// MoveSteps is what a move takes, in ideal steps, and MoveCell each cell that the
	// busiest rank sends or receives, in seconds.
	MoveSteps, MoveCell float64
	// Exchange is what the oracle's messages take in a step, in seconds.
	Exchange float64
}

// Outcome is how a replay went.
type Outcome struct {
	// AboveOracle is the time of all steps and moves over that of a job whose work is
	// divided at will in every look, less 1.
	AboveOracle float64
	Moves       int
	// MovedEach is the share of cells of a move, MovingShare that of the oracle's time
	// that moving takes.
	MovedEach, MovingShare float64
	// LongestLook is the longest time of a decision.
	LongestLook time.Duration
	// Steps is the time of a step at every look, in ideal steps of the beginning.
	Steps []float64
}

// Replay replays a trace with a balancer.
func Replay(ctx context.Context, p Replaying, b Balancer) (Outcome, error) {
	random := rand.New(rand.NewPCG(7, 7))
	var o Outcome
	var total, oracle, spent, moved, ideal float64
	for i, speeds := range p.Trace {
		held, exchanging := b.Held(), b.Exchanging()
		m := balance.Measured{Busy: make([]float64, len(speeds)), Steps: p.Steps}
		var slowest, work, speed float64
		for r := range held {
			busy := held[r] / speeds[r]
			m.Busy[r] = busy * (1 + p.Noise*random.NormFloat64())
			slowest = math.Max(slowest, busy+exchanging[r])
			work, speed = work+held[r], speed+speeds[r]
		}
		if i == 0 {
			ideal = work / speed
		}
		total += slowest * float64(p.Steps)
		oracle += (work/speed + p.Exchange) * float64(p.Steps)
		o.Steps = append(o.Steps, slowest/ideal)
		begin := time.Now()
		d := b.Look(ctx, m)
		o.LongestLook = max(o.LongestLook, time.Since(begin))
		if d.Moves() {
			took := p.MoveSteps*ideal + p.MoveCell*float64(d.Busiest)
			b.Took(took)
			spent += took
			moved += float64(d.Moved)
			o.Moves++
		}
		if anew, ok := b.(distant); ok && d.Far {
			owners, err := anew.Distant(p.Steps)(ctx)
			if err != nil {
				return o, err
			}
			anew.Found(owners)
		}
	}
	o.AboveOracle, o.MovingShare = (total+spent)/oracle-1, spent/oracle
	o.MovedEach = moved / math.Max(1, float64(o.Moves))
	return o, nil
}
