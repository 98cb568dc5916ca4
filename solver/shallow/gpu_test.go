package shallow

import (
	"os"
	"testing"

	"carina/solver/cuda/devicetest"
	"carina/solver/cuda/physicstest"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

func TestWaterOnGPUs(t *testing.T) {
	c := pondCase(true)
	c.Steps = 8
	physicstest.Accept(t, *c)
}
