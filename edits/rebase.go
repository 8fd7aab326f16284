package edits

// Rebase carries es, which are of the same text as over, behind over: the result
// does to the text after over what es does to the text before. It is false where
// the two touch, since then nobody can tell what was meant.
func (es Edits) Rebase(over Edits) (Edits, bool) {
	out := make(Edits, len(es))
	shift, k := 0, 0
	for i, e := range es {
		for k < len(over) && over[k].End < e.Start {
			shift += len(over[k].New) - (over[k].End - over[k].Start)
			k++
		}
		if k < len(over) && over[k].Start <= e.End {
			return nil, false
		}
		out[i] = Edit{e.Start + shift, e.End + shift, e.New}
	}
	return out, true
}

// Rebased returns the plan, made for src, as one for the text now, which src has
// become. It is false where what changed meanwhile touches what the plan changes.
func (p Plan) Rebased(src, now Source) (Plan, bool) {
	over := Rewrite(src.Text, 0, src.Text.Len(), now.Text.String())
	if !over.Apply(src.Text).Equal(now.Text) {
		return Plan{}, false // line ends of another kind came in, which Rewrite does not write
	}
	es, ok := p.Edits.Rebase(over)
	if !ok {
		return Plan{}, false
	}
	p.Edits = es
	p.Hunks = es.hunks(now.Text)
	return p, true
}
