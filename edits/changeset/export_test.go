package changeset

// Woven is Then without its short way.
func (c Changeset) Woven(next Changeset) Changeset { return c.weave(next).joined() }
