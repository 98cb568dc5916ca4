package gpu

import (
	"os"
	"testing"

	"carina/solver/cuda/devicetest"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }
