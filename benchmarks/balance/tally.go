package balancebench

// tally tells how much of a suite is done, as one share over all its stages.
type tally struct {
	tell        func(stage string, done float64)
	done, total float64
}

// newTally returns a tally of so many pieces of work that tells no one if it has
// nothing to tell it to.
func newTally(tell func(stage string, done float64), total float64) *tally {
	if tell == nil {
		tell = func(string, float64) {}
	}
	return &tally{tell: tell, total: total}
}

// at tells the stage and the share, with so much done of as many pieces as the
// stage has.
func (t *tally) at(stage string, done, pieces float64) {
	t.tell(stage, (t.done+min(max(done, 0), 1)*pieces)/t.total)
}

// add counts pieces as done.
func (t *tally) add(pieces float64) { t.done += pieces }
