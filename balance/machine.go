package balance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"carina/internal/atomicfile"
	"carina/internal/machine"
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
	for i, s := range m.Speeds {
		if !(s > 0) || s > 1e12 {
			return nil, fmt.Errorf("device %d of the machine file has speed %v: give a speed above 0", i, s)
		}
	}
	return m, nil
}
