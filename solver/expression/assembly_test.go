package expression

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// processor does the lines of an assembler. What no line has written is no number.
type processor struct {
	registers, slots, inputs, table, outputs []float64
}

var word = regexp.MustCompile(`SPILLED\(\d+\)|\w+`)

// do does one line.
func (p *processor) do(line string) {
	words := word.FindAllString(line, -1)
	name, arguments := words[0], words[1:]
	last := len(arguments) - 1
	number := func(i int) int {
		n, err := strconv.Atoi(strings.Trim(arguments[i], "RSPILED()"))
		if err != nil {
			panic(line)
		}
		return n
	}
	value := func(i int) float64 {
		if strings.HasPrefix(arguments[i], "SPILLED") {
			return p.slots[number(i)]
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
// with many.
func TestAssemblyOfRandomPrograms(t *testing.T) {
	spills, drawn := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := randomProgram(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)).IntN)
		registers := rapid.SampledFrom([]int{5, 6, 7, 9, 14, 31}).Draw(t, "registers")
		actions, slots := Schedule(p, registers)
		spills, drawn = spills+slots, drawn+1
		m := &processor{outputs: make([]float64, len(p.Outputs)), table: EvaluateTable[float64](p, randomParameters)}
		for range registers {
			m.registers = append(m.registers, math.NaN())
		}
		for range slots {
			m.slots = append(m.slots, math.NaN())
		}
		for range randomInputs {
			m.inputs = append(m.inputs, rapid.Float64Range(-10, 10).Draw(t, "input"))
		}
		a := &Assembler{Letter: "R",
			Load:  func(i int, r string) string { return fmt.Sprintf("LOAD(%d, %s)", i, r) },
			Store: func(i int, r string) string { return fmt.Sprintf("STORE(%s, %d)", r, i) }}
		for _, line := range strings.Split(a.Lines(actions), "\\\n")[1:] {
			m.do(line)
		}
		want := EvaluateIn(p, m.inputs, randomParameters)
		for i, got := range m.outputs {
			if got != want[i] && (got == got || want[i] == want[i]) {
				t.Fatalf("output %d with %d registers is %g, want %g:%s", i, registers, got, want[i], a.Lines(actions))
			}
		}
	})
	if 5*spills < drawn {
		t.Errorf("only %d values were spilled in %d programs", spills, drawn)
	}
}
