package thermal_test

import (
	"os"
	"testing"

	"carina/solver/cuda/devicetest"
	"carina/solver/cuda/physicstest"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

func TestGasOnGPUs(t *testing.T) {
	c := gasCase(holes(), [3]bool{true, true, false})
	c.Steps = 7
	physicstest.Accept(t, *c)
}
