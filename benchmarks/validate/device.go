package validate

import (
	"fmt"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
)

// The devices that compute the cases.
const (
	Processor = "cpu"
	GPU       = "gpu"
)

// run computes a domain on the device that was asked for and lets observe see
// the flow as often as the plan says and visit see the end; both may be nil.
func (s *suite) run(domain *solver.Domain, settings airflow.Settings, plan airflow.Plan, observe, visit func(*airflow.Rank) error) (*airflow.Summary, error) {
	if plan.Visit = visit; observe != nil {
		plan.Between = []airflow.Between{{Do: observe}}
	}
	switch s.options.Device {
	case "", Processor:
		return airflow.RunInProcess(s.ctx, domain, settings, plan)
	case GPU:
		return airflow.RunInProcessOn(s.ctx, gpu.Backend(gpu.Options{}), domain, settings, plan)
	}
	return nil, fmt.Errorf("there is no device %q: choose %s or %s", s.options.Device, Processor, GPU)
}

// layers is how many cells a flow in two dimensions is deep: one, or on a GPU,
// whose tiles fill periodic axes, four.
func (s *suite) layers() int32 {
	if s.options.Device == GPU {
		return 4
	}
	return 1
}
