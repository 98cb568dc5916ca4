package gpu

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"carina/solver/airflow/collision"
	"carina/solver/cuda/devicetest"
	"carina/solver/expression"
	"carina/solver/lattice"
)

// operators are all on D3Q19 and D3Q27.
var operators = []operator{
	{"trt", lattice.D3Q19, false}, {"bgk", lattice.D3Q19, false}, {"regularized", lattice.D3Q19, false}, {"recursive", lattice.D3Q19, false},
	{"trt", lattice.D3Q19, true}, {"bgk", lattice.D3Q19, true}, {"regularized", lattice.D3Q19, true}, {"recursive", lattice.D3Q19, true},
	{"trt", lattice.D3Q27, false}, {"cumulant", lattice.D3Q27, false}, {"trt", lattice.D3Q27, true}, {"cumulant", lattice.D3Q27, true},
}

// Every operator computes what package collision says, with and without a
// force, to rounding. All are compiled into one program for the processor.
func TestOperators(t *testing.T) {
	devicetest.BesideOthers(t)
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("there is no g++ to compile the operators for the processor")
	}
	const cells = 20
	random := rand.New(rand.NewPCG(4, 2))
	parameters := map[string]float64{
		collision.OmegaPlus: 1.3, collision.OmegaMinus: 0.9, collision.Magic: 3. / 16, collision.RelaxationTime: 1 / 1.3,
		collision.ThirdLimit: 0.02, collision.KeptSum: 0.7, collision.KeptDifference: 0.8, collision.KeptMixed: 0.9, collision.FlatFourth: -0.4, collision.BentFourth: 0.3,
		collision.EddyFactor: 0.7, collision.LimiterFactor: 0.6, collision.SumForgetting: 0.2, collision.DifferenceForgetting: 0.1, collision.SumBySpeed: 5, collision.DifferenceBySpeed: 2, collision.FourthBySpeed: -0.4, collision.TraceKept: -0.3, collision.ForceX: 3e-4, collision.ForceY: -2e-4, collision.ForceZ: 1e-4,
	}
	values := func(list []float64) string {
		words := make([]string, len(list))
		for i, v := range list {
			words[i] = fmt.Sprintf("%.17g", v)
		}
		return "{" + strings.Join(words, ", ") + "}"
	}
	var source, calls strings.Builder
	source.WriteString("#include <cmath>\n#include <cstdio>\n#define DEVICE inline\ntypedef double real;\n#define SCALE real(1)\nreal square_root(real v) { return sqrt(v); }\nreal maximum(real a, real b) { return a > b ? a : b; }\n")
	var want [][]float64
	inputs := make([][]float64, cells)
	for i := range inputs {
		for range lattice.D3Q27.Q {
			inputs[i] = append(inputs[i], 0.02*(random.Float64()-0.5))
		}
	}
	for k := range 2 * len(operators) {
		o, force := operators[k/2], k%2 == 1
		program := o.variant(force, 64).Program()
		minus := parameters[collision.OmegaMinus]
		if o.name == "bgk" {
			minus = parameters[collision.OmegaPlus]
		}
		numbers := []float64{parameters[collision.OmegaPlus], minus, 0, 0, 0, 0}
		if force {
			copy(numbers[2:], []float64{parameters[collision.ForceX], parameters[collision.ForceY], parameters[collision.ForceZ]})
		}
		numbers = append(numbers, expression.EvaluateTable[float64](program, parameters)...)
		forced := 0
		if force {
			forced = 1
		}
		fmt.Fprintf(&source, "#undef FORCE\n#define FORCE %d\n#undef DIRECTIONS\n#define DIRECTIONS %d\nnamespace o%d {\nstruct Rates { real plus, minus, force[3], unused, table[64]; };\n%s}\n", forced, o.set.Q-1, k, o.source(force, 64))
		for _, in := range inputs {
			fmt.Fprintf(&calls, "{ real g[] = %s, n[90] = %s; print(g, %d, [&] { o%d::collide(g, *(o%d::Rates *)n); }); }\n",
				values(append(in[1:o.set.Q:o.set.Q], in[0])), values(numbers), o.set.Q, k, k)
			want = append(want, program.Evaluate(in[:o.set.Q], parameters))
		}
	}
	source.WriteString(`bool begun;
template <class F> void print(real *g, int q, F f)
{
	f();
	printf(begun ? ",[" : "[[");
	begun = true;
	for (int i = 0; i < q; i++) printf(i ? ",%.17g" : "%.17g", g[(i + q - 1) % q]);
	printf("]");
}
int main()
{
` + calls.String() + "printf(\"]\");\n}\n")
	folder := t.TempDir()
	path := filepath.Join(folder, "operators")
	if err := os.WriteFile(path+".cpp", []byte(source.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("g++", "-std=c++17", "-w", "-o", path, path+".cpp").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var got [][]float64
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d results, want %d", len(got), len(want))
	}
	const rounding = 3e-16 // where the density itself is computed with: of 1
	for i := range want {
		for p, w := range want[i] {
			if d := math.Abs(got[i][p] - w); !(d <= rounding) {
				t.Errorf("%+v, population %d: %g, want %g", operators[i/cells/2], p, got[i][p], w)
			}
		}
	}
}
