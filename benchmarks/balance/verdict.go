package balancebench

import (
	"fmt"
	"strings"
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
	shrinking, shrinkingShort []string // +75 % over the traditional way
	ours, oursShort           []string // a further 10 %
	reasons                   []string // why not, where not
}

// note sorts one number of ranks; the source's margin is for 8 and more.
func (m *margins) note(old, shrunk, ours *Row) {
	if old.Ranks < 8 {
		return
	}
	sort := func(reached, short *[]string, before, after *Row, factor float64) bool {
		list := reached
		missed := before.Predicted < factor*after.Predicted
		if missed {
			list = short
		}
		*list = append(*list, fmt.Sprintf("%d (%s)", old.Ranks, gain(before.Predicted, after.Predicted)))
		return missed
	}
	if sort(&m.shrinking, &m.shrinkingShort, old, shrunk, sourceMargin) {
		m.reasons = append(m.reasons, reason("shrinking + graph", "the traditional way", old, shrunk, sourceMargin))
	}
	if sort(&m.ours, &m.oursShort, shrunk, ours, ourMargin) {
		m.reasons = append(m.reasons, reason("ours", "shrinking + graph", shrunk, ours, ourMargin))
	}
}

// reason says what a margin would leave for all but the fluid cells, and what
// is needed instead.
func reason(name, rival string, before, after *Row, factor float64) string {
	left := before.Predicted/factor/after.Ideal - 1
	text := fmt.Sprintf("%d ranks: %s (k = %d, %.0f %% of its cells fluid) takes %.2f times the bound's step. ", after.Ranks, rival, before.PerRank,
		100*float64(before.FluidCells)/float64(before.KeptCells), before.Predicted/before.Ideal)
	if left <= 0 {
		text += fmt.Sprintf("%+.0f %% over that is beyond the bound. ", 100*(factor-1))
	} else {
		text += fmt.Sprintf("%+.0f %% over that would leave %.1f %% of the bound's step for all but fluid cells. ", 100*(factor-1), 100*left)
	}
	l := lost(after)
	return text + fmt.Sprintf("With %s empty cells take %s %%, cuboids and copies %s %%, messages %s %%, waiting %s %%.", name, l[0], l[1], l[2], l[3])
}

// verdict says where the margins are reached, and why not elsewhere.
func (r *report) verdict(m *margins) {
	if len(m.shrinking)+len(m.shrinkingShort) == 0 {
		return
	}
	list := func(ranks []string) string {
		if len(ranks) == 0 {
			return "none"
		}
		return strings.Join(ranks, ", ")
	}
	r.printf("By the prediction, at 8 ranks and up:\n\n")
	r.printf("- shrinking + graph gains the source's 75 %% over the traditional way at ranks: %s; not at: %s.\n", list(m.shrinking), list(m.shrinkingShort))
	r.printf("- ours gain a further 10 %% at ranks: %s; not at: %s.\n\n", list(m.ours), list(m.oursShort))
	if len(m.reasons) > 0 {
		r.printf("Where a margin is not reached:\n\n")
		for _, text := range m.reasons {
			r.printf("- %s\n", text)
		}
		r.printf("\n")
	}
	if len(m.shrinkingShort) > 0 {
		r.printf("Shrinking falls short where the traditional way is better than the source's. ")
		r.printf("With many blocks per rank (k = 16 or 32) removing empty blocks alone sheds most empty cells, and by the cost model above more cuboids cost little; ")
		r.printf("on the source's cluster large k lost (its table 5.2: 0.226 MLUP/ps at k = 8, 0.134 at k = 32), so that its traditional way kept more empty cells. ")
		r.printf("The next table has the same k on both sides; at 512 ranks the source's own gain was 34 %% (its table 5.4).\n\n")
	}
}
