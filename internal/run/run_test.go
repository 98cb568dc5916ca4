package run

import (
	"context"
	"os"
	"slices"
	"sync"
	"testing"

	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
	"carina/solver/cuda/device"
	"carina/solver/cuda/devicetest"
	"carina/solver/transport"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// The memory of GPUs is told of all ranks of the process at once, by number, where each
// is a process by itself of each alone, and nothing is told of processors.
func TestMemoryIsTold(t *testing.T) {
	devicetest.BesideOthers(t)
	devicetest.Open(t, 1) // or the test is skipped
	domain := shared(t)
	settings := airflow.DefaultSettings()
	settings.BodyForce, settings.Collision = [3]float64{1e-3, 0, 0}, airflow.TRT
	emulated := gpu.BackendOn(func(tr transport.Transport) (device.Device, error) { return devicetest.Fresh(t, tr.Rank()) }, gpu.Options{})
	// tell collects what a process's job tells.
	tell := func(j *Job, run func(airflow.Plan) (*airflow.Summary, error)) (told [][]gpu.MemoryUse) {
		j.Domain, j.Devices = domain, slices.Repeat([]Device{GPU}, domain.Ranks)
		if _, err := run(airflow.Plan{Steps: 1, Prepared: j.tellMemory(func(uses []gpu.MemoryUse) { told = append(told, slices.Clone(uses)) })}); err != nil {
			t.Error(err)
		}
		return told
	}
	inProcess := func(backend airflow.Backend) [][]gpu.MemoryUse {
		return tell(&Job{}, func(p airflow.Plan) (*airflow.Summary, error) {
			return airflow.RunInProcessOn(context.Background(), backend, domain, settings, p)
		})
	}
	if told := inProcess(nil); told != nil {
		t.Errorf("of processors %v is told", told)
	}
	// Ranks are prepared at the same time: they may come in order by chance.
	for range 5 {
		told := inProcess(emulated)
		if len(told) != 1 || len(told[0]) != domain.Ranks {
			t.Fatalf("told %v of %d ranks of a process", told, domain.Ranks)
		}
		for rank, use := range told[0] {
			if use.Rank != rank || use.Needs <= 0 || use.Needs > use.Free {
				t.Errorf("rank %d is told %+v", rank, use)
			}
		}
	}
	var all sync.WaitGroup
	for rank, tr := range transport.NewLocal(domain.Ranks) {
		all.Go(func() {
			told := tell(&Job{Transport: tr}, func(p airflow.Plan) (*airflow.Summary, error) {
				return airflow.RunRankOn(context.Background(), emulated, domain, settings, p, tr)
			})
			if len(told) != 1 || len(told[0]) != 1 || told[0][0].Rank != rank {
				t.Errorf("told %v of the process of rank %d", told, rank)
			}
		})
	}
	all.Wait()
}
