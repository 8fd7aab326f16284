// Package patchplan plans a patch over several files: from a patch and a workspace it computes the
// files as the patch would leave them, or an error that says what to do. It changes nothing.
//
//	p := patchplan.New(surroundings, place.Options{}, patch.Notes)
//	if err := p.Patch(patch); err != nil {
//		return err // which says what would happen to each file
//	}
//	for _, f := range p.InOrder() {
//		for _, change := range f.Changes() { ... } // have the editor make it
//	}
//
// Between planning and making an edit the text may change: [File.Again] plans the parts of one
// file anew. Package edits/place places the hunks of one text.
package patchplan
