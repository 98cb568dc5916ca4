//go:build mpi

package transport

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestUnderMPI is run by TestMPI and TestHugeMessages with mpirun.
func TestUnderMPI(t *testing.T) {
	connection, finish, err := ConnectMPI()
	if err != nil {
		t.Fatal(err)
	}
	defer finish()
	if os.Getenv(hugeVariable) != "" {
		if err := exchangeHuge(connection); err != nil {
			t.Error(err)
		}
		return
	}
	whole := longest
	defer func() { longest = whole }()
	for _, longest = range []int{7, 100, whole} {
		if err := errors.Join(exchangeLengths(connection), reduceLengths(connection), tellAtRandom(connection, 3), broadcastAll(connection)); err != nil {
			t.Errorf("rank %d, cut every %d bytes: %v", connection.Rank(), longest, err)
		}
	}
}

// exchangeHuge exchanges 5 GiB and 3 bytes between two ranks.
func exchangeHuge(t Transport) error {
	const length = 5<<30 + 3
	send, err := repeated(length, byte(7*t.Rank()))
	if err != nil {
		return err
	}
	m := Message{Peer: 1 - t.Rank(), Send: send, Receive: make([]byte, length)}
	if err := t.Exchange([]Message{m}); err != nil {
		return err
	}
	for i, b := range m.Receive {
		// What this rank has sent, but for the mark.
		if want := send[i] ^ byte(7*t.Rank()) ^ byte(7*m.Peer); b != want {
			return fmt.Errorf("rank %d: byte %d is %d, want %d", t.Rank(), i, b, want)
		}
	}
	return nil
}

// repeated is a long message in little memory: the same pages again and again, as many as
// are a prime number, so that no power of two is a period. A mark is in every byte.
func repeated(length int, mark byte) ([]byte, error) {
	const page, pages = 4096, 16381
	file, err := unix.MemfdCreate("repeated", 0)
	if err != nil {
		return nil, err
	}
	content := make([]byte, page*pages)
	for i := range content {
		content[i] = byte(i%251) ^ byte(i>>16) ^ mark
	}
	if _, err := unix.Write(file, content); err != nil {
		return nil, err
	}
	end := (length + page*pages - 1) / (page * pages) * page * pages
	all, err := unix.MmapPtr(-1, 0, nil, uintptr(end), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, err
	}
	for at := 0; at < end; at += page * pages {
		if _, err := unix.MmapPtr(file, 0, unsafe.Add(all, at), page*pages, unix.PROT_READ, unix.MAP_SHARED|unix.MAP_FIXED); err != nil {
			return nil, err
		}
	}
	return unsafe.Slice((*byte)(all), length), nil
}
