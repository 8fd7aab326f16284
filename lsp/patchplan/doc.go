// Package patchplan plans a patch over several files: of a patch and a workspace it makes the
// files as the patch would leave them, or an error that teaches. It changes nothing.
//
//	p := patchplan.New(surroundings, place.Options{}, patch.Notes)
//	if err := p.Patch(patch); err != nil {
//		return err // which says what would become of each file
//	}
//	for _, f := range p.InOrder() {
//		for _, change := range f.Changes() { ... } // have the editor make it, and tell f.Landed
//	}
//
// Between planning and making an edit the text may change: [File.Again] plans the parts of one
// file anew. How the hunks of one text are placed is not here, but in edits.
package patchplan
