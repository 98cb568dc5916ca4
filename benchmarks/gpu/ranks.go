package gpu

import (
	"errors"
	"sync"
	"time"

	"carina/internal/crash"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
	"carina/solver/transport"
)

// measured is what the ranks of a case found.
type measured struct {
	timing    gpu.Timing
	used      airflow.UsedSettings
	bytes     int64   // of all ranks
	tileShare float64 // of rank 0
	setup     float64 // seconds, of the slowest rank
}

// onGPUs computes a domain with a goroutine for each GPU and times its steps.
func onGPUs(domain *solver.Domain, o *Options, v variant) (*measured, error) {
	begin := time.Now()
	domain, err := gpu.Divide(domain, v.devices, v.storage)
	if err != nil {
		return nil, err
	}
	options := gpu.Options{Storage: v.storage, Exchange: v.exchange, Devices: o.devices(v.devices)}
	m := &measured{}
	failures := make([]error, v.devices)
	var all sync.WaitGroup
	var lock sync.Mutex
	for i, t := range transport.NewLocal(v.devices) {
		all.Go(func() {
			defer crash.Guard()
			if failures[i] = m.rank(domain, o, options, t, begin, &lock); failures[i] != nil {
				t.Abort(failures[i])
			}
		})
	}
	all.Wait()
	for _, err := range failures {
		if err != nil && !errors.Is(err, transport.ErrAborted) {
			return nil, err
		}
	}
	return m, errors.Join(failures...)
}

// devices are so many GPUs from the first one on.
func (o *Options) devices(n int) (list []int) {
	for i := range n {
		list = append(list, o.Device+i)
	}
	return list
}

// add adds the memory of a rank and the time until its first step.
func (m *measured) add(bytes int64, setup float64) {
	m.bytes += bytes
	m.setup = max(m.setup, setup)
}

// rank is what one of them does.
func (m *measured) rank(domain *solver.Domain, o *Options, options gpu.Options, t transport.Transport, begin time.Time, lock *sync.Mutex) error {
	r, err := airflow.NewRankOn(gpu.Backend(options), domain, o.settings(), t)
	if err != nil {
		return err
	}
	defer r.Close()
	setup := time.Since(begin).Seconds()
	if err := gpu.Scramble(r, 1); err != nil {
		return err
	}
	timing, err := gpu.Measure(r, o.Steps)
	if err != nil {
		return err
	}
	use, _ := gpu.MemoryOf(r)
	lock.Lock()
	defer lock.Unlock()
	m.add(use.Needs, setup)
	if t.Rank() == 0 {
		m.timing, m.used, m.tileShare = timing, *r.Used(), gpu.TileShare(r)
	}
	return nil
}
