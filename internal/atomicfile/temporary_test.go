package atomicfile

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func words(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// listing is what a folder holds: modes and, of files and links, contents.
func listing(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var found strings.Builder
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		var content []byte
		if info.Mode().IsRegular() {
			content, _ = os.ReadFile(path)
		}
		to, _ := os.Readlink(path)
		fmt.Fprintf(&found, "%q %v %q %q\n", entry.Name(), info.Mode(), content, to)
	}
	return found.String()
}

// masked sets the mask of the process for a test.
func masked(t *testing.T, mask int) {
	before := syscall.Umask(mask)
	t.Cleanup(func() { syscall.Umask(before) })
}

func TestTheMaskAndTheModeBeforeAreHeeded(t *testing.T) {
	for _, mask := range []int{0o077, 0o027, 0o022, 0o002, 0o137} {
		for _, before := range []fs.FileMode{0, 0o600, 0o640, 0o444, 0o755, 0o664} {
			path := filepath.Join(t.TempDir(), "file")
			want := 0o666 &^ fs.FileMode(mask)
			if before != 0 {
				put(t, path, "before")
				if err := os.Chmod(path, before); err != nil {
					t.Fatal(err)
				}
				want = before
			}
			masked(t, mask)
			var while fs.FileMode
			err := Write(path, func(w io.Writer) error {
				info, err := w.(named).Stat()
				while = info.Mode().Perm()
				return err
			})
			if info, failed := os.Stat(path); err != nil || failed != nil || info.Mode().Perm() != want || while != want {
				t.Errorf("mask %o, mode %o before: it has %o and had %o while it was written, want %o: %v", mask, before, info.Mode().Perm(), while, want, err)
			}
		}
	}
}

func TestTheOwnerBeforeIsKept(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives files away")
	}
	path := filepath.Join(t.TempDir(), "file")
	put(t, path, "")
	const owner, group = 1234, 2345
	if err := os.Chown(path, owner, group); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, words("new")); err != nil {
		t.Fatal(err)
	}
	var is unix.Stat_t
	if err := unix.Stat(path, &is); err != nil || is.Uid != owner || is.Gid != group {
		t.Errorf("it belongs to %d:%d, want %d:%d, %v", is.Uid, is.Gid, owner, group, err)
	}
}

// What other programs and people call their files is never taken for ours.
func TestFilesOfOthersStay(t *testing.T) {
	folder, elsewhere := t.TempDir(), t.TempDir()
	path := filepath.Join(folder, "out")
	for _, name := range []string{"out.new", ".out.123", "out.tmp", "out~", ".carina-1", ".carina-write-", ".carina-write-0123456789abcdef01234567", ".carina-write-0123456789ABCDEF01234567", temporaryName() + "0", "x" + temporaryName()} {
		put(t, filepath.Join(folder, name), name)
	}
	// Even under the names of temporary files, what is none stays.
	put(t, filepath.Join(elsewhere, "precious"), "precious")
	for _, err := range []error{
		os.Symlink(filepath.Join(elsewhere, "precious"), filepath.Join(folder, temporaryName())),
		os.Symlink(elsewhere, filepath.Join(folder, temporaryName())),
		os.Mkdir(filepath.Join(folder, temporaryName()), 0o755),
		unix.Mkfifo(filepath.Join(folder, temporaryName()), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	before, outside := listing(t, folder), listing(t, elsewhere)
	if err := Write(path, words("x")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if after := listing(t, folder); after != before {
		t.Errorf("there were\n%sand are\n%s", before, after)
	}
	if after := listing(t, elsewhere); after != outside {
		t.Errorf("elsewhere were\n%sand are\n%s", outside, after)
	}
}

func TestOnlyFilesOfDeadProcessesAreSwept(t *testing.T) {
	folder := t.TempDir()
	dead := filepath.Join(folder, temporaryName())
	put(t, dead, "half")
	err := Write(filepath.Join(folder, "slow"), func(w io.Writer) error {
		mine := w.(named).Name()
		if _, err := os.Lstat(dead); err == nil {
			t.Error("the file of a dead process is there when another is written")
		}
		put(t, filepath.Join(folder, temporaryName()), "half")
		if err := Writable(filepath.Join(folder, "other")); err != nil {
			t.Error(err)
		}
		if err := Write(filepath.Join(folder, "other"), words("other")); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(mine); err != nil {
			t.Errorf("a file that is being written is gone: %v", err)
		}
		return words("slow")(w)
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "\"other\" -rw-r--r-- \"other\" \"\"\n\"slow\" -rw-r--r-- \"slow\" \"\"\n"; listing(t, folder) != want {
		t.Errorf("there are\n%swant\n%s", listing(t, folder), want)
	}
}

// Hosts may not see each other's locks: what another one writes stays while it
// writes.
func TestFilesOfOtherHostsStayAWhile(t *testing.T) {
	folder := t.TempDir()
	foreign := filepath.Join(folder, prefix+sealed(append(make([]byte, randomBytes), hashed("another host")...)))
	put(t, foreign, "half")
	Sweep(folder)
	if _, err := os.Lstat(foreign); err != nil || !Temporary(filepath.Base(foreign)) {
		t.Errorf("it is gone while it may be written: %v", err)
	}
	before := time.Now().Add(-2 * quiet)
	if err := os.Chtimes(foreign, before, before); err != nil {
		t.Fatal(err)
	}
	Sweep(folder)
	if _, err := os.Lstat(foreign); err == nil {
		t.Error("it stays for ever")
	}
}

func TestNamesAsLongAsTheyMayBe(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("x", 255))
	if err := Write(path, words("long")); err != nil {
		t.Error(err)
	}
}

// A link to what is not there yet is followed, as others do.
func TestLinksIntoNothing(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "real"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"a": "target", "b": "a", "c": filepath.Join(folder, "absolute"), "in": "real", "in/d": "../up"} {
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil && name != "in/d" {
			t.Fatal(err)
		}
	}
	os.Symlink("../up", filepath.Join(folder, "real", "d"))
	for link, target := range map[string]string{"b": "target", "c": "absolute", "in/d": "up"} {
		if err := Write(filepath.Join(folder, link), words(link)); err != nil {
			t.Error(err)
		}
		if data, err := os.ReadFile(filepath.Join(folder, target)); err != nil || string(data) != link {
			t.Errorf("%s leads to %q, %v", link, data, err)
		}
		if info, err := os.Lstat(filepath.Join(folder, link)); err != nil || info.Mode().Type() != fs.ModeSymlink {
			t.Errorf("%s is no link any more, %v", link, err)
		}
	}
	os.Symlink("loop", filepath.Join(folder, "loop"))
	if err := Write(filepath.Join(folder, "loop"), words("")); err == nil || !strings.Contains(err.Error(), "loop") {
		t.Errorf("a loop: %v", err)
	}
}

func TestWhatIsNoFileIsNotWrittenTo(t *testing.T) {
	folder := t.TempDir()
	pipe := filepath.Join(folder, "pipe")
	if err := unix.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	before := listing(t, folder)
	for _, path := range []string{pipe, folder, "/dev/null"} {
		if err := Write(path, words("")); err == nil || !strings.Contains(err.Error(), "name a file") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if after := listing(t, folder); after != before {
		t.Errorf("there are %s, want %s", after, before)
	}
}

// Whoever puts a link into a folder for everybody does not choose which of my files
// is replaced.
func TestLinksOfOthersInAFolderForAll(t *testing.T) {
	folder, mine := t.TempDir(), filepath.Join(t.TempDir(), "mine")
	put(t, mine, "mine")
	link := filepath.Join(folder, "out")
	if err := os.Symlink(mine, link); err != nil {
		t.Fatal(err)
	}
	const other = 1234
	if err := os.Lchown(link, other, other); err != nil {
		t.Skip(err)
	}
	if err := os.Chmod(folder, 0o777|fs.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(link); err == nil {
		t.Skip("this system follows such links")
	}
	for _, err := range []error{Write(link, words("bad")), Writable(link)} {
		if err == nil || !strings.Contains(err.Error(), link) {
			t.Errorf("it says %v", err)
		}
	}
	if data, err := os.ReadFile(mine); err != nil || string(data) != "mine" {
		t.Errorf("my file holds %q, %v", data, err)
	}
}

func TestBesideReplacesNobody(t *testing.T) {
	folder := t.TempDir()
	const hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" // of "test"
	in := func(name string) string { return filepath.Join(folder, name) }
	say := func(path, want string, there bool) {
		t.Helper()
		if name, is, err := Beside(path, hash); err != nil || name != want || is != there {
			t.Errorf("%s is %s, %v, %v; want %s, %v", path, name, is, err, want, there)
		}
	}
	say(in("a.grid"), in("a.grid"), false)
	put(t, in("a.grid"), "test")
	say(in("a.grid"), in("a.grid"), true)
	put(t, in("a.grid"), "other")
	say(in("a.grid"), in("a-9f86d081.grid"), false)
	put(t, in("a-9f86d081.grid"), "mine")
	say(in("a.grid"), in("a-"+hash+".grid"), false)
	if err := unix.Mkfifo(in("b.grid"), 0o644); err != nil {
		t.Fatal(err)
	}
	say(in("b.grid"), in("b-9f86d081.grid"), false)
	put(t, in("a-"+hash+".grid"), "mine, too")
	if name, _, err := Beside(in("a.grid"), hash); err == nil {
		t.Errorf("where all names are taken it is %s", name)
	}
}
