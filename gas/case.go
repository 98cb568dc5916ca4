package gas

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"carina"
	"carina/internal/machine"
	"carina/internal/quantity"
	"carina/internal/results"
	"carina/internal/spelling"
	"carina/solver/thermal/arithmetic"
)

// Case is what is computed. Lengths are in cells, times in steps; 0 and "" are defaults. Its
// part PartitionCase says who computes what, and on what.
type Case struct {
	carina.PartitionCase
	Scene string
	// Size is the box.
	Size [2]int
	// Steps are computed, and the totals noted whenever Every have passed.
	Steps, Every int
	// Tau is the relaxation time; of a layer heated from below it follows from Rayleigh.
	Tau, Rayleigh float64
	// Collision, Precision and Cut are of the lists below. Decompositions and balancers, or a
	// Partition file, take the place of Cut.
	Collision, Precision, Cut, Partition string
	// Pictures is how many are drawn of temperature and density, the last one at the end:
	// SomePictures are two, or as many as there are looks.
	Pictures int
	// Snapshots is how often all fields are written for ParaView: every=1000 (steps).
	Snapshots string
	// Output is the folder of results.
	Output string
}

// SomePictures is the number of pictures that is left open.
const SomePictures = -1

// What cases can choose, defaults first.
var (
	Collisions = []string{"regularized", "bgk"}
	Precisions = []string{"double", "single"}
)

const (
	leastTau  = 0.501
	leastRows = 8
	mostCells = 1 << 31
)

// complete fills in defaults and finds what makes no sense.
func (c *Case) complete() (*scene, error) {
	n := slices.IndexFunc(scenes, func(s scene) bool { return s.name == c.Scene })
	if n < 0 {
		hint := quantity.Either(SceneNames())
		if near := spelling.Nearest(c.Scene, SceneNames()); near != "" {
			hint = near
		}
		return nil, fmt.Errorf("there is no scene %q: give %s", c.Scene, hint)
	}
	s := &scenes[n]
	for _, d := range []struct {
		name   string
		value  *int
		normal int
	}{{"steps", &c.Steps, s.steps}, {"every", &c.Every, max(1, cmpOr(c.Steps, s.steps)/100)}, {"ranks", &c.Ranks, 1}} {
		if *d.value < 0 {
			return nil, fmt.Errorf("%s is %d: give a number above zero", d.name, *d.value)
		}
		*d.value = cmpOr(*d.value, d.normal)
	}
	if c.Size == [2]int{} {
		c.Size = s.size
	}
	for _, word := range []struct {
		name  string
		value *string
		known []string
	}{{"collision", &c.Collision, Collisions}, {"precision", &c.Precision, Precisions}} {
		if *word.value == "" {
			*word.value = word.known[0]
		}
		if !slices.Contains(word.known, *word.value) {
			return nil, fmt.Errorf("there is no %s %q: give %s", word.name, *word.value, quantity.Either(word.known))
		}
	}
	return s, c.check(s)
}

func cmpOr(a, b int) int {
	if a != 0 {
		return a
	}
	return b
}

func (c *Case) check(s *scene) error {
	if c.Pictures == SomePictures {
		c.Pictures = min(2, c.Steps/c.Every)
	}
	cells := float64(c.Size[0]) * float64(c.Size[1])
	heated := s.name == heatedScene
	switch {
	case c.Size[0] < leastRows || c.Size[1] < leastRows:
		return fmt.Errorf("a box of %d × %d cells is too small: give at least %d along each side", c.Size[0], c.Size[1], leastRows)
	case cells > mostCells:
		return fmt.Errorf("a box of %d × %d cells is too large: give at most 2³¹ cells", c.Size[0], c.Size[1])
	case c.Pictures < 0:
		return errors.New("the number of pictures is negative: give 0 for none")
	case c.Pictures > c.Steps/c.Every:
		return fmt.Errorf("%d pictures are more than there are looks, %d: make every smaller", c.Pictures, c.Steps/c.Every)
	case heated && c.Tau != 0:
		return errors.New("the relaxation time of a layer heated from below follows from its Rayleigh number: give that alone")
	case !heated && c.Rayleigh != 0:
		return fmt.Errorf("only %s has a Rayleigh number: leave it out", heatedScene)
	case c.Rayleigh < 0 || math.IsNaN(c.Rayleigh) || math.IsInf(c.Rayleigh, 0):
		return fmt.Errorf("the Rayleigh number is %g: give one above zero", c.Rayleigh)
	}
	if heated {
		if c.Rayleigh == 0 {
			c.Rayleigh = defaultRayleigh
		}
		c.Tau = c.heatedTau()
	} else if c.Tau == 0 {
		c.Tau = s.tau
	}
	switch {
	case !(c.Tau >= leastTau) && heated:
		return fmt.Errorf("a Rayleigh number of %g needs more rows of cells: give at least %.0f", c.Rayleigh, math.Ceil(float64(c.Size[1])*(leastTau-0.5)/(c.Tau-0.5)))
	case !(c.Tau >= leastTau && c.Tau <= 10):
		return fmt.Errorf("the relaxation time is %g steps: give one from %g to 10", c.Tau, leastTau)
	}
	if err := c.checkCut(); err != nil {
		return err
	}
	if _, err := c.between(); err != nil {
		return err
	}
	return c.admit(cells)
}

// between is after how many steps fields are written, 0: never.
func (c *Case) between() (steps int64, err error) {
	if c.Snapshots == "" {
		return 0, nil
	}
	interval, err := results.ParseInterval(c.Snapshots)
	if err != nil || interval.Steps == 0 {
		return 0, fmt.Errorf("snapshots of a gas cannot come every %q: give steps, such as every=1000", c.Snapshots)
	}
	if c.Output == "" {
		return 0, errors.New("snapshots lie in the folder for results: name one")
	}
	return interval.Steps, nil
}

// admit refuses a box that the memory does not hold: populations before and after a step, and
// the states that are drawn.
func (c *Case) admit(cells float64) error {
	states, bytes := 80., 8.
	if c.Pictures == 0 && c.Snapshots == "" {
		states = 0
	}
	if c.Precision == "single" {
		bytes = 4
	}
	if devices, err := c.Devices(c.Ranks); err != nil {
		return err
	} else if !slices.Contains(devices, carina.CPU) {
		bytes = 0 // populations lie on GPUs
	}
	return machine.AdmitFor(fmt.Sprintf("a gas of %d × %d cells", c.Size[0], c.Size[1]), int64(cells*(2*arithmetic.Populations*bytes+states)), "give fewer, or let precision be single")
}

func (c *Case) collision() arithmetic.Collision {
	if c.Collision == "bgk" {
		return arithmetic.BGK
	}
	return arithmetic.Regularized
}

// ParseSize reads a box such as 256x128.
func ParseSize(text string) (size [2]int, err error) {
	var rest string
	if n, _ := fmt.Sscanf(strings.ToLower(text), "%dx%d%s", &size[0], &size[1], &rest); n != 2 || size[0] <= 0 || size[1] <= 0 {
		return size, fmt.Errorf("%q is no size of a box: give cells along x and y, such as 256x128", text)
	}
	return size, nil
}
