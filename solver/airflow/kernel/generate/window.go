package main

import (
	"bytes"
	"fmt"
	"strings"

	"carina/solver/airflow/collision"
)

// kinds are those of windows and what their kernels do.
var kinds = []struct{ name, does string }{
	{"even", "update the cells of n windows in place."},
	{"odd", "update the cells of n inner windows where their neighbours hold what arrives."},
	{"walled", "update the cells of n walled windows where their neighbours or they themselves hold what arrives."},
}

// function names a kernel.
func (t target) function(kind string, v collision.Variant) string {
	return kind + t.name + t.storage.title() + v.Identifier()
}

// writeWindows returns the assembly of a target's kernels: each a kind of window
// with a body of arithmetic.
func writeWindows(t target) []byte {
	var b bytes.Buffer
	b.WriteString(header + "#include \"textflag.h\"\n\n")
	fmt.Fprintf(&b, "#define %s\n", strings.ToUpper(t.storage.name))
	for _, c := range t.constants() {
		fmt.Fprintf(&b, "#define %s %d\n", c.name, c.value)
	}
	fmt.Fprintf(&b, "#include \"%s_amd64.h\"\n#include \"%s\"\n", strings.ToLower(t.name), t.bodiesFile())
	for _, v := range collision.Variants() {
		for _, kind := range kinds {
			fmt.Fprintf(&b, "\nTEXT ·%s(SB), $0-48\n\t%s(%s)\n", t.function(kind.name, v), strings.ToUpper(kind.name), bodyName(v))
		}
	}
	return b.Bytes()
}

// constant is a number with a name.
type constant struct {
	name  string
	value int
}

// constants are those that the kernels need.
func (t target) constants() []constant {
	list := []constant{{"VALID_AT", scratchSlots * t.bytes}, {"CONTROL_AT", controlAt}, {"WINDOWS_AHEAD", windowsAhead}}
	if t.storage.name == half {
		list = append(list, ditherConstants...)
	}
	return list
}

func (t target) bodiesFile() string { return "body_" + t.bodies + "_amd64.h" }

// controlAt is where in the scratch memory the processor's control words are:
// behind the sums of correctors.
const controlAt = takenAt + 2*windowCells*64

// writeStubs returns the Go declarations of all kernels.
func writeStubs() []byte {
	var b bytes.Buffer
	b.WriteString(header + "package kernel\n\n// See WindowKernel. Those named\n//\n")
	for _, kind := range kinds {
		fmt.Fprintf(&b, "//   - %s… %s\n", kind.name, kind.does)
	}
	for _, t := range targets {
		for _, v := range collision.Variants() {
			for _, kind := range kinds {
				fmt.Fprintf(&b, "\n//go:noescape\nfunc %s(slots **byte, words *uint32, width, n int, table, scratch *byte)\n", t.function(kind.name, v))
			}
		}
	}
	return b.Bytes()
}

// writeList returns the table of all kernels.
func writeList() []byte {
	var b bytes.Buffer
	b.WriteString(header + "package kernel\n\nvar vectors = map[vectorKey]Vector{\n")
	for _, t := range targets {
		for _, v := range collision.Variants() {
			fmt.Fprintf(&b, "{%q, %q, %q}: {%q", t.name, t.storage.name, v.Identifier(), t.name)
			for _, kind := range kinds {
				fmt.Fprintf(&b, ", %s", t.function(kind.name, v))
			}
			fmt.Fprintf(&b, ", correct%[1]s%[2]s, reflect%[1]s%[2]s, %[3]s},\n", t.name, t.storage.title(), t.summing(t.storage, v.Set))
		}
	}
	b.WriteString("}\n")
	return b.Bytes()
}
