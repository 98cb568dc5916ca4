package branch

import (
	"math"

	"carina/internal/heap"

	"gonum.org/v1/gonum/spatial/r3"
)

// A branch is cut so many radii before its tip, or halfway along.
const cutRadii = 3.0

// End is where the end of a branch can be cut, in units of cells: a place in the
// middle of the branch, its radius there and about its axis, towards the end.
type End struct {
	Center, Axis r3.Vec
	Radius       float64
}

// Ends returns one place for each branch, or none where the lumen has less than
// two, so that nothing could flow.
func (l *Lumen) Ends() []End {
	if len(l.Cells) == 0 {
		return nil
	}
	d := l.distancesFrom(l.middle())
	tips := l.tips(d)
	if len(tips) < 2 {
		return nil
	}
	ends := make([]End, len(tips))
	for i, t := range tips {
		ends[i] = l.cut(d, t)
	}
	return ends
}

// cut goes back from a tip until the branch has its width. Its axis is that of
// the latter half of the way.
func (l *Lumen) cut(d *distances, t tip) End {
	var end End
	var passed []r3.Vec
	widest := 0.0
	var cells []int // of each front
	l.eachFront(d, t.cell, func(back float64, f front) bool {
		passed, cells = append(passed, f.center()), append(cells, f.cells)
		end.Center, end.Radius = f.center(), meanRadius(cells[max(len(cells)-meanFronts, 0):])
		widest = max(widest, end.Radius)
		return back < min(cutRadii*widest, float64(t.length)/Step/2)
	})
	end.Axis = r3.Unit(r3.Sub(passed[(len(passed)-1)/2], end.Center))
	return end
}

// front is the cells of a branch at one distance from its tip, one cell thick.
type front struct {
	sum   r3.Vec
	cells int
}

func (f *front) center() r3.Vec { return r3.Scale(1/float64(f.cells), f.sum) }

// What a front lacks to a layer of cells its neighbours have too much: a radius is that of
// so many.
const meanFronts = 3

// meanRadius returns the radius of a circle of as many cells as fronts have in the mean.
func meanRadius(cells []int) float64 {
	sum := 0
	for _, n := range cells {
		sum += n
	}
	return math.Sqrt(float64(sum) / float64(len(cells)) / math.Pi)
}

// eachFront follows a branch back from its tip, with the distance in cells, until
// it is told to stop.
func (l *Lumen) eachFront(d *distances, tip int32, more func(back float64, f front) bool) {
	seen := map[int32]bool{tip: true}
	next := heap.New(func(a, b int32) bool {
		return d.of[a] > d.of[b] || d.of[a] == d.of[b] && a < b
	}, tip)
	var f front
	for back := int32(0); next.Len() > 0; {
		at := next.Pop()
		if down := (d.of[tip] - d.of[at]) / Step; down > back {
			if !more(float64(back), f) {
				return
			}
			back, f = down, front{}
		}
		f.sum = r3.Add(f.sum, l.center(at))
		f.cells++
		for _, n := range l.Next[at] {
			if n >= 0 && !seen[n] {
				seen[n] = true
				next.Push(n)
			}
		}
	}
}
