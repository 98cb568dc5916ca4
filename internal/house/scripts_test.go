package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What `make test` says at the end counts what passed, failed and was left out, with
// the reason of every test that was skipped, within others, too.
func TestSummarySaysWhatWasLeftOut(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "scripts"), 0o755); err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script, err := os.ReadFile(filepath.Join("..", "..", "scripts", "test.sh"))
	if err != nil {
		t.Fatal(err)
	}
	put("scripts/test.sh", string(script))
	put("scripts/lint.sh", "exit 0\n")
	put("scripts/openmpi.sh", "exit 1\n")
	put("scripts/cuda.sh", "exit 0\n")
	put("go.sh", `#!/bin/sh
cat <<'log'
=== RUN   TestOuter
=== RUN   TestOuter/inner
    a_test.go:7: the surface is not here
=== RUN   TestOuter/other
    a_test.go:7: the surface is not here
=== NAME  TestOuter
    a_test.go:9: a word of the outer test
--- PASS: TestOuter (0.00s)
    --- SKIP: TestOuter/inner (0.00s)
    --- SKIP: TestOuter/other (0.00s)
=== RUN   TestShort
    b_test.go:3: something before
    b_test.go:4: it takes long
--- SKIP: TestShort (0.00s)
=== RUN   TestSilent
--- SKIP: TestSilent (0.00s)
=== RUN   TestPlain
--- PASS: TestPlain (0.00s)
=== RUN   TestBroken
--- FAIL: TestBroken (0.00s)
FAIL	carina/a	0.1s
log
exit 1
`)
	command := exec.Command("bash", "scripts/test.sh")
	command.Dir = folder
	command.Env = append(os.Environ(), "GO=./go.sh")
	said, err := command.Output()
	if err == nil {
		t.Error("the script succeeds although a test failed")
	}
	_, summary, _ := strings.Cut(string(said), "\nLeft out:")
	for _, want := range []string{
		"\n- 2 skipped: the surface is not here\n",
		"\n- 1 skipped: it takes long\n",
		"\n- 1 skipped: TestSilent does not say why\n",
		"\n- tests with MPI: Open MPI is not installed\n",
		"\n2 passed, 1 failed, 4 skipped\n",
	} {
		if !strings.Contains(summary, want) {
			t.Errorf("no line %q in:\n%s", strings.TrimSpace(want), said)
		}
	}
	if strings.Contains(summary, "something before") || strings.Contains(summary, "a word of") {
		t.Errorf("what a test logs is taken for a reason:\n%s", said)
	}
}
