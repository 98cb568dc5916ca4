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
	testC[float64](t, "double")
	testC[float32](t, "float")
}

func testC[T float32 | float64](t *testing.T, real string) {
	random := rand.New(rand.NewPCG(5, 1))
	const programs = 40
	var body strings.Builder
	fmt.Fprintf(&body, "typedef %s real;\n%sKERNEL(random)(const real *f, const real *tables, real *out)\n{\n", real, CHelpers)
	var want, inputs, tables []T
	for range randomInputs {
		inputs = append(inputs, T(random.NormFloat64()*3))
	}
	for range programs {
		p := randomProgram(random.IntN)
		fmt.Fprintf(&body, "{ const real *t = tables + %d;\n", len(tables))
		statements, outputs := p.ExactC(variable("f"), variable("t"))
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
