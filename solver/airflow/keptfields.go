package airflow

// keptFields are the fields as they were when Keep was called last, nil before.
type keptFields struct {
	fields *Fields
	steps  int64
}

// fresh is room for the next fields to keep. Checks fill it on their way, since they
// see all cells; it is made when fields are kept for the first time.
type fresh struct {
	fields *Fields
	filled []int64 // after how many steps, by block
}

const never = -1

// begin tells whether a check is to fill in a block.
func (f *fresh) begin(block int32, steps int64) bool {
	if f.fields != nil {
		f.filled[block] = steps
	}
	return f.fields != nil
}

// holds tells whether all blocks are those after so many steps.
func (f *fresh) holds(steps int64) bool {
	for _, n := range f.filled {
		if n != steps {
			return false
		}
	}
	return f.fields != nil
}

// forget tells that no block is filled in.
func (f *fresh) forget() {
	for i := range f.filled {
		f.filled[i] = never
	}
}

// Keep keeps the present fields.
func (r *bound) Keep() error {
	f := &r.fresh
	if f.fields == nil {
		f.fields, f.filled = newFields(r.layout.Fluid), make([]int64, len(r.layout.Blocks))
		f.forget()
	}
	if r.relative && f.fields.relative == nil {
		f.fields.relative = make([]float32, r.layout.Fluid)
		f.forget()
	}
	if !f.holds(r.steps) {
		r.fillFields(f.fields)
	}
	f.fields, r.kept = r.kept.fields, keptFields{f.fields, r.steps}
	if f.fields == nil {
		f.fields = newFields(r.layout.Fluid)
	}
	f.forget()
	return nil
}

// Kept returns the fields that were kept last.
func (r *bound) Kept() (*Fields, error) { return r.kept.fields, nil }

// Relative returns the fields after the last step with pressures relative to the ambient
// one. They are not to be changed.
func (r *bound) Relative() (*Fields, error) {
	ambient := r.ambientNow
	if ambient == 0 {
		return r.present(), nil
	}
	r.relative = true
	if f := r.kept.fields; r.keptNow() && f.relative != nil {
		return &Fields{Pressure: f.relative, Velocity: f.Velocity}, nil
	}
	r.ambientNow = 0
	f := r.fields()
	r.ambientNow = ambient
	return f, nil
}

// present returns the fields after the last step, which are not to be changed.
func (r *bound) present() *Fields {
	if r.keptNow() {
		return r.kept.fields
	}
	return r.fields()
}

// keptNow tells whether the present fields are kept.
func (r *bound) keptNow() bool { return r.kept.fields != nil && r.kept.steps == r.steps }
