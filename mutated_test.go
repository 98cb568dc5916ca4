package carina

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"carina/internal/yardstick"
)

// allocated is how many bytes are allocated meanwhile: it grows with the work, and is the
// same on all machines.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// drawnCase is a case file of keys that are drawn, with all that YAML has for the
// same thing, some of it wrong.
func drawnCase(rng *rand.Rand) string {
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	var anchors []string
	value := func() string {
		text := pick("1mm", "3", "03", "2.9", "1L/min", "\"4\"", "'5'", "~", "", "null", "[1, 2]", "{a: 1}", "true", "1e3", "0", "-1", "sine:1s", "lpt", "mm", "trt",
			"[[1, 2], [3]]", "{1: inlet}", "18446744073709551616", "0x10", ".5", ".inf", "|\n    1mm", ">-\n    1L/min", "2024-01-01", "1_000", "[{name: a, center: [1, 2, 3], radius: 1mm}]")
		if rng.IntN(6) == 0 {
			text = pick("!!str ", "!!int ", "!!float ", "!!binary ", "!x ", "!!seq ", "!!null ") + text
		}
		if rng.IntN(4) == 0 {
			name := "n" + strconv.Itoa(len(anchors))
			anchors = append(anchors, name)
			return "&" + name + " " + text
		}
		if len(anchors) > 0 && rng.IntN(3) == 0 {
			alias := "*" + anchors[rng.IntN(len(anchors))]
			return pick(alias, "["+strings.Repeat(alias+", ", rng.IntN(200))+alias+"]", "{<<: "+alias+"}", "[{<<: ["+alias+", "+alias+"]}]")
		}
		return text
	}
	keys := keysOf(reflect.TypeFor[Case]())
	text := "surface: a.stl\n"
	for range rng.IntN(12) {
		key := keys[rng.IntN(len(keys))]
		switch rng.IntN(8) {
		case 0:
			key = strconv.Quote(key)
		case 1:
			key = "'" + key + "'"
		case 2:
			text += "? " + key + "\n"
			key = ""
		case 3:
			key = "!!str " + key
		case 4:
			key = "<<"
		case 5:
			key = "x"
		}
		text += key + ": " + value() + "\n"
	}
	if rng.IntN(5) == 0 {
		text += bomb(1+rng.IntN(30), "speeds: *a%d\n")
	}
	return text
}

// Case files of all kinds, changed by some bytes, are read or refused in a sentence,
// soon, as the others are, and without much memory.
func TestMutatedCases(t *testing.T) {
	count := 500
	if text := os.Getenv("CARINA_MUTATED_CASES"); text != "" {
		var err error
		if count, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "case.yaml")
	// The longest list that a case may have.
	plain := filepath.Join(t.TempDir(), "plain.yaml")
	if err := os.WriteFile(plain, []byte("surface: a.stl\nspeeds: [1"+strings.Repeat(",1", longestCase/2-20)+"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	long := yardstick.New(func() {
		if _, err := ReadCase(plain); err != nil {
			t.Fatal(err)
		}
	})
	var largest uint64
	read := 0
	for i := range count {
		rng := rand.New(rand.NewPCG(uint64(i), 53))
		text := []byte(drawnCase(rng))
		for range rng.IntN(4) {
			const telling = "0123456789-.:,[]{}\"'&*!|>?~<# \n\t"
			at := rng.IntN(len(text))
			switch to := telling[rng.IntN(len(telling))]; rng.IntN(3) {
			case 0:
				text[at] = to
			case 1:
				text = append(text[:at], text[at+1:]...)
			default:
				text = append(text[:at], append([]byte{to}, text[at:]...)...)
			}
		}
		if rng.IntN(20) == 0 { // as long as a case may be
			text = append(text, strings.Repeat(string(text[len(text)/2:]), max(0, (longestCase-len(text))/(1+len(text)/2)))...)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		var c Case
		var err error
		var taken uint64
		if long.Exceeds(4, func() { taken = allocated(func() { c, err = ReadCase(path) }) }) {
			t.Errorf("case %d takes more than four times as long as the longest list:\n%.2000s", i, text)
		}
		largest = max(largest, taken)
		if err == nil {
			read++
			_, err = c.Settings()
		}
		if err != nil && (strings.ContainsAny(err.Error(), "\n\t") || len(err.Error()) > 2000) || taken > 60<<20 {
			t.Errorf("case %d took %d bytes: %.300v\n%.2000s", i, taken, err, text)
		}
	}
	if read == 0 {
		t.Error("none of the cases can be read")
	}
	fmt.Fprintf(t.Output(), "%d cases, %d read, at most %d bytes\n", count, read, largest)
}
