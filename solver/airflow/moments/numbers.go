package moments

// How many numbers a cell has in one phase, means of them means of fields.
const (
	means   = 4
	numbers = means + 7
)

// CellBytes is what statistics take of memory for each cell and phase.
const CellBytes = 4 * numbers

// Products are the components of the Reynolds stress, in VTK's order of a symmetric tensor.
var Products = [6][2]int{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}}

// Numbers are those of all cells in a phase: mean pressure and velocity, the mean squares of
// the deviations of these from the means, and the mean products of those of the velocity.
type Numbers [numbers][]float32

// NewNumbers are zero.
func NewNumbers(cells int) *Numbers {
	var n Numbers
	for i := range n {
		n[i] = make([]float32, cells)
	}
	return &n
}

// portion is how many cells are added at a time: their deviations stay in the cache.
const portion = 512

// add adds some cells of fields, which are such a share of the samples: running means lose no
// precision with the number of these (Welford 1962).
func (n *Numbers) add(fields [means][]float32, from, to int, share float32) {
	var before, after [means][portion]float32
	for ; from < to; from += portion {
		count := min(portion, to-from)
		for k, values := range fields {
			deviate(values[from:][:count], n[k][from:][:count], before[k][:count], after[k][:count], share)
		}
		multiply(before[0][:count], after[0][:count], n[means][from:][:count], share)
		for k, c := range Products {
			multiply(before[1+c[0]][:count], after[1+c[1]][:count], n[means+1+k][from:][:count], share)
		}
	}
}

// deviate adds values to means of which they are a share, and sets their deviations from
// these before and after.
func deviate(values, mean, before, after []float32, share float32) {
	mean, before, after = mean[:len(values)], before[:len(values)], after[:len(values)]
	for i, v := range values {
		old := v - mean[i]
		m := mean[i] + float32(old*share)
		before[i], mean[i], after[i] = old, m, v-m
	}
}

// multiply adds products of deviations to means.
func multiply(before, after, mean []float32, share float32) {
	after, mean = after[:len(before)], mean[:len(before)]
	for i, v := range before {
		mean[i] += float32((float32(v*after[i]) - mean[i]) * share)
	}
}
