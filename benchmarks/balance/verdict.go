package balancebench

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"carina/balance"
	"carina/internal/quantity"
)

// The margins that are asked for: the source's, of shrinking and graph over the
// traditional way, and ours over that.
const (
	sourceMargin = 1.75
	ourMargin    = 1.1
)

// margins sorts numbers of ranks by whether the source's margin and ours are
// reached.
type margins struct {
	step func(r *Row) float64 // by which rows are compared
	// reason says why a margin is not reached.
	reason func(name, rival string, before, after *Row, factor float64) string

	shrinking, shrinkingShort []string // +75 % over the traditional way
	ours, oursShort           []string // a further 10 %
	reasons                   []string // why not, where not
}

func predictedMargins() *margins { return &margins{step: predictedStep, reason: reason} }
func measuredMargins() *margins  { return &margins{step: measuredStep, reason: measuredReason} }

// note sorts one number of ranks; the source's margin is for 8 and more.
func (m *margins) note(old, shrunk, ours *Row) {
	if old.Ranks < 8 {
		return
	}
	sort := func(reached, short *[]string, before, after *Row, factor float64) bool {
		list := reached
		missed := m.step(before) < factor*m.step(after)
		if missed {
			list = short
		}
		*list = append(*list, fmt.Sprintf("%d (%s)", old.Ranks, gain(m.step(before), m.step(after))))
		return missed
	}
	if sort(&m.shrinking, &m.shrinkingShort, old, shrunk, sourceMargin) {
		m.reasons = append(m.reasons, m.reason("shrinking + graph", "the traditional way", old, shrunk, sourceMargin))
	}
	if sort(&m.ours, &m.oursShort, shrunk, ours, ourMargin) {
		m.reasons = append(m.reasons, m.reason("ours", "shrinking + graph", shrunk, ours, ourMargin))
	}
}

// reason says what a margin would leave for all but the fluid cells, and what
// is needed instead.
func reason(name, rival string, before, after *Row, factor float64) string {
	left := before.Predicted/factor/after.Ideal - 1
	text := fmt.Sprintf("%s: %s (k = %d, %.0f %% of its cells fluid) takes %.2f times the bound's step. ", quantity.Count(after.Ranks, "rank"), rival, before.PerRank,
		100*float64(before.FluidCells)/float64(before.KeptCells), before.Predicted/after.Ideal)
	if left <= 0 {
		text += fmt.Sprintf("%+.0f %% over that is beyond the bound. ", 100*(factor-1))
	} else {
		text += fmt.Sprintf("%+.0f %% over that would leave %.1f %% of the bound's step for all but fluid cells. ", 100*(factor-1), 100*left)
	}
	l := lost(after)
	return text + fmt.Sprintf("With %s empty cells take %s %%, cuboids, lanes and copies %s %%, messages %s %%, waiting %s %%.", name, l[0], l[1], l[2], l[3])
}

// measuredReason says by how much the two differ from their predictions.
func measuredReason(name, rival string, before, after *Row, factor float64) string {
	text := fmt.Sprintf("%s, measured %s: the partitions that were timed are predicted to gain %s. ", quantity.Count(after.Ranks, "rank"),
		gain(before.Measured, after.Measured), gain(before.Predicted, after.Predicted))
	if before.Predicted < factor*after.Predicted {
		text += "Most of what is missing is missing by the prediction too, see there. "
	}
	for _, side := range []struct {
		name string
		row  *Row
	}{{rival, before}, {name, after}} {
		text += fmt.Sprintf("With %s the timed ranks compute for %.2f times the predicted time on the mean, and the slowest step takes %.2f times the predicted one",
			side.name, side.row.Computing, side.row.Measured/side.row.Predicted)
		if side.row.Disturbed > 0 {
			text += fmt.Sprintf(" (%.2f times in the most disturbed of the rounds)", side.row.Disturbed*side.row.Measured/side.row.Predicted)
		}
		text += ". "
	}
	return strings.TrimSpace(text)
}

// verdict says where the margins are reached, and why not elsewhere.
func (r *report) verdict(m *margins, how string) {
	if len(m.shrinking)+len(m.shrinkingShort) == 0 {
		return
	}
	list := func(ranks []string) string {
		if len(ranks) == 0 {
			return "none"
		}
		return strings.Join(ranks, ", ")
	}
	r.printf("%s, at 8 ranks and up:\n\n", how)
	r.printf("- shrinking + graph gains the source's 75 %% over the traditional way at ranks: %s; not at: %s.\n", list(m.shrinking), list(m.shrinkingShort))
	r.printf("- ours gain a further 10 %% at ranks: %s; not at: %s.\n\n", list(m.ours), list(m.oursShort))
	if len(m.reasons) > 0 {
		r.printf("Where a margin is not reached:\n\n")
		for _, text := range m.reasons {
			r.printf("- %s\n", text)
		}
		r.printf("\n")
	}
}

// agreement says how well measured steps of a layout agree with predicted ones.
func (r *report) agreement(rows []Row, layout balance.Layout) {
	var computing, steps, disturbed []float64
	for i := range rows {
		if row := &rows[i]; row.Layout == layout && row.Measured > 0 {
			computing, steps = append(computing, row.Computing), append(steps, row.Measured/row.Predicted)
			disturbed = append(disturbed, max(1, row.Disturbed))
		}
	}
	if len(steps) == 0 {
		return
	}
	r.printf("%s: in the %d partitions that were timed, ranks compute for %.2f to %.2f times the predicted time, the mean of the ranks timed, and the slowest step takes %.2f to %.2f times the predicted one. ",
		layoutName(layout), len(steps), slices.Min(computing), slices.Max(computing), slices.Min(steps), slices.Max(steps))
	if most := slices.Max(disturbed); most > 1 {
		r.printf("A step takes the shortest time of each rank in all rounds; one round alone would have made it up to %.2f times as long. ", most)
	}
	r.printf("Ranks that hold few cells are predicted to be faster by what caches do for them, see the cost model. ")
	if layout == balance.Dense {
		r.printf("The cost model counts the windows of %d cells that the solver's vector kernels compute and the empty cells that they pass over, see the cases of the machine file. ", balance.WindowCells)
	}
	r.printf("The step is that of the slowest rank: where all ranks are predicted to take the same time, it is the one that takes longest against its prediction.\n\n")
}

// shortOfSource says why shrinking gains less than it did for the source.
func (r *report) shortOfSource(layout balance.Layout) {
	if layout == balance.Dense {
		r.printf("Shrinking falls short since it sheds empty cells alone, which are a smaller part of a step here: lanes without fluid and messages are left.\n\n")
		return
	}
	r.printf("Shrinking falls short where the traditional way is better than the source's. ")
	r.printf("With many blocks per rank (k = 16 or 32) removing empty blocks alone sheds most empty cells, and by the cost model above more cuboids cost little; ")
	r.printf("on the source's cluster large k lost (its table 5.2: 0.226 MLUP/ps at k = 8, 0.134 at k = 32), so that its traditional way kept more empty cells. ")
	r.printf("The next table has the same k on both sides; at 512 ranks the source's own gain was 34 %% (its table 5.4).\n\n")
}

// aboutDense says how the costs of the solver's dense layout differ from those
// of the plain one, and what follows for the margins.
func (r *report) aboutDense() {
	dense, err := r.opt.cost(balance.Dense)
	plain, err2 := r.opt.cost(balance.Plain)
	if err != nil || err2 != nil {
		return
	}
	r.printf("Cuboids that are stored whole by the solver itself (`--layout dense`), in populations of %d bytes. ", dense.BytesPerPopulation)
	r.printf("Its vector kernels compute a fluid cell %.0f times as fast as the plain one does (%s against %s ns); an empty cell between fluid ones costs %.0f %% of a fluid one (%.0f %% there), one that is passed over nothing. ",
		plain.Fluid/dense.Fluid, nano(dense.Fluid), nano(plain.Fluid), 100*dense.Empty/dense.Fluid, 100*plain.Empty/plain.Fluid)
	r.printf("Vectors hold %d cells of a row and do not reach across its ends nor across those of its neighbours' cuboids; each place in them without fluid costs %.0f %% of a fluid cell, ", balance.WindowCells, 100*dense.Lane/dense.Fluid)
	r.printf("and a message in a host (%.2g µs, and %.2g ns a byte with packing and what cells next to other ranks lose, where ranks hold many cells) as much as %.0f fluid cells and %.2g for each byte, with the plain kernel %.0f and %.2g. ",
		1e6*dense.Inside.Latency, 1e9*dense.Inside.SecondsPerByte, dense.Inside.Latency/dense.Fluid, dense.Inside.SecondsPerByte/dense.Fluid, plain.Inside.Latency/plain.Fluid, plain.Inside.SecondsPerByte/plain.Fluid)
	r.printf("The more ranks, the more of a step is messages, which no decomposition sheds.\n\n")
}

func predictedStep(r *Row) float64 { return r.Predicted }

// measuredStep is that of rows that were measured.
func measuredStep(r *Row) float64 {
	if r.Measured > 0 {
		return r.Measured
	}
	return math.Inf(1)
}
