package quantity

import "strings"

// Units are the units that quantities of the kind may have, the largest first,
// each in one spelling.
func (k Kind) Units() []string { return strings.Split(k.unitList(), ", ") }
