package balance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"carina/internal/atomicfile"
	"carina/internal/machine"
	"carina/internal/quantity"
)

// The format and version of machine files.
const (
	machineFormat  = "carina machine"
	machineVersion = 1
)

// Machine is what was measured on one kind of computer; a machine file holds
// it as JSON.
type Machine struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Name is what the user calls the machine; Description says what it is.
	Name        string `json:"name"`
	Description string `json:"description"`
	// Costs has one cost model for every layout that was measured.
	Costs []Cost `json:"costs"`
	// Speeds are relative speeds of the machine's devices, if it has several
	// kinds; they can be given to Options.Speeds.
	Speeds []float64 `json:"speeds,omitempty"`
	// Kinds are the kinds of devices that a job may have beside each other, and how fast
	// they are; a file may have nothing else.
	Kinds []DeviceKind `json:"kinds,omitempty"`
}

// DeviceKind is a kind of device of a machine.
type DeviceKind struct {
	// Kind is gpu, or cpu for cores.
	Kind string `json:"kind"`
	// Number is that of the one GPU that is meant; all others where it is left out.
	Number *int `json:"number,omitempty"`
	// Cores is how many cores have the rate, 1 where it is left out: others have their part.
	Cores int `json:"cores,omitempty"`
	// Rate is how many cells it updates in a second.
	Rate float64 `json:"cells_per_second"`
}

// The kinds of devices.
const kindGPU, kindCPU = "gpu", "cpu"

// Check refuses what is no kind of device.
func (k *DeviceKind) Check() error {
	const most = 1e15
	switch {
	case k.Kind != kindGPU && k.Kind != kindCPU:
		return fmt.Errorf("the machine file has the kind of device %q: say %s or %s", k.Kind, kindGPU, kindCPU)
	case !(k.Rate > 0) || k.Rate > most:
		return fmt.Errorf("the machine file's %s updates %v cells_per_second: give a number above 0", k.Kind, k.Rate)
	case k.Cores < 0 || k.Cores > 0 && k.Kind == kindGPU:
		return fmt.Errorf("the machine file's %s has %d cores: give how many cores have the rate, or leave it out", k.Kind, k.Cores)
	case k.Number != nil && (*k.Number < 0 || k.Kind == kindCPU):
		return fmt.Errorf("the machine file's %s has the number %d: give that of a GPU, from 0 on, or leave it out", k.Kind, *k.Number)
	}
	return nil
}

// GPURate is how many cells GPU number n updates in a second; 0 where the file does not say.
func (m *Machine) GPURate(n int) (rate float64) {
	for _, k := range m.Kinds {
		switch {
		case k.Kind != kindGPU:
		case k.Number != nil && *k.Number == n:
			return k.Rate
		case k.Number == nil && rate == 0:
			rate = k.Rate
		}
	}
	return rate
}

// CoresRate is how many cells so many cores update in a second; 0 where the file does not
// say.
func (m *Machine) CoresRate(n int) float64 {
	for _, k := range m.Kinds {
		if k.Kind == kindCPU {
			return k.Rate * float64(n) / float64(max(1, k.Cores))
		}
	}
	return 0
}

// NewMachine returns a machine to be filled with measured costs.
func NewMachine(name, description string) *Machine {
	return &Machine{Format: machineFormat, Version: machineVersion, Name: name, Description: description}
}

// Cost returns the first cost model of a layout.
func (m *Machine) Cost(layout Layout) (Cost, error) { return m.CostFor(layout, 0) }

// CostFor returns the cost model of a layout and of populations of so many
// bytes; 0 stands for any.
func (m *Machine) CostFor(layout Layout, bytesPerPopulation int) (Cost, error) {
	for _, c := range m.Costs {
		if c.Layout == layout && (bytesPerPopulation == 0 || c.BytesPerPopulation == bytesPerPopulation) {
			return c, nil
		}
	}
	precision := ""
	if bytesPerPopulation > 0 {
		precision = fmt.Sprintf(" with %d bytes a population", bytesPerPopulation)
	}
	return Cost{}, fmt.Errorf("the machine file of %q has no figures for the %s layout%s: measure them with carina bench cost", m.Name, layout, precision)
}

// WriteFile writes the machine file; it appears when it is complete.
func (m *Machine) WriteFile(name string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot write the machine file %s: %w", name, err)
	}
	return atomicfile.Write(name, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// ReadMachine reads a machine file and checks its figures.
func ReadMachine(name string) (*Machine, error) {
	text, err := machine.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read the machine file: %w", err)
	}
	m, err := parseMachine(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

func parseMachine(text []byte) (*Machine, error) {
	m := &Machine{}
	if err := json.Unmarshal(bytes.TrimPrefix(text, byteOrderMark), m); err != nil {
		return nil, fmt.Errorf("the machine file is damaged (%w): measure again with carina bench cost", err)
	}
	if m.Format != machineFormat || m.Version != machineVersion {
		return nil, fmt.Errorf("this is no machine file of version %d (format %q, version %d): make one with carina bench cost", machineVersion, m.Format, m.Version)
	}
	for i := range m.Costs {
		if err := m.Costs[i].Check(); err != nil {
			return nil, err
		}
	}
	for i := range m.Kinds {
		if err := m.Kinds[i].Check(); err != nil {
			return nil, err
		}
	}
	for i, s := range m.Speeds {
		if !(s > 0) || s > 1e12 {
			return nil, fmt.Errorf("device %d of the machine file has speed %v: give a speed above 0", i, s)
		}
	}
	return m, nil
}

// Worker is something that computes cells beside others: a GPU, or cores.
type Worker struct {
	// Name is for sentences: GPU 0, 12 cores.
	Name string
	// Number is that of the GPU, or how many cores they are.
	Number int
	// Rate is how many cells it updates in a second.
	Rate float64
	// Cells is how many its memory holds; 0 for any.
	Cells int64
	// Beyond is how many it updates in a second of those that its memory does not hold,
	// which lie in the host's; 0 where it does not reach that.
	Beyond float64
	// Helps tells that it has no cells where the others hold all and are not made faster
	// by leastHelp.
	Helps bool
}

// leastHelp is the part of a step's time that helpers must save: what crosses between a GPU
// and cores passes through the host and costs about as much.
const leastHelp = 0.05

// Share divides cells among workers by their rates, as far as their memory holds them; those
// that reach the host's memory have more where that is faster than what helps. It says why
// some that help have none. Where the memory of all is too small, the error says what to do.
func Share(workers []Worker, cells int64) (each []int64, why string, err error) {
	var held int64
	anyway, endless, endlessAlone, heldAlone, beyond := 0.0, false, false, int64(0), 0.0
	for i := range workers {
		w := &workers[i]
		held, endless, beyond = held+w.Cells, endless || w.Cells == 0, beyond+w.Beyond
		if !w.Helps {
			anyway, heldAlone, endlessAlone = anyway+w.Rate, heldAlone+w.Cells, endlessAlone || w.Cells == 0
		}
	}
	if fits := endlessAlone || heldAlone >= cells; !fits && beyond > 0 {
		each, why := shareBeyond(workers, cells, beyond)
		return each, why, nil
	}
	if !endless && held < cells {
		return nil, "", fmt.Errorf("the memory holds %s of %s cells: choose a larger spacing, 16-bit storage, or more GPUs or cores", quantity.Grouped(held), quantity.Grouped(cells))
	}
	with := filled(workers, cells, func(*Worker) bool { return true })
	if anyway == 0 || !endlessAlone && heldAlone < cells {
		return with, "", nil
	}
	alone := filled(workers, cells, func(w *Worker) bool { return !w.Helps })
	before, after := slowest(workers, alone), slowest(workers, with)
	if after <= before*(1-leastHelp) {
		return with, "", nil
	}
	for i := range workers {
		if w := &workers[i]; w.Helps {
			why = fmt.Sprintf("%s would make a step %.1f %% shorter at most, less than the %.0f %% that exchanging with them costs: no cells for them", w.Name, 100*(1-after/before), 100*leastHelp)
		}
	}
	return alone, why, nil
}

// shareBeyond shares cells that the memory of those that do not help does not hold: with
// what helps, or without it and in the host's memory, which they update at these rates
// together.
func shareBeyond(workers []Worker, cells int64, beyond float64) (each []int64, why string) {
	with := filled(workers, cells, func(*Worker) bool { return true })
	alone := filled(workers, cells, func(w *Worker) bool { return !w.Helps })
	over := cells - sumOf(alone)
	done, upTo := int64(0), 0.0
	for i := range workers {
		upTo += workers[i].Beyond
		next := int64(float64(over) * upTo / beyond)
		alone[i] += next - done
		done = next
	}
	rates := fmt.Sprintf("%.0f million a second there", beyond/1e6)
	for i := range workers {
		if w := &workers[i]; w.Helps {
			rates += fmt.Sprintf(", %.0f on %s", w.Rate/1e6, w.Name)
		}
	}
	if sumOf(with) == cells && slowest(workers, with) <= slowest(workers, alone)*(1-leastHelp) {
		return with, fmt.Sprintf("%s cells that the GPUs' memory does not hold are for cores, which is faster than the host's memory by the GPUs (%s)", quantity.Grouped(over), rates)
	}
	return alone, fmt.Sprintf("%s cells that the GPUs' memory does not hold lie in the host's, which the GPUs reach (%s)", quantity.Grouped(over), rates)
}

func sumOf(list []int64) (sum int64) {
	for _, n := range list {
		sum += n
	}
	return sum
}

// filled shares cells among some workers by their rates; those whose memory is full leave
// the rest to the others.
func filled(workers []Worker, cells int64, takes func(*Worker) bool) []int64 {
	each, full := make([]int64, len(workers)), make([]bool, len(workers))
	for rest := cells; ; {
		rate, last := 0.0, -1
		for i := range workers {
			if w := &workers[i]; takes(w) && !full[i] {
				rate, last = rate+w.Rate, i
			}
		}
		if last < 0 {
			return each
		}
		over, given := false, int64(0)
		for i := range workers {
			w := &workers[i]
			if !takes(w) || full[i] {
				continue
			}
			if each[i] = int64(float64(rest) * w.Rate / rate); i == last {
				each[i] = rest - given
			}
			given += each[i]
			if w.Cells > 0 && each[i] > w.Cells {
				over = true
			}
		}
		if !over {
			return each
		}
		before := rest
		for i := range workers {
			if w := &workers[i]; takes(w) && !full[i] && w.Cells > 0 && each[i] > w.Cells {
				each[i], full[i] = w.Cells, true
				rest -= w.Cells
			}
		}
		if rest == before {
			return each
		}
	}
}

// slowest is the time of a step, in seconds.
func slowest(workers []Worker, each []int64) (seconds float64) {
	for i, n := range each {
		w, took := &workers[i], 0.0
		if w.Beyond > 0 && w.Cells > 0 && n > w.Cells {
			n, took = w.Cells, float64(n-w.Cells)/w.Beyond
		}
		seconds = max(seconds, took+float64(n)/w.Rate)
	}
	return seconds
}
