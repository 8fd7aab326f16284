// Package match says when two texts are the same but for what agents get wrong when they
// quote one: line ends, blanks around lines, and characters that look alike.
//
//	Fold{Trailing: true, Unicode: true}.Text("say “hi” \r\n") == "say \"hi\"\n"
//
// [Fold.Apply] keeps the way back, from a place in the folded text to the one in the text.
//
// [Tiers] (fold.go) is the table of the tiers, in the order in which they are tried. A new tier
// needs a row there, a name in edits/plan.go, a note in command/locate.go and place/place.go, and
// a field of [Fold] if it passes over something new.
package match
