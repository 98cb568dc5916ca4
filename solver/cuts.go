package solver

import "slices"

// Cuts keeps what is made of lists of blocks, which is made once of equal ones.
type Cuts[T any] struct {
	known map[*Block]T
	lists [][]Block // of which something was made
}

// Of is what is made of blocks.
func (c *Cuts[T]) Of(blocks []Block, cut func(blocks []Block) (T, error)) (made T, err error) {
	if len(blocks) == 0 {
		return made, nil
	}
	made, ok := c.known[&blocks[0]]
	if ok {
		return made, nil
	}
	if i := slices.IndexFunc(c.lists, func(list []Block) bool { return slices.Equal(list, blocks) }); i >= 0 {
		made = c.known[&c.lists[i][0]]
	} else if made, err = cut(blocks); err != nil {
		return made, err
	}
	if c.known == nil {
		c.known = map[*Block]T{}
	}
	c.known[&blocks[0]], c.lists = made, append(c.lists, blocks)
	return made, nil
}
