// Package match says when two texts are the same but for what agents get wrong when they
// quote one: line ends, blanks around lines, and characters that look alike.
//
//	Fold{Trailing: true, Unicode: true}.Text("say “hi” \r\n") == "say \"hi\"\n"
//
// [Fold.Apply] keeps the way back, from a place in the folded text to the one in the text.
//
// [Tiers] (fold.go) is the table of what is passed over, in the order in which it is tried. A new
// tier is a row of it, what is new in [Fold], a name beside [edits.Tier], and a note for it in
// command/locate.go and place/place.go.
package match
