package airflow

import (
	"strings"
	"testing"

	"carina/solver"
	"carina/solver/processor"
	"carina/solver/transport"
)

// unlikeDevice is a processor by another name.
type unlikeDevice struct{ *processor.Device }

// unlikeBackend has a device and a physics that do not belong together.
type unlikeBackend struct {
	processors
	physics solver.Physics
}

func (b unlikeBackend) Open(t transport.Transport) (solver.Device, error) {
	if b.physics != nil {
		return b.processors.Open(t)
	}
	return unlikeDevice{processor.New(1, t)}, nil
}

func (b unlikeBackend) Physics(f *Flow) solver.Physics {
	if b.physics != nil {
		return b.physics
	}
	return b.processors.Physics(f)
}

// idle is a physics that is no flow.
type idle struct{ solver.Physics }

func (idle) Fields() []solver.Field { return []solver.Field{{Name: "nothing", Values: 1}} }

func (idle) Program() solver.Program {
	return solver.Program{Steps: [][]solver.Phase{{{}}}, State: [][]solver.Slot{{{}}}}
}

func (idle) Bind(*solver.Binding) (solver.Kernel, error) { return idleKernel{}, nil }

type idleKernel struct{}

func (idleKernel) Work(int, int) solver.Work { return nil }
func (idleKernel) Begin(int64) error         { return nil }

// A device and a physics that do not belong together are refused in a sentence.
func TestUnlikeBackends(t *testing.T) {
	grid := fork()
	for want, b := range map[string]Backend{
		"the device is a airflow.unlikeDevice": unlikeBackend{},
		"airflow.idleKernel, which is no":      unlikeBackend{physics: idle{}},
	} {
		s := DefaultSettings()
		s.FlowRate = 1e-6
		if _, err := NewRankOn(b, solver.WholeDomain(grid), s, transport.NewLocal(1)[0]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q and got %v", want, err)
		}
	}
}
