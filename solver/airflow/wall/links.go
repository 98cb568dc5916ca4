package wall

import (
	"math"
	"slices"

	"carina/solver/airflow/kernel"
	"carina/solver/lattice"
)

// Links are corrections of what comes back from walls that are not half-way, for
// the windows of one block after the other. With population i leaving cell x
// towards the wall at the fraction q of the link, what comes back is (Bouzidi,
// Firdaouss and Lallemand 2001, eq. 5, linear)
//
//	2q·f*_i(x) + (1−2q)·f*_i(x−c_i)            for q < ½
//	f*_i(x)/(2q) + (1−1/(2q))·f*_ī(x)          for q ≥ ½
//
// Both are bounced + factor·(opposite − bounced), where bounced is what plain
// bounce-back returns. In the first case (near) the opposite population is what
// arrives at x along i in the next step, so the correction follows the gathering;
// in the second (far) it is what leaves x along ī, so it precedes the return.
// Either way nothing but the populations of x is needed. What the correction
// adds is taken from the population at rest, so that walls neither leak nor
// produce mass; in a pipe that is also four times more accurate than without.
//
// There is one list for the near corrections and one for the far. Both hold
// for each block links as kernel.Corrector describes, by direction and cell:
// so the links of one cell, which wait for each other at the population at
// rest, lie apart.
type Links []uint32

// Link is a link of a list.
type Link struct {
	kernel.CorrectedLink
	Factor float32
}

// Count is how many links begin the list, without those that fill a group.
func (s Links) Count() int { return int(s[0] & (1<<kernel.LinkCountBits - 1)) }

// link returns link i of those that begin the list, in groups of so many.
func (s Links) link(i, group int) Link {
	at := position(i, s.Count(), group)
	return Link{kernel.CorrectedLink(s[at]), math.Float32frombits(s[at+group])}
}

// position is where link i of count is in their list. The first group is
// filled from the front.
func position(i, count, group int) int {
	i += (group - count%group) % group
	return 1 + i/group*2*group + i%group
}

// Cursor walks through the links of a block window by window.
type Cursor struct {
	links Links
	group int // of links
	width int // of a window
	// next and end are the numbers of those of each direction.
	next, end [26]int
}

// NewCursor walks through the links that begin a list, in groups of so many, for
// windows of a width in words.
func NewCursor(links Links, group, width int) (c Cursor) {
	c.links, c.group, c.width = links, group, width
	for i := range links.Count() {
		d := links.link(i, group).Direction()
		if c.end[d] == 0 {
			c.next[d] = i
		}
		c.end[d] = i + 1
	}
	return c
}

// IsEmpty tells whether there are no links.
func (c *Cursor) IsEmpty() bool { return c.links.Count() == 0 }

// Correct applies to the populations of a window its links, which follow those
// of the windows before. First is its first cell in the block.
// Before the update the populations are by direction of arrival; after it those
// that leave along i are in the slot of ī, so that the same two slots take
// part. Populations are rounded as if they were in memory, where assembly
// corrects them.
func Correct[T kernel.Real, S kernel.Stored](gathered []T, c *Cursor, window, first int) {
	if c.IsEmpty() {
		return
	}
	var taken [kernel.WindowCells]T
	sums := kernel.IsHalf[S]()
	for d := range c.next {
		for ; c.next[d] < c.end[d]; c.next[d]++ {
			link := c.links.link(c.next[d], c.group)
			if link.Window(c.width) != window {
				break
			}
			factor := T(link.Factor)
			lane, back := link.Cell()-first, d+1
			bounced := &gathered[back*kernel.WindowCells+lane]
			change := T(factor * (gathered[lattice.Opposite(back)*kernel.WindowCells+lane] - *bounced))
			*bounced = kernel.Rounded[T, S](*bounced + change)
			if sums {
				taken[lane] += change
			} else {
				gathered[lane] -= change
			}
		}
	}
	for lane, v := range taken {
		if v != 0 {
			gathered[lane] = kernel.Rounded[T, S](gathered[lane] - v)
		}
	}
}

// Append appends those of a block, collected by direction, in groups of so many,
// and empties the collection.
func (s Links) Append(links *[26][]Link, group int) Links {
	count := 0
	for d := range links {
		count += len(links[d])
	}
	begin := len(s)
	size := position(count, count, group)
	s = slices.Grow(s, size)[:begin+size]
	clear(s[begin:])
	own := s[begin:]
	own[0] = uint32(count)
	next := 0
	for d := range links {
		for _, link := range links[d] {
			at := position(next, count, group)
			own[at], own[at+group] = uint32(link.CorrectedLink), math.Float32bits(link.Factor)
			own[0] |= 1 << (link.Cell()/kernel.WindowCells + kernel.LinkCountBits)
			next++
		}
		links[d] = links[d][:0]
	}
	for at := 1; at < position(0, count, group); at++ {
		own[at] = own[position(0, count, group)]
	}
	return s
}
