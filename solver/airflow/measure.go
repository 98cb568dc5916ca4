package airflow

import (
	"slices"
	"time"
)

// StepTime is how long a step takes, in seconds, as the mean of an even and
// the following odd one.
type StepTime struct{ Best, Median float64 }

// Measure times pairs of steps after a warm-up. The flow goes on meanwhile.
func (r *Rank) Measure(pairs int) (StepTime, error) {
	const warmUp = 2
	var times []float64
	for i := range warmUp + max(1, pairs) {
		begin := time.Now()
		for range 2 {
			if err := r.engine.Step(); err != nil {
				return StepTime{}, err
			}
		}
		if i >= warmUp {
			times = append(times, time.Since(begin).Seconds()/2)
		}
	}
	slices.Sort(times)
	return StepTime{times[0], times[len(times)/2]}, nil
}
