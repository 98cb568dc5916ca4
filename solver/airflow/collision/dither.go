package collision

// Populations that leave cells are cut to 16 bits after a dither has been added to their
// last bits of 32, a number from 0 to DitherMask, each as likely as any other: so rounding
// changes no mean. Rounded to the nearest number, a flow that changes by less than half a
// spacing of these numbers in a step would not change at all, and one that changes by little
// more would with a wrong speed.
//
// The dither depends on nothing but what arrives in the cell: it is the sum of DitherSeeds,
// scaled and taken as whole numbers of 32 bits, times DitherFactor, shifted right by
// DitherShift. What is a 16-bit number already stays it, so that air at rest stays at rest.
// Populations of opposite directions get the dither and what it lacks of DitherMask: mostly
// they differ in sign, and what one is rounded by makes up for the other.
const (
	DitherMask = 1<<13 - 1
	// DitherFactor is 2³² times two minus the golden ratio, so that numbers that
	// follow one another are far apart.
	DitherFactor = 0x61c88647
	DitherShift  = 32 - 13
)

// DitherSeeds are the populations that the dither depends on, that at rest among them:
// without it, what is rounded where several cells are alike would add up to mass and momentum.
var DitherSeeds = [...]int{0, 1, 4}

// DithersOpposite tells whether the population that leaves along direction i gets what the
// dither lacks of DitherMask.
func DithersOpposite(i int) bool { return i%2 == 1 }
