package partition

import (
	"fmt"
	"slices"
	"strings"
)

// Objective is what a partition minimises.
type Objective int

// The objectives. EdgeCut is the weight of the edges between parts.
// CommunicationVolume is the sum over all vertices of the number of other
// parts they touch. BottleneckVolume is that sum for the part where it is
// largest. MappingCost is Σ weight × distance over the edges between parts,
// with the distances given in [Options.Distances].
const (
	EdgeCut Objective = iota
	CommunicationVolume
	BottleneckVolume
	MappingCost
)

var objectiveNames = []string{"cut", "volume", "bottleneck", "mapping"}

// String returns the objective's name on the command line.
func (o Objective) String() string {
	if o < 0 || int(o) >= len(objectiveNames) {
		return fmt.Sprintf("objective(%d)", int(o))
	}
	return objectiveNames[o]
}

// ObjectiveNames returns the names that ParseObjective knows.
func ObjectiveNames() []string { return slices.Clone(objectiveNames) }

// ParseObjective returns the objective called name.
func ParseObjective(name string) (Objective, error) {
	for i, n := range objectiveNames {
		if n == name {
			return Objective(i), nil
		}
	}
	return 0, fmt.Errorf("unknown objective %q; use one of %s", name, strings.Join(objectiveNames, ", "))
}
