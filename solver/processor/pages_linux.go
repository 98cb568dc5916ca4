package processor

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// adviseHugePages asks the system to back memory that has not been touched yet
// with huge pages: a step walks through twice as many arrays as there are
// populations, more than the processor keeps small pages for. Where the system
// does not want to, nothing is lost.
func adviseHugePages[T any](memory []T) {
	const page = 2 << 20
	first := uintptr(unsafe.Pointer(unsafe.SliceData(memory)))
	skip := -first & (page - 1)
	var value T
	bytes := int64(cap(memory)) * int64(unsafe.Sizeof(value))
	if bytes < int64(skip)+page {
		return
	}
	inner := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(memory)), skip)), (bytes-int64(skip))&^(page-1))
	_ = unix.Madvise(inner, unix.MADV_HUGEPAGE)
}
