package processor

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// advised returns how many bytes between two addresses the system has been asked
// to back with huge pages.
func advised(t *testing.T, from, to uintptr) (bytes uintptr) {
	t.Helper()
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer file.Close()
	var first, end uintptr
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		var a, b uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x ", &a, &b); n == 2 {
			first, end = max(a, from), min(b, to)
		}
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && first < end && strings.Contains(flags+" ", " hg ") {
			bytes += end - first
		}
	}
	return bytes
}

// The whole huge pages within memory are asked for, and nothing beside them.
func TestAdviseHugePages(t *testing.T) {
	const page = 2 << 20
	for _, c := range []struct{ skip, bytes, want int }{
		{0, page, page},
		{0, page - 8, 0},
		{8, page, 0},
		{8, 2*page - 8, page},
		{page - 8, 2*page + 16, 2 * page},
		{page / 2, 2 * page, page},
	} {
		all, err := unix.Mmap(-1, 0, 5*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			t.Fatal(err)
		}
		first := uintptr(unsafe.Pointer(&all[0]))
		at := int(-first&(page-1)) + c.skip
		_ = unix.Madvise(all, unix.MADV_NOHUGEPAGE)
		if err := unix.Madvise(all[:1], unix.MADV_HUGEPAGE); err != nil {
			t.Skip("a system without huge pages: ", err)
		}
		_ = unix.Madvise(all, unix.MADV_NOHUGEPAGE)
		words := unsafe.Slice((*uint64)(unsafe.Pointer(&all[at])), c.bytes/8)
		adviseHugePages(words)
		if got := advised(t, first, first+5*page); got != uintptr(c.want) {
			t.Errorf("of %d bytes, %d behind a huge page's beginning, %d are advised, want %d", c.bytes, c.skip, got, c.want)
		}
		if err := unix.Munmap(all); err != nil {
			t.Fatal(err)
		}
	}
}
