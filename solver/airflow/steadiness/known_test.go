package steadiness

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const checkInterval = 50

// watched is a series of quantity 0 of samples, with how many blocks half of a window
// of so many samples has.
func watched(samples []float64, half float64) (blocks []float64, window int) {
	s := newSeries(0, 0, checkInterval)
	for i, v := range samples {
		s.add(int64(i+1)*checkInterval, v, nil)
	}
	return s.of(0, nil), max(1, int(math.Ceil(half*checkInterval/s.blockSteps())))
}

// What approaches its end is called still when it is within the tolerance of the end,
// and not much later, however slow it is against the window.
func TestStillWhenNearTheEnd(t *testing.T) {
	const half, tolerance = 8, 5e-3
	for _, slow := range []float64{4, 16, 64, 256} {
		end, stopped := 0, 0
		var samples []float64
		for i := 0; stopped == 0 && i < 5000; i++ {
			samples = append(samples, 2-math.Exp(-float64(i)/slow))
			if end == 0 && math.Exp(-float64(i)/slow) < tolerance*2 {
				end = i
			}
			k := Known{Name: dropName}
			blocks, window := watched(samples, half)
			if k.judge(blocks, window, tolerance); k.How == Still {
				stopped = i
				if off := math.Abs(k.Value - 2); off > 3*tolerance*2 {
					t.Errorf("time scale %g: %g ± %g, and the end is 2", slow, k.Value, k.Error)
				}
			} else if k.How == Mean {
				t.Fatalf("time scale %g: what drifts has a mean", slow)
			}
		}
		if float64(stopped) < 0.9*float64(end) || float64(stopped) > 1.3*float64(end)+3*half {
			t.Errorf("time scale %g: still at sample %d, within the tolerance from sample %d on", slow, stopped, end)
		}
	}
}

// The mean of what fluctuates with a memory, after a start, lies within its error in
// about 95 of 100.
func TestMeanOfFluctuations(t *testing.T) {
	const trials, memory = 300, 0.9
	random := rand.New(rand.NewPCG(1, 2))
	within, known := 0, 0
	for range trials {
		var samples []float64
		noise := 0.
		for i := range 3000 {
			noise = memory*noise + random.NormFloat64()
			samples = append(samples, 10+20*math.Exp(-float64(i)/100)+noise)
		}
		k := Known{Name: dropName}
		blocks, window := watched(samples, 50)
		if k.judge(blocks, window, 1e-6); k.How != Mean {
			continue
		}
		known++
		if math.Abs(k.Value-10) <= k.Error {
			within++
		}
		if exact := 1.96 / (1 - memory) / math.Sqrt(3000); k.Error > 5*exact {
			t.Errorf("error %g, of independent blocks %g", k.Error, exact)
		}
	}
	if part := float64(within) / float64(known); known < trials*9/10 || part < 0.9 {
		t.Errorf("%d of %d have a mean, %.2f of these lie within the error", known, trials, part)
	}
}

// A series goes on from bytes as it would have gone on, and refuses those of others.
func TestSeriesGoesOnFromBytes(t *testing.T) {
	for _, period := range []float64{0, 730} {
		a, b := newSeries(3, period, checkInterval), newSeries(3, period, checkInterval)
		for i := range int64(700) {
			steps := (i + 1) * checkInterval
			x := 2 * math.Pi * float64(steps) / 730
			flows := []float64{math.Sin(x), -0.6 * math.Sin(x), -0.4 * math.Sin(x-0.01)}
			ended := a.add(steps, math.Cos(x), flows)
			if b.add(steps, math.Cos(x), flows) != ended {
				t.Fatalf("period %g: after %d steps the other one differs", period, steps)
			}
			if i%100 == 33 {
				data := b.save()
				b = newSeries(3, period, checkInterval)
				if err := b.load(data); err != nil {
					t.Fatal(err)
				}
				if newSeries(2, period, checkInterval).load(data) == nil || b.load(data[:len(data)-4]) == nil {
					t.Fatal("bytes of another series are taken")
				}
			}
		}
		if diff := cmp.Diff(a.blocks, b.blocks); diff != "" || a.count() < mostBlocks/4 || a.lastMismatch != b.lastMismatch {
			t.Errorf("period %g: %d blocks, differences %s", period, a.count(), diff)
		}
		if period > 0 {
			drop, share := mean(a.of(0, nil)), mean(a.of(3, nil))
			if math.Abs(drop-math.Sqrt(0.5)) > 0.02 || math.Abs(share-0.6) > 0.01 || math.Abs(a.lastMismatch/a.lastLargest-0.004) > 0.001 {
				t.Errorf("root mean square %g, share %g, mismatch %g", drop, share, a.lastMismatch/a.lastLargest)
			}
		}
	}
}
