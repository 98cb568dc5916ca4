package expression

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"carina/solver/cuda/device"
	"carina/solver/cuda/devicetest"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// Statements in C of random programs give the bits of the programs on a device where
// products are not fused.
func TestExactCOfRandomPrograms(t *testing.T) {
	devicetest.BesideOthers(t)
	testC[float64](t, "double", randomProgram, (*Program).ExactC)
	testC[float32](t, "float", randomProgram, (*Program).ExactC)
}

// So do those with the instructions of GPUs.
func TestNativeC(t *testing.T) {
	devicetest.BesideOthers(t)
	testC[float64](t, "double", limitedProgram, (*Program).NativeC)
	testC[float32](t, "float", limitedProgram, (*Program).NativeC)
}

// limitedProgram has what NativeC writes in another way.
func limitedProgram(draw func(n int) int) *Program {
	p := New()
	one := func() Value { return p.Input(draw(randomInputs)) }
	for range 10 {
		a, b, c, zero := one(), one(), one(), p.Constant(0)
		least := p.Maximum(p.Minimum(p.Minimum(a, b), c), zero)
		limited := p.Add(least, p.Minimum(p.Maximum(p.Maximum(a, b), c), zero))
		positive := p.Maximum(limited, p.Constant(1e-20))
		bounded := p.Maximum(p.Minimum(c, p.Maximum(p.Minimum(a, b), zero)), p.Minimum(p.Maximum(a, b), zero))
		p.Outputs = append(p.Outputs, bounded, p.Maximum(p.Maximum(a, b), zero), p.Maximum(p.Minimum(a, b), zero),
			p.Maximum(p.Subtract(a, p.Maximum(b, zero)), zero), p.Maximum(p.Add(a, p.Minimum(b, zero)), zero))
		p.Outputs = append(p.Outputs, limited, p.SquareRoot(positive), p.Divide(p.Constant(1), positive), p.Maximum(a, b), p.Minimum(a, b))
	}
	return p
}

type writer func(p *Program, input, table func(i int) string) (statements string, outputs []string)

func testC[T float32 | float64](t *testing.T, real string, program func(draw func(n int) int) *Program, write writer) {
	random := rand.New(rand.NewPCG(5, 1))
	const programs = 40
	var body strings.Builder
	fmt.Fprintf(&body, "typedef %s real;\n%sKERNEL(random)(const real *f, const real *tables, real *out)\n{\n", real, CHelpers)
	var want, inputs, tables []T
	for range randomInputs {
		inputs = append(inputs, T(random.NormFloat64()*3))
	}
	for range programs {
		p := program(random.IntN)
		fmt.Fprintf(&body, "{ const real *t = tables + %d;\n", len(tables))
		statements, outputs := write(p, variable("f"), variable("t"))
		body.WriteString(statements)
		for _, out := range outputs {
			fmt.Fprintf(&body, "out[%d] = %s;\n", len(want), out)
			want = append(want, 0)
		}
		body.WriteString("}\n")
		copy(want[len(want)-len(outputs):], EvaluateIn(p, inputs, randomParameters))
		tables = append(tables, EvaluateTable[T](p, randomParameters)...)
	}
	body.WriteString("}\n")
	d := devicetest.Open(t, 1)[0]
	kernel, err := d.Compile(device.Source{Name: "random", Constants: "#define WARPS 1\n#define BLOCKS 1\n", Body: body.String()})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]T, len(want))
	var at []device.Address
	for _, list := range [][]T{inputs, tables, got} {
		a, err := d.Allocate(device.SizeOf(list))
		if err == nil {
			err = d.Upload(a, device.BytesOf(list))
		}
		if err != nil {
			t.Fatal(err)
		}
		at = append(at, a)
	}
	if err := d.Launch(device.MainQueue, kernel, device.Launch{Blocks: 1, Threads: 32, Arguments: device.Words(at...)}); err != nil {
		t.Fatal(err)
	}
	if err := d.Download(device.BytesOf(got), at[2]); err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if got[i] != want[i] && !(got[i] != got[i] && want[i] != want[i]) {
			t.Errorf("%s: output %d of all is %g, want %g", real, i, got[i], want[i])
		}
	}
}
