package stencil

import (
	"unsafe"

	"carina/internal/simd"
)

const (
	// line is one of the cache, in bytes.
	line = 64
	// partBytes are those of an output that are computed before they go past the cache: whole
	// lines, of which those of all outputs fit in the second level.
	partBytes = 12 * line
	// cacheBytes is more than what processors keep of fields from one step to the next.
	cacheBytes = 64 << 20
)

// WritePast lets outputs go past the cache where fields of so many bytes on each of the ranks
// that share it do not stay in it anyway: it need not read what they overwrite. Each goes to a
// slot of the cell itself.
func (s *Stencil[T]) WritePast(bytes int64) {
	if s.past = bytes*s.sharing > cacheBytes && len(simd.Machines()) > 0; !s.past {
		return
	}
	for i := range s.rooms {
		r := &s.rooms[i]
		r.to = make([]unsafe.Pointer, len(s.update.Writes))
		r.part = aligned(make([]T, (len(r.to)*partBytes+line)/int(unsafe.Sizeof(T(0)))))
	}
}

// aligned is the part of a list that begins with a line of the cache.
func aligned[T any](list []T) []T {
	for uintptr(unsafe.Pointer(&list[0]))%line > 0 {
		list = list[1:]
	}
	return list
}

// past computes n cells, in parts that end with lines of the cache: all but the first and the
// last ones go past it. Places are those of so many reads, and of writes.
func (r *room[T]) past(function Function, table unsafe.Pointer, reads, writes, n int) {
	size := int(unsafe.Sizeof(T(0)))
	at, to := r.at[:reads], r.at[reads:reads+writes]
	begin := uintptr(to[0]) % line
	for _, p := range to {
		if uintptr(p)%line != begin {
			function(&at[0], n, table)
			return
		}
	}
	if first := min(n, int(line-begin)%line/size); first > 0 {
		function(&at[0], first, table)
		advance(r.at[:reads+writes], first*size)
		n -= first
	}
	for n >= line/size {
		bytes := min(partBytes, n*size/line*line)
		copy(r.to, to)
		for i := range to {
			to[i] = unsafe.Pointer(&r.part[i*partBytes/size])
		}
		function(&at[0], bytes/size, table)
		stream(&r.to[0], writes, unsafe.Pointer(&r.part[0]), partBytes, uintptr(bytes))
		copy(to, r.to)
		advance(r.at[:reads+writes], bytes)
		n -= bytes / size
	}
	if n > 0 {
		function(&at[0], n, table)
	}
}

// advance goes on by so many bytes.
func advance(list []unsafe.Pointer, bytes int) {
	for i := range list {
		list[i] = unsafe.Add(list[i], bytes)
	}
}
