package kernel

//go:generate go run ./generate

import (
	"fmt"
	"math"

	"carina/solver/airflow/collision"
	"carina/solver/expression"
)

// Real is the type of the arithmetic.
type Real interface{ float32 | float64 }

// TableSize is the room for a variant's table of constants and parameters.
const TableSize = 64

// Table holds the constants of one variant, in the order that its kernel
// expects.
type Table[T Real] [TableSize]T

// NewTable computes the table of a variant for the given parameters.
func NewTable[T Real](v collision.Variant, parameters map[string]float64) (*Table[T], error) {
	values := expression.EvaluateTable[T](v.Program(), parameters)
	if len(values) > TableSize {
		return nil, fmt.Errorf("the %s kernel needs %d constants, more than %d", v.Name, len(values), TableSize)
	}
	t := new(Table[T])
	copy(t[:], values)
	return t, nil
}

// Local updates n cells in place: it reads population i of cell j at
// f[i·stride+j] and writes what leaves the cell along i to
// f[opposite(i)·stride+j].
type Local[T Real] func(f []T, stride, n int, table *Table[T])

// NewLocal returns the plain Go kernel of a variant.
func NewLocal[T Real](v collision.Variant) (Local[T], error) {
	if k, ok := locals[T]()[v.Identifier()]; ok {
		return k, nil
	}
	return nil, fmt.Errorf("there is no kernel for %s on %s", v.Name, v.Set.Name)
}

// maximum is a where a > b, else b.
func maximum[T Real](a, b T) T {
	if a > b {
		return a
	}
	return b
}

// squareRoot is correctly rounded in both precisions.
func squareRoot[T Real](v T) T { return T(math.Sqrt(float64(v))) }
