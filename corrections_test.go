package carina

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCaseFileCorrectsOpenings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "case.yaml")
	read := func(lines string) (Case, error) {
		if err := os.WriteFile(path, []byte("surface: a.stl\n"+lines), 0o644); err != nil {
			t.Fatal(err)
		}
		return ReadCase(path)
	}
	for _, test := range []struct {
		lines string
		want  Case
	}{
		{"drop-openings: [5, 7]\n", Case{SurfaceCase: SurfaceCase{DropOpenings: Numbers{5, 7}}}},
		{"drop-openings: 5\n", Case{SurfaceCase: SurfaceCase{DropOpenings: Numbers{5}}}},
		{"merge-openings: [3, 5]\n", Case{SurfaceCase: SurfaceCase{MergeOpenings: Groups{{3, 5}}}}},
		{"merge-openings:\n  - [3, 5]\n  - [7, 8, 9]\n", Case{SurfaceCase: SurfaceCase{MergeOpenings: Groups{{3, 5}, {7, 8, 9}}}}},
		{"roles: {3: inlet, 5: outlet}\n", Case{SurfaceCase: SurfaceCase{Roles: Roles{3: "inlet", 5: "outlet"}}}},
	} {
		c, err := read(test.lines)
		if err != nil {
			t.Errorf("%q: %v", test.lines, err)
			continue
		}
		got := Case{SurfaceCase: SurfaceCase{DropOpenings: c.DropOpenings, MergeOpenings: c.MergeOpenings, Roles: c.Roles}}
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(Case{}, SurfaceCase{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.lines, diff)
		}
	}
	for lines, says := range map[string]string{
		"drop-openings: [5.5]\n": "5.5", "drop-openings: all\n": "such as [5, 7]",
		"merge-openings: [[3, x]]\n": "such as [[3, 5]", "merge-openings: [[3, 5.5]]\n": "5.5",
		"roles: {3: door}\n": "door", "roles: {three: inlet}\n": "three",
	} {
		if _, err := read(lines); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", lines, err, says)
		}
	}
}
