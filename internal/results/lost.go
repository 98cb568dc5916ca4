package results

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"carina/internal/atomicfile"
	"carina/internal/crash"
	"carina/internal/quantity"
	"carina/internal/terminal"
	"carina/solver/checkpoint"
	"carina/solver/transport"
)

// unfinishedName is the file that says, while a run computes and after it was lost, that
// it has not ended and how to go on; unfinishedBegin is how it begins.
const unfinishedName, unfinishedBegin = "unfinished.txt", "carina: this run has not ended"

// unfinished is that file of a run.
type unfinished struct {
	path  string
	there bool
}

// write says who computes. Something else of that name stays.
func (u *unfinished) write(folder string, ranks []process) {
	hosts := map[string]int{}
	var list []string
	for _, p := range ranks {
		if hosts[p.host]++; hosts[p.host] == 1 {
			list = append(list, p.host)
		}
	}
	for i, h := range list {
		list[i] = fmt.Sprintf("%s (%s)", h, quantity.Count(hosts[h], "rank"))
	}
	u.path = filepath.Join(folder, unfinishedName)
	words := fmt.Sprintf("%s: begun at %s on %s.\nIf it does not compute any more: %s.\n", unfinishedBegin, time.Now().UTC().Format(time.RFC3339), strings.Join(list, ", "), goesOn(folder))
	u.there = isUnfinished(u.path) && u.put(words) == nil
}

// put replaces the file.
func (u *unfinished) put(words string) error {
	return atomicfile.Write(u.path, func(w io.Writer) error {
		_, err := io.WriteString(terminal.NewWriter(w), words)
		return err
	})
}

// remove ends it.
func (u *unfinished) remove() {
	if !u.there {
		return
	}
	if isUnfinished(u.path) {
		os.Remove(u.path)
	}
	u.there = false
	os.Remove(filepath.Join(filepath.Dir(u.path), checkpointFolder)) // where it is empty
}

// isUnfinished tells whether there is such a file, or nothing.
func isUnfinished(path string) bool {
	data, err := os.ReadFile(path)
	return os.IsNotExist(err) || err == nil && strings.HasPrefix(string(data), unfinishedBegin)
}

// goesOn says how to go on with a run, before anything of it is kept.
func goesOn(folder string) string {
	return fmt.Sprintf("carina solve --restart %s or carina run --restart %s, as it was begun, goes on from the last checkpoint on any number of ranks, where there is one in %s; else begin anew, with --checkpoint 10m",
		folder, folder, filepath.Join(folder, checkpointFolder))
}

// onwards says how to go on with a run that was lost.
func onwards(folder string) string {
	if _, err := checkpoint.Open(filepath.Join(folder, checkpointFolder)); err == nil {
		return fmt.Sprintf("carina solve --restart %s or carina run --restart %s, as it was begun, goes on from its last checkpoint on any number of ranks", folder, folder)
	}
	return fmt.Sprintf("there is no checkpoint yet: once %s holds one, --restart %s goes on from it; else begin anew, with --checkpoint 10m", filepath.Join(folder, checkpointFolder), folder)
}

// process is one that computes ranks.
type process struct {
	host string
	id   int
}

// processes are those of all ranks.
func processes(t transport.Transport, ranks int) ([]process, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "an unnamed host"
	}
	own := process{host, os.Getpid()}
	if t == nil {
		list := make([]process, ranks)
		for i := range list {
			list[i] = own
		}
		return list, nil
	}
	texts, err := transport.Collect(t, fmt.Sprintf("%d %s", own.id, own.host))
	if err != nil {
		return nil, err
	}
	list := make([]process, len(texts))
	for i, text := range texts {
		if n, err := fmt.Sscan(text, &list[i].id, &list[i].host); n < 1 {
			return nil, fmt.Errorf("rank %d does not say where it computes: %w", i, err)
		}
	}
	return list, nil
}

// gone tells whether a process of this host has ended.
func (p process) gone() bool {
	if err := syscall.Kill(p.id, 0); err == syscall.ESRCH {
		return true
	}
	// One that nobody has waited for is there yet.
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.id))
	if err != nil {
		return os.IsNotExist(err)
	}
	_, state, _ := strings.Cut(string(data), ") ")
	return strings.HasPrefix(state, "Z") || strings.HasPrefix(state, "X")
}

// WatchLost lets a rank that is left say which was lost, where no results are written.
func WatchLost(t transport.Transport) (end func(), err error) {
	ranks, err := processes(t, t.Size())
	if err != nil {
		return nil, err
	}
	return watchLost(ranks, t.Rank(), ""), nil
}

// watchLost lets the lowest rank that is left on a host say which rank there was lost,
// when the launcher ends the others for it: on the terminal and in the results folder. They
// have about a second, and wait for the lost one. A rank that ends by itself has said why,
// and tells the others that it is not lost.
func watchLost(ranks []process, own int, folder string) (end func()) {
	signals, done := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGUSR2)
	crash.Farewell(func() {
		for _, p := range ranks {
			if p.host == ranks[own].host && p.id != ranks[own].id {
				// One that has ended need not know.
				_ = syscall.Kill(p.id, syscall.SIGUSR2)
			}
		}
	})
	go func() {
		defer crash.Guard()
		select {
		case <-done:
			return
		case s := <-signals:
			if s == syscall.SIGUSR2 {
				return // it ends by itself and has said why
			}
		}
		sentence := lostWords(ranks, own, folder)
		if sentence == "" {
			return
		}
		fmt.Fprintln(os.Stderr, terminal.Clean("carina: "+sentence))
		// Who has written the file may be lost.
		u := unfinished{path: filepath.Join(folder, unfinishedName)}
		if before, err := os.ReadFile(u.path); err == nil && isUnfinished(u.path) {
			// What it says already stands there where this fails.
			_ = u.put(string(before) + sentence + "\n")
		}
	}()
	return func() {
		crash.Farewell(func() {})
		signal.Stop(signals)
		close(done)
	}
}

// lostWords names the ranks of this host that are gone, if this one is to say so.
func lostWords(ranks []process, own int, folder string) string {
	here := ranks[own]
	var lost []string
	for i, p := range ranks {
		switch {
		case p.host != here.host || p.id == here.id:
		case p.gone():
			lost = append(lost, fmt.Sprint(i))
		case i < own:
			return "" // that one says it
		}
	}
	if len(lost) == 0 {
		return ""
	}
	name := "rank "
	if len(lost) > 1 {
		name = "ranks "
	}
	how := "give --out and --checkpoint to have something to go on from"
	if folder != "" {
		how = onwards(folder)
	}
	return fmt.Sprintf("%s%s on %s was lost, and the others end with it: %s", name, strings.Join(lost, ", "), here.host, how)
}
