package saved

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Form is the version of what State says and how: it grows when that changes.
const Form = 1

// Identity is what a state belongs to.
type Identity struct {
	// Form is the version of the state's form.
	Form int
	Grid Grid
	// Fields are those of all physics, in their order.
	Fields []Field
}

// Grid tells grids apart.
type Grid struct {
	// Size is the number of cells of the bounding box along x, y and z.
	Size [3]int32
	// Spacing is the side of a cell and Origin the lowest corner of the box, in
	// metres.
	Spacing float64
	Origin  [3]float64
	// Periodic tells along which axes the ends of the box are joined.
	Periodic [3]bool
	// Cells is how many are fluid, Places a hash of where these are.
	Cells  int64
	Places uint64
}

// Field is one that cells have.
type Field struct {
	Name   string
	Values int
	// Kind names the type of a value in memory, which holds Scale times the value.
	Kind  string
	Scale float64
}

// String says the same.
func (f Field) String() string {
	text := fmt.Sprintf("%s (%d × %s", f.Name, f.Values, f.Kind)
	if f.Scale != 1 {
		text += fmt.Sprintf(" scaled by %g", f.Scale)
	}
	return text + ")"
}

// otherState says in which way a state does not belong to a computation.
type otherState string

// Error says why.
func (e otherState) Error() string { return string(e) }

// Is tells that it is an ErrOtherState.
func (e otherState) Is(target error) bool { return target == ErrOtherState }

// tolerance is a part of a spacing within which places are the same.
const tolerance = 1e-6

// Differs is an error, which is an ErrOtherState, that says in which way a state is not
// of what a computation is of; nil if it is.
func (i *Identity) Differs(computed *Identity) error {
	g, of := &i.Grid, &computed.Grid
	const advice = ": load it with the grid that it was saved with"
	far := func(a, b float64) bool { return !(math.Abs(a-b) <= tolerance*of.Spacing) }
	switch {
	case i.Form != computed.Form:
		return otherState(fmt.Sprintf("the state has form %d and this program reads form %d: load it with the program that saved it", i.Form, computed.Form))
	case g.Size != of.Size:
		return otherState(fmt.Sprintf("the state is of a grid of %d×%d×%d cells and this one has %d×%d×%d%s", g.Size[0], g.Size[1], g.Size[2], of.Size[0], of.Size[1], of.Size[2], advice))
	case far(g.Spacing, of.Spacing):
		return otherState(fmt.Sprintf("the state is of a grid with a spacing of %g m and this one has %g m%s", g.Spacing, of.Spacing, advice))
	case far(g.Origin[0], of.Origin[0]) || far(g.Origin[1], of.Origin[1]) || far(g.Origin[2], of.Origin[2]):
		return otherState(fmt.Sprintf("the state is of a grid that begins at %v m and this one begins at %v m%s", g.Origin, of.Origin, advice))
	case g.Periodic != of.Periodic:
		return otherState("the state is of a grid whose ends are joined along other axes" + advice)
	case g.Cells != of.Cells:
		return otherState(fmt.Sprintf("the state is of a grid of %d fluid cells and this one has %d%s", g.Cells, of.Cells, advice))
	case g.Places != of.Places:
		return otherState("the state is of a grid of the same size with other fluid cells" + advice)
	case !slices.Equal(i.Fields, computed.Fields):
		return otherState(fmt.Sprintf("the state holds %s and the computation has %s: load it with the settings that it was saved with", list(i.Fields), list(computed.Fields)))
	}
	return nil
}

// list names fields.
func list(fields []Field) string {
	texts := make([]string, len(fields))
	for i, f := range fields {
		texts[i] = f.String()
	}
	if len(texts) == 0 {
		return "no fields"
	}
	return strings.Join(texts, ", ")
}
