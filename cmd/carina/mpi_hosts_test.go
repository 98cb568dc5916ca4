//go:build mpi

package main

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Two hosts joined by a wire with delay and loss compute the flow of one, and a host that
// is cut off ends the job.
func TestMPIHosts(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	_, binary := withMPI(t)
	command := exec.Command("bash", "../../scripts/hosts.sh", "2", "1")
	command.Env = append(os.Environ(), "CARINA="+binary)
	said, err := command.CombinedOutput()
	var exit *exec.ExitError
	const skipped = 77
	if errors.As(err, &exit) && exit.ExitCode() == skipped {
		t.Skip(strings.TrimSpace(string(said)))
	}
	if err != nil {
		t.Errorf("%v:\n%s", err, said)
	}
}
