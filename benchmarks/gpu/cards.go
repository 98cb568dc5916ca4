package gpu

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"carina/internal/crash"
)

// compareCards measures the GPUs one by one and then all at the same time, each
// on a cube of its own.
func compareCards(o *Options) ([]Card, error) {
	n := slices.Max(o.Counts)
	if n == 1 {
		return nil, nil
	}
	cards, failures := make([]Card, n), make([]error, n)
	cube := dense(o.Side, 1)
	speed := func(i int) (float64, error) {
		alone := *o
		alone.Device += i
		m, err := onGPUs(cube, &alone, variant{devices: 1})
		if err != nil {
			return 0, err
		}
		return float64(cube.Grid.Cells()) / m.timing.Step / 1e6, nil
	}
	for i := range cards {
		cards[i].Device = o.Device + i
		if cards[i].Alone, failures[i] = speed(i); failures[i] != nil {
			return nil, fmt.Errorf("GPU %d: %w", cards[i].Device, failures[i])
		}
	}
	var all sync.WaitGroup
	for i := range cards {
		all.Go(func() {
			defer crash.Guard()
			cards[i].Together, failures[i] = speed(i)
		})
	}
	all.Wait()
	return cards, errors.Join(failures...)
}
