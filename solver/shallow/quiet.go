package shallow

import (
	"carina/solver"
	"carina/solver/shallow/scheme"
)

// span is cells from ≤ cell < to, none where to ≤ from.
type span struct{ from, to int32 }

// with is the least span that holds both.
func (s span) with(o span) span {
	switch {
	case o.to <= o.from:
		return s
	case s.to <= s.from:
		return o
	}
	return span{min(s.from, o.from), max(s.to, o.to)}
}

// near is n cells of a run from one on, and those that they read, each from another one on:
// of a run, or ghosts where that is −1.
type near struct{ first, n, other, run int32 }

// quiet leaves out cells in which nothing happens: those that are dry, as are all that they
// read. It knows of every run of cells the least span that holds all others, so that a run
// far from water is passed over at once. It changes no bit: what is left out would become
// what it is.
type quiet[T float32 | float64] struct {
	k     *onProcessor[T]
	runs  [][2]int32
	of    []int32 // where the runs of a block begin, and the last ones end
	nears []near
	begin []int32 // of a run's, and where the last ones end
	// always are cells of runs in which water comes in, wet those and all with water, rated
	// those whose rates of change may not be zero, filled the same for the water, by field.
	always, wet, rated []span
	filled             [2][]span
	// stale tells that the water is not that of the step before.
	stale bool
}

// newQuiet finds what the cells of runs read.
func newQuiet[T float32 | float64](k *onProcessor[T], b *solver.Binding, s *fluxes[T]) *quiet[T] {
	q := &quiet[T]{k: k, stale: true}
	q.of = s.begin
	q.runs = s.runs[:q.of[len(b.Blocks)]]
	for _, list := range []*[]span{&q.always, &q.wet, &q.rated, &q.filled[0], &q.filled[1]} {
		*list = make([]span, len(q.runs))
	}
	w := s.windows
	for i, run := range q.runs {
		q.begin = append(q.begin, int32(len(q.nears)))
		for o := range w.Offsets {
			w.Each(o, run[0], run[1], func(cell, n, other int32) {
				for other >= 0 && n > 0 {
					p := near{cell, n, other, -1}
					if int(other) < b.Cells {
						p.run = q.holds(b.BlockOf(other), other)
						p.n = min(n, q.runs[p.run][1]-other)
					}
					q.nears = append(q.nears, p)
					cell, n, other = cell+p.n, n-p.n, other+p.n
				}
			})
		}
		q.always[i] = q.entering(run, w)
	}
	q.begin = append(q.begin, int32(len(q.nears)))
	return q
}

// holds is the run of a block that holds a cell.
func (q *quiet[T]) holds(block int, cell int32) int32 {
	run := q.of[block]
	for q.runs[run][1] <= cell {
		run++
	}
	return run
}

// entering is the span of the cells of a run at edges where water comes in.
func (q *quiet[T]) entering(run [2]int32, w *solver.Windows) (s span) {
	if q.k.water.Edge == nil {
		return s
	}
	for o, offset := range w.Offsets {
		side := -1
		switch {
		case offset.X*offset.X+offset.Y*offset.Y != 1:
			continue
		case offset.X != 0:
			side = int(1+offset.X) / 2
		default:
			side = 2 + int(1+offset.Y)/2
		}
		w.Each(o, run[0], run[1], func(cell, n, other int32) {
			for c := cell; c < cell+n && other < 0; c++ {
				if q.k.edges[side][c] > 0 {
					s = s.with(span{c, c + 1})
				}
			}
		})
	}
	return s
}

// look looks at all water anew.
func (q *quiet[T]) look(field int) {
	for i, run := range q.runs {
		all := span{run[0], run[1]}
		q.wet[i] = q.holding(field, all).with(q.always[i])
		q.rated[i], q.filled[0][i], q.filled[1][i] = all, all, all
	}
	q.stale = false
}

// some tells whether a value of a field is not zero in a cell.
func (q *quiet[T]) some(field int, cell int32) bool {
	v := q.k.q[field]
	return v[depth][cell] != 0 || v[dischargeX][cell] != 0 || v[dischargeY][cell] != 0
}

// holding is the least part of a span that holds all cells with water.
func (q *quiet[T]) holding(field int, s span) span {
	for s.from < s.to && !q.some(field, s.from) {
		s.from++
	}
	for s.from < s.to && !q.some(field, s.to-1) {
		s.to--
	}
	return s
}

// reach is the span of the cells of a run that read those of others, or are these: of runs
// those of spans, of ghosts those with one of some fields that is not zero.
func (q *quiet[T]) reach(run int, of []span, fields ...int) span {
	s := of[run]
	for _, p := range q.nears[q.begin[run]:q.begin[run+1]] {
		read := span{p.other, p.other + p.n}
		if p.run >= 0 {
			read.from, read.to = max(read.from, of[p.run].from), min(read.to, of[p.run].to)
		} else {
			found := span{}
			for _, f := range fields {
				found = found.with(q.holding(f, read))
			}
			read = found
		}
		if read.from < read.to {
			away := p.first - p.other
			s = s.with(span{read.from + away, read.to + away})
		}
	}
	return s
}

// clear lets the values of a field be zero in cells of a span that are not in another.
func (q *quiet[T]) clear(field int, s, but span) {
	for _, v := range q.k.q[field] {
		if but.to <= but.from {
			clear(v[s.from:max(s.from, s.to)])
			continue
		}
		clear(v[min(s.from, but.from):but.from])
		clear(v[but.to:max(s.to, but.to)])
	}
}

// each is the n-th work on a block of own cells that is do on its runs, which returns the
// cells to compute, and then after. Of ghosts all are computed.
func (q *quiet[T]) each(s runner, n int, do func(run int) span, after func(run int, s span)) solver.BlockWork {
	part, all := s.Part(n), s.Work(n)
	return func(b *solver.Block, worker int) {
		if int(b.First) >= q.k.layout.Cells {
			all(b, worker)
			return
		}
		for run := int(q.of[b.Number]); run < int(q.of[b.Number+1]); run++ {
			s := do(run)
			if s.from < s.to {
				part(worker, s.from, s.to)
			}
			after(run, s)
		}
	}
}

// rates are the first stage's work, from the n-th field of water.
func (q *quiet[T]) rates(n int, s runner) solver.BlockWork {
	field := q.k.water.field(int64(n))
	to, filled := scheme.RatesOfChange, q.rated
	if q.k.water.Euler {
		to, filled = q.k.water.field(int64(n)+1), q.filled[(n+1)%cycle]
	}
	return q.each(s, n, func(run int) span {
		now := q.reach(run, q.wet, field)
		q.clear(to, filled[run], now)
		return now
	}, func(run int, now span) { q.rated[run], filled[run] = now, now })
}

// advance is the second stage's.
func (q *quiet[T]) advance(n int, s runner) solver.BlockWork {
	field, next := q.k.water.field(int64(n)), q.k.water.field(int64(n)+1)
	filled := q.filled[(n+1)%cycle]
	return q.each(s, n, func(run int) span {
		now := q.reach(run, q.rated, field, scheme.RatesOfChange)
		q.clear(next, filled[run], now)
		return now
	}, func(run int, now span) {
		filled[run] = now
		q.wet[run] = q.holding(next, now).with(q.always[run])
	})
}

// again is that of Euler's method.
func (q *quiet[T]) again(n int, s runner) solver.BlockWork {
	next := q.k.water.field(int64(n) + 1)
	work := q.each(s, n, func(run int) span {
		if q.k.again {
			return q.rated[run]
		}
		return span{}
	}, func(run int, _ span) { q.wet[run] = q.holding(next, q.rated[run]).with(q.always[run]) })
	return func(b *solver.Block, worker int) {
		if q.k.again || int(b.First) < q.k.layout.Cells {
			work(b, worker)
		}
	}
}

// record is the last one's.
func (q *quiet[T]) record(n int, s runner) solver.BlockWork {
	return q.each(s, n, func(run int) span { return q.wet[run] }, func(int, span) {})
}

// works are those of the phases, by step of the cycle.
func (q *quiet[T]) works(n int) []solver.Work {
	s := q.k.stages
	list := []solver.Work{q.rates(n, s[firstPhase]), q.advance(n, s[secondPhase])}
	if q.k.water.Euler {
		list[secondPhase] = q.again(n, s[secondPhase])
	}
	if len(s) > recordPhase {
		list = append(list, q.record(n, s[recordPhase]))
	}
	return list
}

// bytes is the memory held.
func (q *quiet[T]) bytes() int64 {
	const nearBytes, spanBytes = 16, 8
	return nearBytes*int64(cap(q.nears)) + 4*int64(cap(q.begin)) + 6*spanBytes*int64(len(q.wet))
}
