package device

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Arguments are handed over as words, each from where it begins, prepared or not; a
// word that is changed is that of the next launch.
func TestArgumentsOfLaunches(t *testing.T) {
	structure := WordsOf([]struct{ first, second uint32 }{{1, 2}, {3, 4}})
	l := Launch{Arguments: append(Words(Address(7), Address(8)), structure, []uint64{9})}
	want := []uint64{7, 8, 1 | 2<<32, 3 | 4<<32, 9}
	begin := []int32{0, 1, 2, 4}
	for _, launch := range []Launch{l, l.Prepared()} {
		all, at := launch.Flat()
		if !slices.Equal(all, want) || !slices.Equal(at, begin) {
			t.Errorf("words %v begin at %v, want %v at %v", all, at, want, begin)
		}
	}
	p := l.Prepared()
	p.All[1] = 80
	if all, _ := p.Flat(); all[1] != 80 || all[0] != 7 {
		t.Errorf("after a change the words are %v", all)
	}
}

// Lists are copied as they lie in memory.
func TestBytesOfLists(t *testing.T) {
	if n := SizeOf(make([]struct{ a, b int32 }, 5)); n != 40 {
		t.Errorf("five records of eight bytes take %d", n)
	}
	if b := BytesOf([]uint16{0x0201, 0x0403}); !bytes.Equal(b, []byte{1, 2, 3, 4}) {
		t.Errorf("bytes %v", b)
	}
	if b := BytesOf[int64](nil); len(b) != 0 {
		t.Errorf("an empty list has %d bytes", len(b))
	}
}

// A program for a device is its constants, what belongs to the device and its body, in
// this order.
func TestTextOfPrograms(t *testing.T) {
	text := Source{Name: "none", Constants: "#define FIRST\n", Body: "\nLAST"}.Text()
	first, device, last := bytes.Index([]byte(text), []byte("#define FIRST")), bytes.Index([]byte(text), []byte("#define KERNEL(")), bytes.Index([]byte(text), []byte("LAST"))
	if first != 0 || device < first || last < device {
		t.Errorf("constants at %d, the device's at %d, the body at %d", first, device, last)
	}
}

// Compiled programs are kept by hash; one that cannot be kept is no reason to stop.
func TestCompiledProgramsAreKept(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", folder)
	path := cachePath("0123")
	if path == cachePath("0124") {
		t.Errorf("two programs are kept as %s", path)
	}
	remember(path, []byte("image"))
	if got, err := os.ReadFile(path); err != nil || string(got) != "image" {
		t.Errorf("kept %q, %v", got, err)
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Errorf("%v in the cache, %v", files, err)
	}
	remember("", []byte("image"))
	if err := os.WriteFile(filepath.Join(folder, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	remember(filepath.Join(folder, "file", "below"), []byte("image"))
}
