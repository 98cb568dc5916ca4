// Package heap keeps the first of many items at hand while others come and go: a
// binary heap of any type. Where items must be found again, to change or remove
// them, partition/refine has a queue of its own.
package heap

// Heap holds items of which the first, by its order, is on top.
type Heap[T any] struct {
	items  []T
	before func(a, b T) bool
}

// New returns a heap of the items, which it takes over, with the order told by
// before. The order may depend on what items refer to, if Fix is called when
// that changes.
func New[T any](before func(a, b T) bool, items ...T) *Heap[T] {
	h := &Heap[T]{items, before}
	for i := len(items)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
	return h
}

// Len returns the number of items.
func (h *Heap[T]) Len() int { return len(h.items) }

// Top returns the first item; there must be one.
func (h *Heap[T]) Top() T { return h.items[0] }

// Push adds an item.
func (h *Heap[T]) Push(item T) {
	h.items = append(h.items, item)
	for i := len(h.items) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h.before(h.items[i], h.items[parent]) {
			return
		}
		h.items[i], h.items[parent] = h.items[parent], h.items[i]
		i = parent
	}
}

// Pop takes off the first item and returns it; there must be one.
func (h *Heap[T]) Pop() T {
	top, last := h.items[0], len(h.items)-1
	h.items[0] = h.items[last]
	var none T
	h.items[last] = none
	h.items = h.items[:last]
	h.down(0)
	return top
}

// Fix puts the top into its place after it has come to stand later in the order.
func (h *Heap[T]) Fix() { h.down(0) }

// down lets item i sink below those that are before it.
func (h *Heap[T]) down(i int) {
	for {
		first := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h.items); child++ {
			if h.before(h.items[child], h.items[first]) {
				first = child
			}
		}
		if first == i {
			return
		}
		h.items[i], h.items[first] = h.items[first], h.items[i]
		i = first
	}
}
