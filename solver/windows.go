package solver

import (
	"encoding/binary"
	"math"
	"math/bits"
	"runtime"
	"slices"

	"carina/geometry"
	"carina/internal/parallel"
)

// WindowCells is how many own cells in a row share a window.
const WindowCells = 32

// NoRun stands in Windows.Runs for cells that have no neighbour.
const NoRun = int32(math.MinInt32)

// Windows finds the neighbours of own cells, and of ghosts that are computed, at some
// offsets. The neighbours of the
// cells of a window, which are cells WindowCells·w ≤ cell < WindowCells·(w+1), mostly
// follow each other as they do. Kernels on any device read the lists.
type Windows struct {
	Offsets []geometry.Offset
	// Shapes has a number for each window. Where neighbours follow each other at all offsets,
	// Shifts has at number·len(Offsets)+offset how much larger the number of a neighbour is
	// than that of its cell. There are as many as differ, in a box but few. Any other window
	// has −1−row.
	Shapes, Shifts []int32
	// First has at row·len(Offsets)+offset the neighbour of the window's first cell, or
	// −1−at where neighbours do not follow each other. Then Runs[at] has a bit for each cell
	// of the window at which a run of them begins, and behind it stands for each run how
	// much larger the number of a neighbour is than that of the cell within the window;
	// NoRun where there is none.
	First, Runs []int32
}

// Windows finds the neighbours of all cells that are computed here at some offsets.
func (b *Finder) Windows(offsets []geometry.Offset) *Windows {
	w := &Windows{Offsets: offsets, First: make([]int32, (b.Cells+b.Computed+WindowCells-1)/WindowCells*len(offsets))}
	writers := make([]windowWriter, len(offsets))
	workers := parallel.New(runtime.GOMAXPROCS(0))
	workers.Each(len(offsets), func(k int) {
		writers[k] = windowWriter{windows: w, offset: k}
		writers[k].write(b)
	})
	begin := make([]int32, len(offsets))
	for k := range writers {
		begin[k] = int32(len(w.Runs))
		w.Runs = append(w.Runs, writers[k].records...)
	}
	workers.Each(len(offsets), func(k int) {
		for i := k; i < len(w.First); i += len(offsets) {
			if w.First[i] < 0 {
				w.First[i] -= begin[k]
			}
		}
	})
	w.Runs = slices.Clip(w.Runs)
	w.shape()
	return w
}

// shape takes the windows whose neighbours follow each other out of First.
func (w *Windows) shape() {
	width := len(w.Offsets)
	if width == 0 {
		return
	}
	w.Shapes = make([]int32, len(w.First)/width)
	known := map[string]int32{}
	shifts, key := make([]int32, width), make([]byte, 4*width)
	last, rows := []int32(nil), 0
	for i := range w.Shapes {
		first := w.First[i*width : (i+1)*width]
		if slices.Min(first) < 0 {
			copy(w.First[rows*width:], first)
			rows++
			w.Shapes[i] = -int32(rows)
			continue
		}
		for k, n := range first {
			shifts[k] = n - int32(i)*WindowCells
		}
		if i > 0 && w.Shapes[i-1] >= 0 && slices.Equal(shifts, last) {
			w.Shapes[i] = w.Shapes[i-1]
			continue
		}
		for k, n := range shifts {
			binary.LittleEndian.PutUint32(key[4*k:], uint32(n))
		}
		number, ok := known[string(key)]
		if !ok {
			number = int32(len(known))
			known[string(key)] = number
			w.Shifts = append(w.Shifts, shifts...)
		}
		w.Shapes[i], last = number, append(last[:0], shifts...)
	}
	w.First, w.Shifts = slices.Clone(w.First[:rows*width]), slices.Clip(w.Shifts)
}

// first is the neighbour of a window's first cell at an offset, or −1−at in Runs.
func (w *Windows) first(window int32, offset int) int32 {
	shape := w.Shapes[window]
	if shape >= 0 {
		return window*WindowCells + w.Shifts[int(shape)*len(w.Offsets)+offset]
	}
	return w.First[int(-1-shape)*len(w.Offsets)+offset]
}

// windowWriter writes the windows of one offset, cell after cell.
type windowWriter struct {
	windows *Windows
	offset  int
	at      int32 // cell that comes next
	starts  uint32
	shifts  []int32
	records []int32
}

// near is a run of own cells and the first one's neighbour.
type near struct{ from, to, neighbour int32 }

func (w *windowWriter) write(b *Finder) {
	o := w.windows.Offsets[w.offset]
	around := rowsAround{y: -1, z: -1}
	var found []near
	add := func(y, z, x0, x1, local int32) {
		if y != around.y || z != around.z {
			around = b.around(y, z)
		}
		found = found[:0]
		b.overlaps(b.at(&around, o), x0+int32(o.X), x1+int32(o.X), func(j, from, to, shift int32) {
			away := local - shift - int32(o.X) - x0
			b.eachNumber(j, from, to, func(from, to, n int32) { found = append(found, near{from + away, to + away, n}) })
		})
		slices.SortFunc(found, func(a, b near) int { return int(a.from - b.from) })
		for _, n := range found {
			w.add(n.from, NoRun)
			w.add(n.to, n.neighbour-n.from)
		}
	}
	for i := range b.Stored {
		p := &b.Stored[i]
		add(p.Y, p.Z, p.X0, p.X1, p.Local)
	}
	for _, g := range b.computed {
		add(b.all[g.piece].Y, b.all[g.piece].Z, g.x0, g.x1, g.local)
	}
	w.add(int32(b.Cells+b.Computed), NoRun)
	w.flush()
}

// add goes on to a cell, from which on all before it have neighbours so far away.
func (w *windowWriter) add(to, away int32) {
	for w.at < to {
		lane := w.at % WindowCells
		shift := NoRun
		if away != NoRun {
			shift = away + w.at - lane
		}
		if n := len(w.shifts); n == 0 || w.shifts[n-1] != shift {
			w.shifts = append(w.shifts, shift)
			w.starts |= 1 << lane
		}
		if w.at = min(to, w.at-lane+WindowCells); w.at%WindowCells == 0 {
			w.flush()
		}
	}
}

// flush ends a window.
func (w *windowWriter) flush() {
	if len(w.shifts) == 0 {
		return
	}
	first := &w.windows.First[int((w.at-1)/WindowCells)*len(w.windows.Offsets)+w.offset]
	if len(w.shifts) == 1 && w.shifts[0] != NoRun {
		*first = w.shifts[0]
	} else {
		*first = -1 - int32(len(w.records))
		w.records = append(append(w.records, int32(w.starts)), w.shifts...)
	}
	w.starts, w.shifts = 0, w.shifts[:0]
}

// Neighbour is the local number of a cell's neighbour at an offset, by its number
// in Offsets, −1 where there is none.
func (w *Windows) Neighbour(offset int, cell int32) int32 {
	lane := cell % WindowCells
	first := w.first(cell/WindowCells, offset)
	if first >= 0 {
		return first + lane
	}
	record := w.Runs[-1-first:]
	shift := record[bits.OnesCount32(uint32(record[0])<<(WindowCells-1-lane))]
	if shift == NoRun {
		return -1
	}
	return shift + lane
}

// Neighbours sets a list to the local numbers of the neighbours, at an offset by its number, of
// cells that follow each other from one on, −1 where there is none.
func (w *Windows) Neighbours(offset int, from int32, list []int32) {
	for len(list) > 0 {
		lane := from % WindowCells
		n := min(len(list), int(WindowCells-lane))
		if first := w.first(from/WindowCells, offset); first >= 0 {
			for i := range n {
				list[i] = first + lane + int32(i)
			}
		} else {
			record := w.Runs[-1-first:]
			starts := uint32(record[0])
			at := bits.OnesCount32(starts << (WindowCells - 1 - lane))
			for i := range n {
				if i > 0 {
					at += int(starts >> (int(lane) + i) & 1)
				}
				if list[i] = -1; record[at] != NoRun {
					list[i] = record[at] + lane + int32(i)
				}
			}
		}
		list, from = list[n:], from+int32(n)
	}
}

// Each calls f for the cells from ≤ cell < to in runs whose neighbours at an offset, by
// its number, follow each other: n of them from a cell on with the first one's neighbour,
// −1 where there is none.
func (w *Windows) Each(offset int, from, to int32, f func(cell, n, neighbour int32)) {
	begin, away := from, NoRun
	for cell := from; cell < to; {
		lane := cell % WindowCells
		first, end := w.first(cell/WindowCells, offset), cell-lane+WindowCells
		if first < 0 {
			record := w.Runs[-1-first:]
			starts := uint32(record[0])
			first = record[bits.OnesCount32(starts<<(WindowCells-1-lane))]
			if rest := uint64(starts) >> (lane + 1); rest != 0 {
				end = cell + 1 + int32(bits.TrailingZeros64(rest))
			}
		}
		next := NoRun
		if first != NoRun {
			next = first - cell + lane
		}
		if next != away && cell > begin {
			w.call(begin, cell, away, f)
			begin = cell
		}
		away, cell = next, end
	}
	if from < to {
		w.call(begin, to, away, f)
	}
}

func (w *Windows) call(from, to, away int32, f func(cell, n, neighbour int32)) {
	if away == NoRun {
		f(from, to-from, -1)
	} else {
		f(from, to-from, from+away)
	}
}

// Bytes is the memory held.
func (w *Windows) Bytes() int64 {
	return 4 * int64(cap(w.Shapes)+cap(w.Shifts)+cap(w.First)+cap(w.Runs))
}
