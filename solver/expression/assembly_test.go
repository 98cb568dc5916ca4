package expression

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// processor does the lines of an assembler. What no line has written is no number.
type processor struct {
	registers, slots, kept, inputs, table, outputs []float64
}

// empty lets registers and slots be no numbers.
func (p *processor) empty(registers, slots int) {
	p.registers, p.slots = nothing(registers), nothing(slots)
}

func nothing(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }

var word = regexp.MustCompile(`SPILLED\(\d+\)|KEPT\(\d+\)|\w+`)

// do does one line.
func (p *processor) do(line string) {
	words := word.FindAllString(line, -1)
	name, arguments := words[0], words[1:]
	last := len(arguments) - 1
	number := func(i int) int {
		n, err := strconv.Atoi(strings.Trim(arguments[i], "RSPILEDKT()"))
		if err != nil {
			panic(line)
		}
		return n
	}
	value := func(i int) float64 {
		if strings.HasPrefix(arguments[i], "SPILLED") {
			return p.slots[number(i)]
		}
		if strings.HasPrefix(arguments[i], "KEPT") {
			return p.kept[number(i)]
		}
		return p.registers[number(i)]
	}
	to := &p.registers[min(number(last), len(p.registers)-1)]
	switch name {
	case "LOAD":
		*to = p.inputs[number(0)]
	case "STORE":
		p.outputs[number(1)] = value(0)
	case "FILL":
		*to = p.slots[number(0)]
	case "COPY":
		*to = p.table[number(0)]
	case "SPILL":
		p.slots[number(1)] = value(0)
	case "RECALL":
		*to = p.kept[number(0)]
	case "KEEP":
		p.kept[number(1)] = value(0)
	case "ROOT":
		*to = math.Sqrt(value(0))
	case "POWER":
		*to = powerOfTwo(value(0))
	case "SELECT":
		*to = choose(value(0), value(1), value(2), value(3))
	default:
		second, a := 0.0, value(1)
		if plain, constant := strings.CutSuffix(name, "_CONSTANT"); constant {
			name, second = plain, p.table[number(0)]
		} else {
			second = value(0)
		}
		*to = map[string]func(a, b float64) float64{
			"ADD": func(a, b float64) float64 { return a + b }, "SUBTRACT": func(a, b float64) float64 { return a - b },
			"MULTIPLY": func(a, b float64) float64 { return a * b }, "DIVIDE": func(a, b float64) float64 { return a / b },
			"MAXIMUM": func(a, b float64) float64 { return choose(b, a, a, b) }, "MINIMUM": func(a, b float64) float64 { return choose(a, b, a, b) },
		}[name](a, second)
	}
}

// Lines of assembly of random programs give the program's bits, with few registers and
// with many, in one stage and in several, between which only kept values stay.
func TestAssemblyOfRandomPrograms(t *testing.T) {
	check := func(t *rapid.T) Schedule {
		p := randomProgram(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)).IntN)
		for range rapid.IntRange(0, 3).Draw(t, "cuts") {
			p.cuts = append(p.cuts, rapid.IntRange(0, len(p.Nodes)).Draw(t, "cut"))
		}
		slices.Sort(p.cuts)
		registers := rapid.SampledFrom([]int{5, 6, 7, 9, 14, 31}).Draw(t, "registers")
		schedule := NewSchedule(p, registers)
		m := &processor{outputs: nothing(len(p.Outputs)), kept: nothing(schedule.Kept), table: EvaluateTable[float64](p, randomParameters)}
		for range randomInputs {
			m.inputs = append(m.inputs, rapid.Float64Range(-10, 10).Draw(t, "input"))
		}
		a := &Assembler{Letter: "R",
			Load:  func(i int, r string) string { return fmt.Sprintf("LOAD(%d, %s)", i, r) },
			Store: func(i int, r string) string { return fmt.Sprintf("STORE(%s, %d)", r, i) }}
		text := ""
		for _, stage := range schedule.Stages {
			m.empty(registers, schedule.Slots)
			lines := a.Lines(stage)
			for _, line := range strings.Split(lines, "\\\n")[1:] {
				m.do(line)
			}
			text += lines
		}
		want := EvaluateIn(p, m.inputs, randomParameters)
		for i, got := range m.outputs {
			if got != want[i] && (got == got || want[i] == want[i]) {
				t.Fatalf("output %d with %d registers is %g, want %g:%s", i, registers, got, want[i], text)
			}
		}
		return schedule
	}
	rapid.Check(t, func(t *rapid.T) { check(t) })
	// The same in every run, so that chance does not decide.
	spilled, kept := 0, 0
	for seed := range 40 {
		schedule := rapid.Custom(check).Example(seed)
		spilled, kept = spilled+schedule.Slots, kept+schedule.Kept
	}
	if spilled < 8 || kept < 8 {
		t.Errorf("only %d values were spilled and %d kept in 40 programs", spilled, kept)
	}
}
